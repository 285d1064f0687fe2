"""Rules of RFC 5545 as python-dateutil has them: `some_rules` makes random ones, `occurrences` lists them on the clocks
of a zone, and `rows` writes both for the tests.

python-dateutil differs from RFC 5545 and from capsule here, and what is asked of it is changed for it:

- The first time (§3.8.5.3) occurs and counts even where the rule does not name it; dateutil leaves it out. It is added.
- §3.3.10, "Information, not contained in the rule": the weekday of a YEARLY rule with BYWEEKNO alone is that of the
  first time. dateutil has all seven days of the week. The weekday is named.
- §3.3.10, BYDAY: `MO,1FR` is each Monday, and the first Friday. dateutil has what is both. Each `MO` is said as `1MO` to
  `53MO`.
- §3.3.10, BYSETPOS: the set of a period begins with the period, that of a week with WKST. dateutil begins the first week's
  with the first time. It is given the week's first day, and what is before the first time is left out.
- §3.3.10, BYWEEKNO: dateutil misses days of January that are in the last week of the year before (1 January 2039 is in
  week 52), and of days of December in week 1 of the next year the number from the end, -52 or -53. Of the numbers
  only 1 to 51 are made; the tests have dates of the others.
- A rule of steps that never meets its BYHOUR, BYMINUTE or BYSECOND is an error of dateutil's; here it has no times but
  the first.
- RFC 7529 §4.1, SKIP=BACKWARD: dateutil has no such part. A day of months is said as the last of 28 to that day, and 29
  February as the last of 28 and 29 February.
- §3.3.5: dateutil has local times alone. A time that clocks skip is as far behind the gap as it was in it, and of one
  that they show twice the first is meant. Both are counted (§3.3.10 says so of the first). Of two times at one
  instant there is that which the clocks show.
"""
import datetime as dt
import hashlib
import itertools
import zoneinfo

from dateutil import rrule

from . import dates
from .repetitions import Chance

FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
DAY = dt.timedelta(days=1)
# Those of the tests' files.
ZONES = ["Africa/Casablanca", "America/Los_Angeles", "America/New_York", "America/Nuuk", "America/Santiago",
         "America/Sao_Paulo", "Antarctica/Troll", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Tokyo",
         "Australia/Lord_Howe", "Etc/UTC", "Europe/Dublin", "Europe/London", "Europe/Paris", "Pacific/Apia",
         "Pacific/Auckland"]


