#!/usr/bin/env python3
"""Makes repetitions.tsv and days.tsv with python-dateutil and zoneinfo, which share no code with
capsule. usage: generate.py      (from any directory; writes beside itself)"""
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
            for name, lines in (("repetitions.tsv", repetitions), ("days.tsv", days))}


if __name__ == "__main__":
    for name, text in files().items():
        (HERE / name).write_text(text)
