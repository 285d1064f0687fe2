#!/usr/bin/env python3
"""Writes spans.tsv: pairs of UTC times, and the calendar span between them, counted from
the second, by python-dateutil.

usage: python3 spans.py > spans.tsv

Each line: now, target, years, months, days, seconds.
"""
import random
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

random.seed(29)
starts = [datetime(2028, 2, 29, 12), datetime(2027, 1, 31), datetime(2026, 12, 31, 23, 59, 59), datetime(2000, 2, 29),
          datetime(2027, 3, 31, 6, 30), datetime(1, 1, 1), datetime(1969, 7, 20, 20, 17, 40)]
for index in range(400):
    start = random.choice(starts) if index % 2 else datetime(random.randrange(1, 9000), 1, 1) + timedelta(
        seconds=random.randrange(366 * 86400))
    longest = random.choice([100, 86400, 40 * 86400, 400 * 86400, 5000 * 86400, 300000 * 86400])
    end = start + timedelta(seconds=random.randrange(longest))
    # Of every other pair the later one is the target, of the rest the earlier one: the largest number of
    # months from the target that does not pass now, then days. That is the definition, not
    # relativedelta's own difference, which differs where the target is clamped.
    now, target = (start, end) if index % 4 < 2 else (end, start)
    sign = -1 if target > now else 1
    months = abs((end.year - start.year) * 12 + end.month - start.month)
    while sign * (now - (target + relativedelta(months=sign * months))) < timedelta(0):
        months -= 1
    rest = sign * (now - (target + relativedelta(months=sign * months)))
    form = lambda at: at.isoformat().rjust(19, "0") + "Z"
    print(form(now), form(target), months // 12, months % 12, rest.days, rest.seconds, sep="\t")
