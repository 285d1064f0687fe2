#!/usr/bin/env python3
"""Makes repetitions.tsv, rules.tsv and days.tsv with python-dateutil and zoneinfo, which share no code
with capsule. usage: generate.py      (from any directory; writes beside itself)"""
import datetime as dt
import hashlib
import pathlib
import zoneinfo

from dateutil import rrule

HERE = pathlib.Path(__file__).parent
ZONES = ["Pacific/Auckland", "Europe/London", "Asia/Kathmandu", "America/Los_Angeles"]
UTC = dt.timezone.utc
EPOCH = dt.datetime(1970, 1, 1, tzinfo=UTC)


def rule(unit, every, anchor, leap, end):
    """The dates of a repetition by dateutil: a day that a month lacks is its last."""
    options = dict(dtstart=anchor, until=end, interval=every)
    if unit == "day":
        return rrule.rrule(rrule.DAILY, **options)
    if unit == "week":
        return rrule.rrule(rrule.WEEKLY, **options)
    if unit == "month":
        if anchor.day > 28:
            options.update(bymonthday=range(28, anchor.day + 1), bysetpos=-1)
        return rrule.rrule(rrule.MONTHLY, **options)
    if (anchor.month, anchor.day) == (2, 29):
        if leap == "mar1":
            options.update(byyearday=60)
        else:
            options.update(bymonth=2, bymonthday=(28, 29), bysetpos=-1)
    return rrule.rrule(rrule.YEARLY, **options)


WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ORDINALS = {1: ["1st", "first"], 2: ["2nd", "second"], 3: ["3rd", "third"], 4: ["4th", "fourth"],
            -1: ["last"]}


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
    named = {("day", 1): ["daily"], ("week", 1): ["weekly"], ("month", 1): ["monthly"],
             ("year", 1): ["yearly", "annually"], ("week", 2): ["fortnightly"],
             ("month", 3): ["quarterly"]}
    words += named.get((unit, every), [])
    if every == 2:
        words.append(f"every other {unit}")
    return every, chance.of(words)


