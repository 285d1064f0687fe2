"""Repetitions as python-dateutil has them: a `Rule` is what `--repeat` says, in the terms of RFC 5545.

A day that a month lacks is the month's last, and 29 February is by a setting the 28th or 1 March in other years; all
else is dateutil's. `some_rule` makes a random rule beside the words that are typed for it: another part of RFC 5545
is another of its kinds, and another of the options in `by`, which are those of `dateutil.rrule`.
"""
import datetime as dt

from dateutil import rrule

FREQUENCIES = {"day": rrule.DAILY, "week": rrule.WEEKLY, "month": rrule.MONTHLY, "year": rrule.YEARLY}
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ORDINALS = {1: ["1st", "first"], 2: ["2nd", "second"], 3: ["3rd", "third"], 4: ["4th", "fourth"], -1: ["last"]}


class Rule:
    def __init__(self, unit, every=1, **by):
        self.unit, self.every, self.by = unit, every, by

    def times(self, anchor, leap="feb28", end=None):
        """The local times of a repetition that begins at one, until another; `[number]` is one of them."""
        options = dict(self.by) or self.clamped(anchor, leap)
        options.update(freq=FREQUENCIES[self.unit], interval=self.every, wkst=rrule.MO)
        if self.by:
            # Weeks and months are counted from the first time that is of the rule.
            first = rrule.rrule(dtstart=anchor, **{**options, "interval": 1})
            anchor = next(iter(first))
        return rrule.rrule(dtstart=anchor, until=end, **options)

    def clamped(self, anchor, leap):
        if self.unit == "month" and anchor.day > 28:
            return {"bymonthday": range(28, anchor.day + 1), "bysetpos": -1}
        if self.unit == "year" and (anchor.month, anchor.day) == (2, 29):
            return {"byyearday": 60} if leap == "mar1" else {"bymonth": 2, "bymonthday": (28, 29), "bysetpos": -1}
        return {}


class Chance:
    """Numbers that are the same in every version of Python (Knuth's MMIX generator)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def of(self, choices):
        return choices[self.below(len(choices))]


def spans(chance, unit):
    """A number of units, and some of the ways to say it."""
    every = 1 + chance.below(6)
    words = [f"every {every} {unit}s"] if every > 1 else [f"every {unit}", f"1 {unit}"]
    words += {("day", 1): ["daily"], ("week", 1): ["weekly"], ("month", 1): ["monthly"], ("week", 2): ["fortnightly"],
              ("year", 1): ["yearly", "annually"], ("month", 3): ["quarterly"]}.get((unit, every), [])
    if every == 2:
        words.append(f"every other {unit}")
    return every, chance.of(words)


def joined(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def some_rule(chance):
    """Words, and the rule that they mean."""
    kind = chance.below(6)
    if kind < 2:
        unit = chance.of(["day", "week", "month", "year"])
        every, words = spans(chance, unit)
        return words, Rule(unit, every)
    if kind < 4:
        return some_weekdays(chance)
    number, day = chance.of([1, 2, 3, 4, -1]), chance.below(7)
    name = f"{chance.of(ORDINALS[number])} {WEEKDAYS[day]}"
    every = 1
    if chance.below(2):
        words = chance.of(["every {}", "{} of the month", "the {} of each month", "{} of every month"]).format(name)
    else:
        every, words = spans(chance, "month")
        words += f" on the {name}"
    return words, Rule("month", every, byweekday=rrule.weekday(day, number))


def some_weekdays(chance):
    named = chance.below(5)
    if named == 0:
        return chance.of(["weekdays", "every weekday"]), Rule("week", byweekday=range(5))
    if named == 1:
        return chance.of(["weekends", "every weekend"]), Rule("week", byweekday=(5, 6))
    days = sorted({chance.below(7) for _ in range(1 + chance.below(4))})
    names, every = joined([WEEKDAYS[day] for day in days]), 2 if named == 2 else 1
    if named == 2:
        words = "every other " + names
    elif named == 3:
        every, words = spans(chance, "week")
        words += f" on {names}"
    else:
        words = chance.of(["every ", "", "each "]) + names
    return words, Rule("week", every, byweekday=days)


def some_anchored_rules(chance, count, leap, end):
    """Words, a first time (a day or a local time), its zone or `None`, and the times until an end."""
    for _ in range(count):
        words, rule = some_rule(chance)
        day = dt.datetime(2024, 1, 1) + dt.timedelta(days=chance.below(1200))
        zone = chance.of([None, "Pacific/Auckland", "Europe/London", "Asia/Kathmandu", "America/Los_Angeles"])
        # Only once in a while at an hour that clocks skip, in which a first time is moved.
        anchor = day + dt.timedelta(minutes=chance.of([0, 30, 150, 540, 1020, 1439]))
        yield words, day if zone is None else anchor, zone, rule.times(day if zone is None else anchor, leap, end)