def times(text, anchor, end):
    """The local times that a rule names, from the first on until an end."""
    parts = dict(part.split("=") for part in text.split(";"))
    numbers = {name: [int(each) for each in parts[name].split(",")] for name in parts if name.startswith("BY")
               and name != "BYDAY"}
    frequency, wkst = parts["FREQ"], DAYS.index(parts.get("WKST", "MO"))
    by = {name.lower(): numbers[name] for name in numbers if name != "BYDAY"}
    days = [(int(day[:-2] or 0), DAYS.index(day[-2:])) for day in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    start = anchor
    if any(number for number, _ in days):
        most = 53 if frequency == "YEARLY" and "BYMONTH" not in numbers else 5
        days = [(each, day) for number, day in days for each in ([number] if number else range(1, most + 1))]
    if days:
        by["byweekday"] = [rrule.weekday(day, number or None) for number, day in days]
    if frequency == "YEARLY" and "BYWEEKNO" in numbers and not {"BYDAY", "BYMONTHDAY", "BYYEARDAY"} & set(parts):
        by["byweekday"] = [anchor.weekday()]
    if frequency == "WEEKLY" and "BYSETPOS" in numbers:
        by.setdefault("byweekday", [anchor.weekday()])
        start = anchor - (anchor.weekday() - wkst) % 7 * DAY
    if parts.get("SKIP") == "BACKWARD":
        clamp(by, frequency, anchor)
    try:
        rule = rrule.rrule(getattr(rrule, frequency), dtstart=start, interval=int(parts.get("INTERVAL", 1)), wkst=wkst,
                           until=end, **by)
        yield from (time for time in rule if time >= anchor)
    except ValueError as error:
        if "generates an empty set" not in str(error) and "Invalid combination of interval" not in str(error):
            raise


def clamp(by, frequency, anchor):
    if frequency == "MONTHLY" and set(by) <= {"bymonthday"}:
        day, = by.get("bymonthday", [anchor.day])
        if day > 28:
            by.update(bymonthday=range(28, day + 1), bysetpos=-1)
    elif frequency == "YEARLY" and not by:
        if (anchor.month, anchor.day) == (2, 29):
            by.update(bymonth=2, bymonthday=(28, 29), bysetpos=-1)
    else:
        raise ValueError("SKIP beside other parts")


def instant(time, zone):
    """The first instant of a local time. Where the table of a zone's file meets its rule for later years, as in Nuuk on 28
    October 2023, zoneinfo sees clocks go back that did not: then the second is the only one."""
    first = dates.instant(time, zone)
    second = dates.seconds(time) - dates.offset(time, zone, 1)
    return second if dates.civil(first, zone) != time == dates.civil(second, zone) else first


def occurrences(text, anchor, zone, count, end):
    """Each local time until an end with its instant, at most so many; zone is a name, or `None` for whole days."""
    named = times(text, anchor, end)
    first = next(named, None)
    named = itertools.chain([anchor], [] if first in (None, anchor) else [first], named)
    if zone is None:
        yield from itertools.islice(((time, dates.instant(time, zoneinfo.ZoneInfo("Etc/UTC"))) for time in named), count)
        return
    info, held, found = zoneinfo.ZoneInfo(zone), [], 0
    for time in itertools.chain(named, [None]):
        at = time and instant(time, info)
        if time and dates.civil(at, info) != time:
            held.append((at, time))
            continue
        due = [each for each in held if time is None or each[0] < at]
        held = [] if time is None else [each for each in held if each[0] > at]
        for one, other in sorted(due) + ([(at, time)] if time else []):
            yield other, one
            found += 1
            if found == count:
                return


def some_list(chance, low, high, most, signed=False):
    numbers = {low + chance.below(high - low + 1) for _ in range(1 + chance.below(most))}
    return sorted((-number if signed and number and chance.below(4) == 0 else number for number in numbers),
                  key=lambda number: (number < 0, abs(number)))


def some_rule(chance):
    """The text of a rule with an interval and some parts, with which it may never occur; and its first time."""
    frequency = chance.of(["YEARLY"] * 5 + ["MONTHLY"] * 5 + ["WEEKLY"] * 4 + ["DAILY"] * 3 + ["HOURLY"] * 2 + FREQUENCIES[5:])
    place = FREQUENCIES.index(frequency)
    parts = {"FREQ": frequency}
    interval = chance.of([1, 1, 1, 1 + chance.below(4), 1 + chance.below(30)])
    if place > 4:
        interval = chance.of([15, 17, 45, 90, 1440, 3600] if place == 5 else [901, 5400, 86400, 99999])
    if interval > 1:
        parts["INTERVAL"] = interval

    def add(chances, name, *limits, **options):
        if chance.below(100) < chances:
            parts[name] = ",".join(str(number) for number in some_list(chance, *limits, **options))

    add(35 if place < 2 else 15, "BYMONTH", 1, 12, 3)
    if place == 0:
        add(15, "BYWEEKNO", 1, 51, 3)
        add(15, "BYYEARDAY", 1, 366, 6, signed=True)
    if place != 2:
        add(25 if place < 2 else 8, "BYMONTHDAY", 1, 31, 5, signed=True)
    if chance.below(100) < (40 if place < 4 else 15):
        days = sorted({chance.below(7) for _ in range(1 + chance.below(4))})
        numbered = place < 2 and "BYWEEKNO" not in parts and chance.below(2)
        most = 53 if place == 0 and "BYMONTH" not in parts else 5
        parts["BYDAY"] = ",".join((str(chance.of([0, 1, 2, 1 + chance.below(most), -1, -1 - chance.below(most)]) or "")
                                   if numbered else "") + DAYS[day] for day in days)
    add(15 if place < 4 else 20, "BYHOUR", 0, 23, 4)
    add(12 if place < 4 else 5, "BYMINUTE", 0, 59, 3)
    add(6 if place < 5 else 3, "BYSECOND", 0, 59, 2)
    if any(name.startswith("BY") for name in parts) and chance.below(100) < 20:
        # dateutil would look for ever for a place that no set has.
        most = chance.of([2, 4, 30]) if place < 3 else per_period(parts)
        parts["BYSETPOS"] = ",".join(str(number) for number in some_list(chance, 1, most, 3, signed=True))
    elif place < 2 and len(parts) == 1 and chance.below(2):
        parts = {"RSCALE": "GREGORIAN", **parts, "SKIP": "BACKWARD"}
    if chance.below(4) == 0:
        parts["WKST"] = chance.of(DAYS[1:])
    if "SKIP" in parts:
        parts["SKIP"] = parts.pop("SKIP")
    return ";".join(f"{name}={value}" for name, value in parts.items())


def per_period(parts):
    """The most times a day, or where a rule has steps on clocks, a step."""
    place, count = FREQUENCIES.index(parts["FREQ"]), 1
    for name, shorter in (("BYHOUR", 4), ("BYMINUTE", 5), ("BYSECOND", 6)):
        if place < shorter and name in parts:
            count *= len(parts[name].split(","))
    return count


def some_rules(chance, count):
    """Rules with a first time, and a zone or `None`."""
    while count:
        text = some_rule(chance)
        anchor = dt.datetime(2015, 1, 1) + dt.timedelta(days=chance.below(3653))
        if chance.below(5) == 0 or "SKIP" in text:
            anchor = chance.of([dt.datetime(2024, 2, 29), dt.datetime(2023, 1, 31), dt.datetime(2020, 12, 31)])
        zone = chance.of(ZONES + [None] * 3)
        steps = text.split("FREQ=")[1].startswith(("HOURLY", "MINUTELY", "SECONDLY"))
        if zone is None and (steps or any(name in text for name in ("BYHOUR", "BYMINUTE", "BYSECOND"))):
            continue
        if zone:
            anchor += dt.timedelta(seconds=chance.of([0, 1800, 9000, 9000, 32400, 61200, 86399]))
        most = per_period(dict(part.split("=") for part in text.split(";")))
        if most * ({"H": 24, "M": 96, "S": 96}[text[5]] if steps else 1) > 96:
            continue
        count -= 1
        yield text, anchor, zone


def rows(seed, count, most):
    """Random rules, each with its first time, zone, an end and what occurs until then, as the tests of capsule read it."""
    yield "# rule, first, zone or -, end, how many until then (at most {}), SHA-256 of their lines, the last".format(most)
    for text, anchor, zone in some_rules(Chance(seed), count):
        end = anchor.replace(year=anchor.year + 50, day=min(anchor.day, 28))
        lines = [f"{time:%Y-%m-%dT%H:%M:%S} {at}" for time, at in occurrences(text, anchor, zone, most, end)]
        digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
        yield "\t".join([text, anchor.isoformat(), zone or "-", end.isoformat(), str(len(lines)), digest, lines[-1]])
