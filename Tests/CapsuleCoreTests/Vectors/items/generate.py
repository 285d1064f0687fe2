#!/usr/bin/env python3
"""Makes reminders.tsv with python-dateutil's relativedelta and zoneinfo, which share no code with
capsule. usage: generate.py      (from any directory; writes beside itself)

A line a case: unit, every, zone, when the rule was made, the last entry, the first time of a fixed
rule, the time of day, now; then when it is due, and the last occurrence until now that nothing was
done after. Instants are seconds since the epoch, `-` is nothing.
"""
import datetime as dt
import pathlib
import random
import zoneinfo

from dateutil.relativedelta import relativedelta

HERE = pathlib.Path(__file__).parent
# The zone files of the tests, so that both sides read the same rules.
zoneinfo.reset_tzpath([str((HERE / "../time/zoneinfo").resolve())])
ZONES = ["UTC", "Pacific/Auckland", "Europe/London", "Asia/Kathmandu", "America/Los_Angeles"]
UTC = dt.timezone.utc
RANDOM = random.Random(7)
CASES = 1000
# Local times at which units go wrong: ends of months, the leap day, changes of the clock.
TRAPS = ["2024-01-31T10:00:00", "2024-02-29T09:30:00", "2023-02-28T00:00:00", "2025-12-31T23:59:59",
         "2026-03-29T01:30:00", "2025-03-30T02:30:00", "2026-03-08T02:30:00", "2026-10-25T01:30:00",
         "2025-11-02T01:30:00", "2026-09-27T02:30:00", "2026-04-05T02:30:00", "2024-08-31T18:00:00"]


def epoch(moment):
    return int(moment.timestamp())


def localized(local, zone):
    """fold=0: a time that is skipped is later by the gap, of one shown twice it is the first."""
    return epoch(local.replace(tzinfo=zone, fold=0))


class Rule:
    def __init__(self, unit, every, zone, anchor, time, fixed):
        self.unit, self.every, self.zone, self.time = unit, every, zone, time
        self.anchor, self.first = anchor, 0 if fixed else 1
        self.local = dt.datetime.fromtimestamp(anchor, zone).replace(tzinfo=None, fold=0)

    def occurrence(self, number):
        steps = number * self.every
        if self.unit in ("minute", "hour"):
            return self.anchor + steps * (60 if self.unit == "minute" else 3600)
        local = self.local + relativedelta(**{self.unit + "s": steps})
        if self.time:
            local = local.replace(hour=self.time[0], minute=self.time[1], second=0)
        return localized(local, self.zone)


def case():
    unit = RANDOM.choice(["minute", "hour", "day", "week", "month", "year"])
    every = RANDOM.choice([1, 1, 2, 3, 5, RANDOM.randrange(1, 60)])
    name = RANDOM.choice(ZONES)
    zone = zoneinfo.ZoneInfo(name)

    def moment():
        if RANDOM.random() < 0.4:
            return localized(dt.datetime.fromisoformat(RANDOM.choice(TRAPS)), zone)
        return RANDOM.randrange(1_600_000_000, 1_900_000_000)
    since = moment()
    time = None
    if unit not in ("minute", "hour") and RANDOM.random() < 0.5:
        time = RANDOM.choice([(9, 0), (0, 0), (23, 59), (2, 30), (1, 30), (18, 5)])
    fixed = moment() if RANDOM.random() < 0.35 else None
    anchor = fixed if fixed is not None else since
    rule = Rule(unit, every, zone, anchor, time, fixed is not None)
    last = None
    if RANDOM.random() < 0.7:
        if fixed is None:
            last = moment()
            rule = Rule(unit, every, zone, last, time, False)
        else:
            last = rule.occurrence(RANDOM.randrange(0, 40)) + RANDOM.choice([-3600, -1, 0, 1, 86400])
    step = rule.occurrence(2) - rule.occurrence(1)
    base = max(rule.anchor, last if last is not None else since)
    now = base + RANDOM.choice([0, 1, step - 1, step, step + 1, RANDOM.randrange(40 * step)])
    # What counts, one by one.
    after = (last if last is not None else since - 1) if fixed is not None else None
    due, latest, number = None, None, rule.first
    while True:
        time_ = rule.occurrence(number)
        number += 1
        if after is not None and time_ <= after:
            continue
        if due is None:
            due = time_
        if time_ > now:
            break
        latest = time_
    told = [unit, every, name, since, last, fixed, time and f"{time[0]:02}:{time[1]:02}", now, due,
            latest]
    return "\t".join("-" if value is None else str(value) for value in told)


lines = ["# unit, every, zone, since, last, from, time, now: due, latest; by generate.py"]
while len(lines) <= CASES:
    try:
        lines.append(case())
    except (OverflowError, ValueError):  # past what datetime can tell
        continue
(HERE / "reminders.tsv").write_text("\n".join(lines) + "\n")
