#!/usr/bin/env python3
"""Makes repetitions.tsv, rules.tsv, calendar-rules.tsv and days.tsv with Scripts/oracle, which shares no code with capsule.

usage: generate.py [--check]      (from any directory; writes beside itself, or compares)
"""
import datetime as dt
import hashlib
import pathlib
import sys
import zoneinfo

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "Scripts"))
from oracle import dates, repetitions, rules as calendars  # noqa: E402

ZONES = ["Pacific/Auckland", "Europe/London", "Asia/Kathmandu", "America/Los_Angeles"]


def summary(lines):
    """How many lines there are, a digest of them, and the last."""
    digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
    return [str(len(lines)), digest, lines[-1]]


def rules():
    yield "# rule, leap day, anchor, how many until the end of 2050, SHA-256 of their lines, the last"
    chance = repetitions.Chance(14)
    for _ in range(1000):
        words, rule = repetitions.some_rule(chance)
        leap = chance.of(["feb28", "mar1"])
        anchor = dt.datetime(2020, 1, 1) + dt.timedelta(days=chance.below(3653))
        if chance.below(4) == 0:
            anchor = chance.of([dt.datetime(2024, 2, 29), dt.datetime(2023, 1, 31)])
        lines = [f"{day:%Y-%m-%d}" for day in rule.times(anchor, leap, dt.datetime(2050, 12, 31))]
        yield "\t".join([words, leap, f"{anchor:%Y-%m-%d}", *summary(lines)])


def series():
    yield "# unit, every, leap day, anchor, zone or -, how many in 100 years, SHA-256 of their lines, the last"
    for text in ["2024-02-29T09:30:00", "2025-01-31T02:30:00", "2026-03-28T01:30:00", "2025-08-30T23:59:59",
                 "1999-12-31T00:00:00"]:
        anchor = dt.datetime.fromisoformat(text)
        end = anchor.replace(year=anchor.year + 100, day=min(anchor.day, 28))
        for unit, every in [("day", 1), ("day", 45), ("week", 1), ("week", 2), ("month", 1), ("month", 5),
                            ("year", 1), ("year", 4), ("year", 7)]:
            for leap in ["feb28", "mar1"] if unit == "year" else ["feb28"]:
                days = list(repetitions.Rule(unit, every).times(anchor, leap, end))
                named = [unit, str(every), leap]
                yield "\t".join([*named, text[:10], "-", *summary([f"{day:%Y-%m-%d}" for day in days])])
                for name in ZONES:
                    zone = zoneinfo.ZoneInfo(name)
                    yield "\t".join([*named, text, name, *summary([str(dates.instant(day, zone)) for day in days])])


def days():
    yield "# zone, date, its first second, the first second of the next day"
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        for text in ["2024-02-29", "2026-03-08", "2026-03-29", "2026-04-05", "2026-09-27", "2026-10-25", "2026-11-01",
                     "2100-02-28", "9999-12-30"]:
            day = dt.date.fromisoformat(text)
            yield "\t".join([name, text, *(str(dates.midnight(each, zone)) for each in (day, day + dates.DAY))])


def main():
    # The zone files of the tests, so that both sides read the same rules.
    zoneinfo.reset_tzpath([str(HERE.parent / "time/zoneinfo")])
    for name, made in (("repetitions.tsv", series), ("rules.tsv", rules),
                       ("calendar-rules.tsv", lambda: calendars.rows(5545, 60, 500)), ("days.tsv", days)):
        text = "\n".join(made()) + "\n"
        if sys.argv[1:] != ["--check"]:
            (HERE / name).write_text(text)
        elif (HERE / name).read_text() != text:
            sys.exit(f"{name} is not what python-dateutil says")


main()