def joined(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def some_rule(chance):
    """Words, the unit, every how many, and the weekdays or the (number, weekday) of a month or none."""
    kind = chance.below(6)
    if kind < 2:
        unit = chance.of(["day", "week", "month", "year"])
        every, words = spans(chance, unit)
        return words, unit, every, None, None
    if kind < 4:
        named = chance.below(5)
        if named == 0:
            return chance.of(["weekdays", "every weekday"]), "week", 1, list(range(5)), None
        if named == 1:
            return chance.of(["weekends", "every weekend"]), "week", 1, [5, 6], None
        days = sorted({chance.below(7) for _ in range(1 + chance.below(4))})
        names = joined([WEEKDAYS[day] for day in days])
        if named == 2:
            return "every other " + names, "week", 2, days, None
        if named == 3:
            every, words = spans(chance, "week")
            return f"{words} on {names}", "week", every, days, None
        return chance.of(["every ", "", "each "]) + names, "week", 1, days, None
    number, day = chance.of([1, 2, 3, 4, -1]), chance.below(7)
    name = f"{chance.of(ORDINALS[number])} {WEEKDAYS[day]}"
    if chance.below(2):
        words = chance.of(["every {}", "{} of the month", "the {} of each month", "{} of every month"])
        return words.format(name), "month", 1, None, (number, day)
    every, words = spans(chance, "month")
    return f"{words} on the {name}", "month", every, None, (number, day)


def is_of(day, weekdays, nth):
    if weekdays is not None:
        return day.weekday() in weekdays
    number, weekday = nth
    last = (day + dt.timedelta(days=7)).month != day.month
    return day.weekday() == weekday and (last if number == -1 else (day.day + 6) // 7 == number)


def some_times(unit, every, weekdays, nth, anchor, leap, end):
    """The dates of a rule by dateutil, from the first that is one of its days on."""
    if weekdays is None and nth is None:
        return rule(unit, every, anchor, leap, end)
    first = anchor
    while not is_of(first, weekdays, nth):
        first += dt.timedelta(days=1)
    options = dict(dtstart=first, until=end, interval=every, wkst=rrule.MO)
    if nth is None:
        return rrule.rrule(rrule.WEEKLY, byweekday=weekdays, **options)
    return rrule.rrule(rrule.MONTHLY, byweekday=rrule.weekday(nth[1], nth[0]), **options)


def rules():
    yield "# rule, leap day, anchor, how many until the end of 2050, SHA-256 of their lines, the last"
    chance = Chance(14)
    for _ in range(1000):
        words, unit, every, weekdays, nth = some_rule(chance)
        leap = chance.of(["feb28", "mar1"])
        anchor = dt.datetime(2020, 1, 1) + dt.timedelta(days=chance.below(3653))
        if chance.below(4) == 0:
            anchor = chance.of([dt.datetime(2024, 2, 29), dt.datetime(2023, 1, 31)])
        end = dt.datetime(2050, 12, 31)
        lines = [f"{day:%Y-%m-%d}"
                 for day in some_times(unit, every, weekdays, nth, anchor, leap, end)]
        yield "\t".join([words, leap, f"{anchor:%Y-%m-%d}", str(len(lines)), digest(lines), lines[-1]])


def epoch(moment):
    return int((moment - EPOCH).total_seconds())


def digest(lines):
    return hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()


def repetitions():
    yield "# unit, every, leap day, anchor, zone or -, how many in 100 years, SHA-256 of their lines, the last"
    anchors = ["2024-02-29 09:30:00", "2025-01-31 02:30:00", "2026-03-28 01:30:00",
               "2025-08-30 23:59:59", "1999-12-31 00:00:00"]
    for text in anchors:
        anchor = dt.datetime.fromisoformat(text)
        end = anchor.replace(year=anchor.year + 100, day=min(anchor.day, 28))
        for unit, every in [("day", 1), ("day", 45), ("week", 1), ("week", 2), ("month", 1),
                            ("month", 5), ("year", 1), ("year", 4), ("year", 7)]:
            for leap in ["feb28", "mar1"] if unit == "year" else ["feb28"]:
                days = list(rule(unit, every, anchor, leap, end))
                lines = [f"{day:%Y-%m-%d}" for day in days]
                yield "\t".join([unit, str(every), leap, f"{anchor:%Y-%m-%d}", "-",
                                 str(len(lines)), digest(lines), lines[-1]])
                for name in ZONES:
                    zone = zoneinfo.ZoneInfo(name)
                    # fold=0: a time that is skipped is later by the gap, one shown twice the first.
                    lines = [str(epoch(day.replace(tzinfo=zone))) for day in days]
                    yield "\t".join([unit, str(every), leap, f"{anchor:%Y-%m-%dT%H:%M:%S}", name,
                                     str(len(lines)), digest(lines), lines[-1]])


def days():
    yield "# zone, date, its first second, the first second of the next day"
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        for text in ["2024-02-29", "2026-03-08", "2026-03-29", "2026-04-05", "2026-09-27",
                     "2026-10-25", "2026-11-01", "2100-02-28", "9999-12-30"]:
            day = dt.datetime.fromisoformat(text).replace(tzinfo=zone)
            after = (dt.datetime.fromisoformat(text) + dt.timedelta(days=1)).replace(tzinfo=zone)
            yield "\t".join([name, text, str(epoch(day)), str(epoch(after))])


def files():
    """What each file holds."""
    # The zone files of the tests, so that both sides read the same rules.
    zoneinfo.reset_tzpath([str((HERE / "../time/zoneinfo").resolve())])
    zoneinfo.ZoneInfo.clear_cache()
    return {name: "\n".join(lines()) + "\n"
            for name, lines in (("repetitions.tsv", repetitions), ("rules.tsv", rules),
                                ("days.tsv", days))}


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text)
