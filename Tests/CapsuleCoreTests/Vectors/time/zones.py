#!/usr/bin/env python3
"""Prints what Python's zoneinfo says of the zones of a machine, for ZoneMachineTests.

usage: python3 zones.py DIRECTORY STRIDE

Of every STRIDEth zone below DIRECTORY, every transition from 2024 to 2050 and in 2100 and 9990:
  @ zone                    the lines that follow are about this zone
  o INSTANT OFFSET ABBR     what the clocks do at an instant
  l LOCAL INSTANT FIT       the instant of a local time (as seconds), FIT is unique, gap or twice
"""
import os
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)
UTC = timezone.utc


def names(directory):
    found = []
    for base, folders, files in os.walk(directory):
        folders[:] = sorted(f for f in folders if base != directory or f not in ("posix", "right"))
        for file in files:
            path = os.path.join(base, file)
            with open(path, "rb") as handle:
                if handle.read(4) == b"TZif":
                    found.append(os.path.relpath(path, directory))
    return sorted(found)


def view(tz, total):
    at = (EPOCH + timedelta(seconds=total)).replace(tzinfo=UTC).astimezone(tz)
    return int(at.utcoffset().total_seconds()), at.tzname()


def transitions(tz, start, end, step=86400):
    last = view(tz, start)
    for total in range(start + step, end + step, step):
        now = view(tz, total)
        if now != last:
            low, high = total - step, total
            while high - low > 1:
                middle = (low + high) // 2
                if view(tz, middle) == last:
                    low = middle
                else:
                    high = middle
            yield high
            last = now


def local(tz, total):
    naive = EPOCH + timedelta(seconds=total)
    first = int(tz.utcoffset(naive.replace(fold=0)).total_seconds())
    second = int(tz.utcoffset(naive.replace(fold=1)).total_seconds())
    fit = "gap" if first < second else "twice" if first > second else "unique"
    print("l", total, total - first, fit)


def year(number):
    return (datetime(number, 1, 1) - EPOCH) // timedelta(seconds=1)


directory, stride = sys.argv[1], int(sys.argv[2])
for name in names(directory)[::stride]:
    with open(os.path.join(directory, name), "rb") as file:
        tz = ZoneInfo.from_file(file, key=name)
    print("@", name)
    for start, end in [(2024, 2051), (2100, 2101), (9990, 9991)]:
        print("o", year(start), *view(tz, year(start)))
        local(tz, year(start) + 43200)
        for at in transitions(tz, year(start), year(end)):
            before, after = view(tz, at - 1)[0], view(tz, at)[0]
            for total in (at - 1, at):
                print("o", total, *view(tz, total))
            low, high = at + min(before, after), at + max(before, after)
            for total in sorted({low - 1, low, (low + high) // 2, high - 1, high}):
                local(tz, total)
