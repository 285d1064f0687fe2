#!/usr/bin/env python3
"""Prints the digest that CivilDateTests compares: every day of the years 1 to 9999 by datetime.

usage: python3 calendar_digest.py

FNV-1a (64 bits) over year, month, day, weekday, ISO year, ISO week and day of the year of each day,
one step a number.
"""
from datetime import date, timedelta

digest = 0xCBF29CE484222325
day = date(1, 1, 1)
while True:
    iso = day.isocalendar()
    for number in (day.year, day.month, day.day, iso[2], iso[0], iso[1], day.timetuple().tm_yday):
        digest = ((digest ^ number) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    if day == date.max:
        break
    if day.month == 1 and day.day == 1 and day.year == 2051:
        print("through 2050-12-31 and 2051-01-01: 0x%016x" % digest)
    day += timedelta(days=1)
print("all: 0x%016x" % digest)
