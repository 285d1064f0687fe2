#!/usr/bin/env python3
"""Writes golden.tsv: date expressions and what they mean.

usage: python3 generate.py > golden.tsv     (needs python-dateutil)

The expected values come from datetime, zoneinfo and dateutil on the zone files beside this script;
where an expression is an error, the kind is written down by hand. Nothing of capsule is used.

Lines: `= now zone preference default-time` sets the scene; then an expression, a tab, and
  2036-06-15T07:00:00Z [date] [gap] [twice]      what it means, or
  !kind[: reading | reading]                     why it means nothing
"""
import calendar
import os
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = datetime(1970, 1, 1)
out = []
scene = None


def zone(name):
    if name == "UTC":
        return timezone.utc
    with open(os.path.join(HERE, "zoneinfo", name), "rb") as file:
        return ZoneInfo.from_file(file, key=name)


def begin(now, name, prefer="future", time="00:00"):
    global scene
    at = datetime.strptime(now, "%Y-%m-%dT%H:%M:%SZ")
    scene = (at, zone(name), prefer, time)
    out.append("= %s %s %s %s" % (now, name, prefer, time))


def seconds(naive):
    return (naive - EPOCH) // timedelta(seconds=1)


def text(total):
    return (EPOCH + timedelta(seconds=total)).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def offset(naive, tz, fold=0):
    return tz.utcoffset(naive.replace(tzinfo=tz, fold=fold)) // timedelta(seconds=1)


def resolve(naive, tz):
    """Seconds and flags: PEP 495 with fold 0 is the first of two, and moves a gap forward."""
    first, second = offset(naive, tz), offset(naive, tz, 1)
    total = seconds(naive) - first
    flags = []
    if first < second:
        flags = ["gap"]
    elif first > second:
        flags = ["twice"]
    return total, flags


def local_now():
    at, tz, _, _ = scene
    return at.replace(tzinfo=timezone.utc).astimezone(tz).replace(tzinfo=None, fold=0)


def ok(expression, total, *flags):
    out.append("%s\t%s" % (expression, " ".join([text(total)] + list(flags))))


def bad(expression, kind, *readings):
    out.append("%s\t!%s%s" % (expression, kind, ": " + " | ".join(readings) if readings else ""))


def wall(expression, y, mo, d, h=0, mi=0, s=0, tz=None, extra=()):
    total, flags = resolve(datetime(y, mo, d, h, mi, s), tz or scene[1])
    ok(expression, total, *list(extra) + flags)


def day(expression, y, mo, d, tz=None):
    """A date alone, at the default time of day (always midnight where the past is meant)."""
    h, mi = map(int, scene[3].split(":")) if scene[2] == "future" else (0, 0)
    wall(expression, y, mo, d, h, mi, tz=tz, extra=["date"])


def on(expression, when, h=None, mi=0, s=0):
    if h is None:
        day(expression, when.year, when.month, when.day)
    else:
        wall(expression, when.year, when.month, when.day, h, mi, s)


def rel(expression, sign=1, y=0, mo=0, w=0, d=0, h=0, mi=0, s=0):
    at, tz, _, _ = scene
    exact = sign * (h * 3600 + mi * 60 + s)
    if not (y or mo or w or d):
        ok(expression, seconds(at) + exact)
        return
    try:
        moved = local_now() + relativedelta(months=sign * (12 * y + mo))
        moved += timedelta(days=sign * (7 * w + d))
    except (ValueError, OverflowError):
        bad(expression, "yearOutOfRange")
        return
    total, flags = resolve(moved, tz)
    ok(expression, total + exact, *flags)


# ------------------------------------------------------------------ instants
begin("2026-03-10T12:00:00Z", "Europe/Paris")
for n in [0, 1, 86400, 2097126000, 2147483647, 2147483648, 4294967296, 253402300799]:
    ok("@%d" % n, n)
ok("@-1", -1)
ok("@-62135596800", -62135596800)
bad("@-62135596801", "yearOutOfRange")
bad("@253402300800", "yearOutOfRange")
bad("@99999999999999999999", "yearOutOfRange")
bad("@", "incomplete")
bad("@ 5", "unexpected")
bad("@1.5", "fraction")
bad("@12x", "unexpected")
bad("@x", "unexpected")
for y, mo, d, h, mi, s in [
    (2036, 6, 15, 7, 0, 0), (2038, 1, 19, 3, 14, 7), (2038, 1, 19, 3, 14, 8), (2100, 2, 28, 23, 59, 59),
    (2100, 3, 1, 0, 0, 0), (9999, 12, 31, 23, 59, 59), (1, 1, 1, 0, 0, 0), (1970, 1, 1, 0, 0, 0),
    (2000, 2, 29, 12, 0, 0), (1582, 10, 10, 0, 0, 0), (1900, 2, 28, 0, 0, 0),
]:
    t = "%04d-%02d-%02dT%02d:%02d:%02dZ" % (y, mo, d, h, mi, s)
    ok(t, seconds(datetime(y, mo, d, h, mi, s)))
ok("2036-06-15t07:00:00z", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00Z", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15 07:00:00Z", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00.000Z", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00.001Z", seconds(datetime(2036, 6, 15, 7, 0, 1)))
ok("2036-06-15T06:59:59.999999999Z", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00+02", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T01:30:00-05:30", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00-00:00", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00+00:00", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T12:45:00+05:45", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00[Europe/Paris]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00Z[Europe/Paris]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00Z[Asia/Tokyo]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T07:00:00-00:00[Asia/Tokyo]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00[!Europe/Paris]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00[Europe/Paris][u-ca=gregory]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00[u-ca=iso8601]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00[Europe/Paris]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00[+02:00]", seconds(datetime(2036, 6, 15, 7)))
ok("2036-06-15T09:00:00+02:00[+02:00]", seconds(datetime(2036, 6, 15, 7)))
# The second of the two 02:30 of 2026-10-25 in Paris, told apart by its offset.
ok("2026-10-25T02:30:00+02:00[Europe/Paris]", seconds(datetime(2026, 10, 25, 0, 30)))
ok("2026-10-25T02:30:00+01:00[Europe/Paris]", seconds(datetime(2026, 10, 25, 1, 30)))
bad("2036-06-15T09:00:00+01:00[Europe/Paris]", "offsetMismatch")
bad("2036-06-15T07:00:00+00:00[Europe/Paris]", "offsetMismatch")
bad("2036-06-15T09:00:00+02:00[Europe/Nowhere]", "unknownZone")
bad("2036-06-15T09:00:00+02:00[Europe/Paris", "incomplete")
bad("2036-06-15T09:00:00+02:00[u-ca=hebrew]", "unexpected")
bad("2036-06-15T09:00:00+02:00[x-foo=bar]", "unexpected")
bad("2036-06-15T09:00:00+02:00[Europe/Paris][Asia/Tokyo]", "unexpected")
bad("2036-06-15T09:00:00+02:00[]", "unexpected")
bad("2036-06-15 09:00 [Europe/Paris]", "unexpected")
bad("2036-06-15[Europe/Paris]", "unexpected")
bad("2036-06-15 09:00 Europe/Paris[Europe/Paris]", "unexpected")
bad("2036-06-15T24:00:00Z", "noSuchTime")
bad("2036-06-15T07:00:60Z", "leapSecond")
bad("2016-12-31T23:59:60Z", "leapSecond")
bad("2036-06-15T07:60:00Z", "noSuchTime")
bad("2036-06-15T07:00:61Z", "noSuchTime")
bad("2036-06-15T25:00:00Z", "noSuchTime")
bad("2036-06-15T07:00:00.Z", "unexpected")
ok("2036-06-15T07:00:00+0200", seconds(datetime(2036, 6, 15, 5)))
ok("20360615T070000Z", seconds(datetime(2036, 6, 15, 7)))
ok("20360615T0700Z", seconds(datetime(2036, 6, 15, 7)))
ok("20360615T070000-0530", seconds(datetime(2036, 6, 15, 12, 30)))
ok("2036-06-15T07:00:00,5Z", seconds(datetime(2036, 6, 15, 7, 0, 1)))
bad("20360615T076000Z", "noSuchTime")
bad("20360615T07000Z", "unexpected")
bad("2036-06-15T07:00:00+2400", "badOffset")
bad("2036-06-15T07:00:00+0260", "badOffset")
bad("2036-06-15T07:00:00+020", "badOffset")
bad("2036-06-15T07:00:00+2", "badOffset")
bad("2036-06-15T07:00:00+24:00", "badOffset")
bad("2036-06-15T07:00:00+02:60", "badOffset")
bad("2036-06-15T07:00:00+02:00:00", "badOffset")
bad("2036-06-15T07:00:00ZZ", "unknownZone")
bad("2036-06-15T07:00:00Z foo", "unexpected")
bad("2036-06-15T07:00:00Z+02:00", "unexpected")
bad("2036-06-15T", "incomplete")
bad("2036-06-15Tx", "unexpected")
bad("2036-06-15T07", "unexpected")
bad("2036-06-15T07:", "incomplete")
bad("2036-06-15T07:0", "noSuchTime")
bad("2036-06-15T07:00:0", "noSuchTime")
bad("0000-01-01T00:00:00Z", "yearOutOfRange")
bad("10000-01-01T00:00:00Z", "yearOutOfRange")
bad("9999-12-31T23:59:59-00:01", "yearOutOfRange")
bad("0001-01-01T00:00:00+00:01", "yearOutOfRange")
bad("9999-12-31T23:59:59.5Z", "yearOutOfRange")

# ------------------------------------------------------------------ dates
day("2030", 2030, 1, 1)  # GNU date: 20:30 today
day("1999", 1999, 1, 1)
day("2036-06", 2036, 6, 1)
day("2036-06-15", 2036, 6, 15)
day(" 2036-06-15 ", 2036, 6, 15)
day("20360615", 2036, 6, 15)
wall("20360615, 9am", 2036, 6, 15, 9)
day("2036-167", 2036, 6, 15)  # a leap year: 31+29+31+30+31+15
day("2037-166", 2037, 6, 15)
day("2036-001", 2036, 1, 1)
day("2036-366", 2036, 12, 31)
bad("2037-366", "noSuchDayOfYear")
bad("2036-367", "noSuchDayOfYear")
bad("2036-000", "noSuchDayOfYear")
for y, w, d in [(2026, 1, 1), (2026, 53, 7), (2024, 1, 1), (2020, 53, 5), (2036, 24, 7), (2032, 53, 1)]:
    iso = date.fromisocalendar(y, w, d)
    day("%d-W%02d-%d" % (y, w, d), iso.year, iso.month, iso.day)
iso = date.fromisocalendar(2036, 24, 1)
day("2036-W24", iso.year, iso.month, iso.day)
day("2036-w24", iso.year, iso.month, iso.day)
bad("2025-W53", "noSuchWeek")
bad("2036-W00", "noSuchWeek")
bad("2036-W54-1", "noSuchWeek")
bad("2036-W24-0", "noSuchWeekday")
bad("2036-W24-8", "noSuchWeekday")
bad("2036-W2", "unexpected")
bad("2036-W", "incomplete")
bad("2036-W241", "unexpected")
bad("9999-W52-6", "yearOutOfRange")
for e in ["15 June 2036", "15 jun 2036", "15 JUNE 2036", "15june2036", "June 15, 2036", "June 15 2036",
          "jun 15,2036", "june  15,  2036", "Sunday 15 June 2036",
          "Sun 15 Jun 2036", "sun, 15 jun 2036", "sunday 2036-06-15", "Sun, June 15, 2036"]:
    day(e, 2036, 6, 15)
day("1 may 2036", 2036, 5, 1)
day("May 1, 2036", 2036, 5, 1)
day("01 January 0999", 999, 1, 1)
day("30 sept 2031", 2031, 9, 30)
day("June 2036", 2036, 6, 1)
day("dec 2036", 2036, 12, 1)
day("29 feb 2028", 2028, 2, 29)
day("2028-02-29", 2028, 2, 29)
day("2000-02-29", 2000, 2, 29)
day("2400-02-29", 2400, 2, 29)
bad("2100-02-29", "noSuchDay")
bad("2027-02-29", "noSuchDay")
bad("1900-02-29", "noSuchDay")
bad("2026-02-30", "noSuchDay")
bad("30 February 2026", "noSuchDay")
bad("31 april 2026", "noSuchDay")
bad("June 31, 2026", "noSuchDay")
bad("2026-00-10", "noSuchMonth")
bad("2026-13-10", "noSuchMonth")
bad("2026-13", "noSuchMonth")
bad("2026-01-00", "noSuchDay")
bad("2026-01-32", "noSuchDay")
bad("20361315", "noSuchMonth")
bad("20360631", "noSuchDay")
bad("0 June 2036", "noSuchDay")
bad("0000", "yearOutOfRange")
bad("0000-06-15", "yearOutOfRange")
bad("10000", "yearOutOfRange")
bad("10000-01-01", "yearOutOfRange")
bad("12345-01", "yearOutOfRange")
bad("15 June 10000", "yearOutOfRange")
bad("June 10000", "yearOutOfRange")
day("9999", 9999, 1, 1)
day("9999-12-31", 9999, 12, 31)
day("0002-01-01", 2, 1, 1)
day("2038-01-19", 2038, 1, 19)
day("2100-03-01", 2100, 3, 1)
bad("0001-01-01", "yearOutOfRange")  # Paris is ahead of UTC, so its instant is in the year 0
bad("36-06-15", "ambiguous", "2036-06-15", "1936-06-15")
bad("mon 15 jun 2036", "wrongWeekday")  # GNU date ignores it
bad("monday 2036-06-15", "wrongWeekday")
bad("Fri, June 15, 2036", "wrongWeekday")
bad("mon,", "incomplete")
on("mon, 09:00", date(2026, 3, 16), 9)
day("2036-6-5", 2036, 6, 5)
day("2036-06-5", 2036, 6, 5)
bad("2036-6", "unexpected")
bad("2036-", "incomplete")
bad("2036-06-", "unexpected")
bad("2036-06-15-", "unexpected")
bad("2036-06-15-05", "unexpected")
bad("2036-06-155", "unexpected")
bad("2036-0615", "unexpected")
bad("203606", "yearOutOfRange")
bad("2036061", "yearOutOfRange")
bad("203606155", "missingUnit")
bad("2030 May", "unexpected")
day("15 June", 2026, 6, 15)
wall("5 June 09:00", 2026, 6, 5, 9)
day("June 5", 2026, 6, 5)
day("June 15", 2026, 6, 15)
day("10 march", 2027, 3, 10)  # today is not to come
wall("10 march 23:00", 2027, 3, 10, 23)
day("11 march", 2026, 3, 11)
day("9 march", 2027, 3, 9)
day("29 february", 2028, 2, 29)
bad("30 february", "noSuchDay")
bad("june 31", "noSuchDay")
bad("june 36", "noSuchDay")
bad("june 0", "noSuchDay")
bad("june 150", "unexpected")
bad("june 15 9", "unexpected")
bad("june 15 999", "unexpected")
bad("June 15 36", "ambiguous", "June 15 2036", "June 15 1936")
bad("15 June 36", "ambiguous", "15 June 2036", "15 June 1936")
bad("15 jun 99", "ambiguous", "15 jun 2099", "15 jun 1999")
day("06/15/2036", 2036, 6, 15)
day("15/06/2036", 2036, 6, 15)
day("15.06.2036", 2036, 6, 15)
day("15-06-2036", 2036, 6, 15)
day("15.6.2036", 2036, 6, 15)
day("03/03/2044", 2044, 3, 3)
day("2036/06/05", 2036, 6, 5)
day("2036/06/15", 2036, 6, 15)
day("2036.06.15", 2036, 6, 15)
day("2036/6/5", 2036, 6, 5)
wall("25.12.2044 18:00", 2044, 12, 25, 18)
wall("25/12/2044 at 6pm", 2044, 12, 25, 18)
bad("05/06/2036", "ambiguous", "2036-06-05", "2036-05-06")
bad("5/6/2036", "ambiguous", "2036-06-05", "2036-05-06")
bad("05.06.2036", "ambiguous", "2036-06-05", "2036-05-06")
bad("05-06-2036", "ambiguous", "2036-06-05", "2036-05-06")
bad("5/6", "ambiguous", "2026-05-06", "2026-06-05")
bad("25/12", "missingYear")
bad("25.12", "missingYear")
bad("12-25", "missingYear")
bad("25/12/44", "ambiguous", "2044-12-25", "1944-12-25")
bad("31/06/2044", "noSuchDay")
bad("2044/13/01", "noSuchMonth")
bad("2044/02/30", "noSuchDay")
bad("13/13/2036", "unexpected")
bad("1/2/3/4", "unexpected")
bad("5/6/2036 09:00", "ambiguous", "2036-06-05 09:00", "2036-05-06 09:00")
for e in ["15-Jun-2036", "15/jun/2036", "15.Jun.2036", "2036-Jun-15", "15th June 2036", "June 15th, 2036",
          "15th of June 2036", "Jun. 15 2036", "jun. 15th 2036", "the 15th of june 2036", "on 15 june 2036",
          "Sun., 15 Jun. 2036"]:
    day(e, 2036, 6, 15)
day("15th of June", 2026, 6, 15)
day("Jun. 15", 2026, 6, 15)
day("june 3rd", 2026, 6, 3)
day("2nd june", 2026, 6, 2)
day("the 1st of june", 2026, 6, 1)
bad("15st june 2036", "unknownUnit")
bad("june 2st", "unexpected")
bad("15-jun-36", "ambiguous", "15-jun-2036", "15-jun-1936")
bad("15th", "incomplete")
bad("2036-06-15 tomorow", "unexpected")

# ------------------------------------------------------------------ date, time, zone
P = lambda n: zone(n)
wall("2036-06-15 09:00", 2036, 6, 15, 9)
wall("2036-06-15T09:00", 2036, 6, 15, 9)
wall("2036-06-15t09:00:30", 2036, 6, 15, 9, 0, 30)
wall("2036-06-15   9:00", 2036, 6, 15, 9)
wall("2036-06-15 9am", 2036, 6, 15, 9)
wall("2036-06-15 9 am", 2036, 6, 15, 9)
wall("2036-06-15 at 9pm", 2036, 6, 15, 21)
wall("2036-06-15 9:30pm", 2036, 6, 15, 21, 30)
wall("2036-06-15 12am", 2036, 6, 15, 0)
wall("2036-06-15 12:15am", 2036, 6, 15, 0, 15)
wall("2036-06-15 12pm", 2036, 6, 15, 12)
wall("2036-06-15 noon", 2036, 6, 15, 12)
wall("2036-06-15 midnight", 2036, 6, 15)
wall("20360615T09:00", 2036, 6, 15, 9)
wall("2036T09:00", 2036, 1, 1, 9)
wall("2036 09:00", 2036, 1, 1, 9)
wall("2036-06 09:00", 2036, 6, 1, 9)
wall("2036-167 09:00", 2036, 6, 15, 9)
wall("15 June 2036 09:00", 2036, 6, 15, 9)
wall("June 15, 2036 9am", 2036, 6, 15, 9)
wall("June 2036 09:00", 2036, 6, 1, 9)
wall("Sun 15 Jun 2036 09:00", 2036, 6, 15, 9)
for suffix, name in [("Z", "UTC"), (" Z", "UTC"), (" utc", "UTC"), (" UTC", "UTC"),
                     (" Asia/Tokyo", "Asia/Tokyo"), (" asia/tokyo", "Asia/Tokyo"),
                     (" ASIA/TOKYO", "Asia/Tokyo"), (" America/New_York", "America/New_York"),
                     (" america/new_york", "America/New_York"), (" Asia/Kathmandu", "Asia/Kathmandu"),
                     (" Australia/Lord_Howe", "Australia/Lord_Howe"), (" Pacific/Auckland", "Pacific/Auckland")]:
    wall("2036-06-15 09:00" + suffix, 2036, 6, 15, 9, tz=P(name))
    wall("15 jun 2036 9:00" + suffix, 2036, 6, 15, 9, tz=P(name))
wall("2036-06-15 09:00 +02:00", 2036, 6, 15, 9, tz=timezone(timedelta(hours=2)))
wall("2036-06-15 09:00 -09:30", 2036, 6, 15, 9, tz=timezone(-timedelta(hours=9, minutes=30)))
wall("2036-06-15 09:00 +14", 2036, 6, 15, 9, tz=timezone(timedelta(hours=14)))
day("2036-06-15 Asia/Tokyo", 2036, 6, 15, tz=P("Asia/Tokyo"))
day("2036-06-15 UTC", 2036, 6, 15, tz=P("UTC"))
day("2036 utc", 2036, 1, 1, tz=P("UTC"))
day("20360615 z", 2036, 6, 15, tz=P("UTC"))
day("0001-01-01 UTC", 1, 1, 1, tz=P("UTC"))
bad("9999-12-31 23:59:59 America/New_York", "yearOutOfRange")
# Only zones that the fixtures have are offered.
bad("2036-06-15 09:00 CST", "ambiguous")
bad("2036-06-15 09:00 cst", "ambiguous")
bad("2036-06-15 09:00 CET", "ambiguous", "2036-06-15 09:00 Europe/Paris", "2036-06-15 09:00 +01:00")
bad("2036-06-15 09:00 EET", "ambiguous", "2036-06-15 09:00 +02:00")
bad("2036-06-15 09:00 WET", "ambiguous", "2036-06-15 09:00 +00:00")
bad("2036-06-15 09:00 MET", "ambiguous", "2036-06-15 09:00 +01:00")
bad("2036-06-15 09:00 GMT+2", "unknownZone")
bad("2036-06-15 09:00 localtime", "unexpected")
bad("2036-06-15 09:00 posixrules", "unexpected")
bad("2036-06-15 09:00 EST", "ambiguous", "2036-06-15 09:00 America/New_York")
bad("2036-06-15 09:00 IST", "ambiguous", "2036-06-15 09:00 Asia/Kolkata", "2036-06-15 09:00 Europe/Dublin")
bad("2036-06-15 09:00 BST", "ambiguous", "2036-06-15 09:00 Europe/London")
bad("Sun 15 Jun 2036 09:00 CEST", "ambiguous", "Sun 15 Jun 2036 09:00 Europe/Paris", "Sun 15 Jun 2036 09:00 +02:00")
bad("2036-06-15 09:00 Europe/Pariss", "unknownZone")
bad("2036-06-15 09:00 Mars/Olympus", "unknownZone")
bad("2036-06-15 09:00 paris", "unknownZone")
bad("2036-06-15 09:00 ../Paris", "unexpected")
bad("2036-06-15 09:00 /etc/passwd", "unexpected")
bad("2036-06-15 09:00 Europe/../Europe/Paris", "unexpected")
bad("2036-06-15 09:00 Europe//Paris", "unexpected")
bad("2036-06-15 09:00 XYZT", "unknownZone")
bad("2036-06-15 09:00 Europe/Paris now", "unexpected")
bad("2036-06-15Europe/Paris", "unexpected")
bad("2036-06-15Z", "unexpected")
day("2036-06-15 +3 days", 2036, 6, 18)
bad("2036-06-15 09:00 +3", "badOffset")
wall("2036-06-15 09:00 +0200", 2036, 6, 15, 9, tz=timezone(timedelta(hours=2)))
wall("2036-06-15 09:00 +02 days", 2036, 6, 17, 9)
wall("2036-06-15 09:00 +02", 2036, 6, 15, 9, tz=timezone(timedelta(hours=2)))
wall("2036-06-15 +2h", 2036, 6, 15, 2)
wall("2036-06-15 09:00 +02:00 +2h", 2036, 6, 15, 11, tz=timezone(timedelta(hours=2)))
day("2036-06-15 + 18 years", 2054, 6, 15)
day("2036-06-15 - 2 weeks", 2036, 6, 1)
day("2036-06-15 + 18 years - 1 day", 2054, 6, 14)
bad("2036-06-15 + 18", "missingUnit")
bad("2036-06-15 +5m", "ambiguous", "2036-06-15 +5min", "2036-06-15 +5mo")
bad("2036-06-15 09", "unexpected")
bad("2036-06-15 0900", "unexpected")
bad("2036-06-15 13pm", "noSuchTime")
bad("2036-06-15 0am", "noSuchTime")
bad("2036-06-15 24:00", "noSuchTime")
bad("2036-06-15 25:00", "noSuchTime")
bad("2036-06-15 09:60", "noSuchTime")
bad("2036-06-15 09:00:60", "leapSecond")
bad("2036-06-15 23:59:60", "leapSecond")
bad("2036-06-15 9:5", "noSuchTime")
bad("2036-06-15 at", "incomplete")
bad("2036-06-15 at home", "unexpected")
bad("2036-06-15 09:00pm pm", "unexpected")
bad("2036-06-15 009:00", "unexpected")

# ------------------------------------------------------------------ a time alone
today = local_now().date()
tomorrow = today + timedelta(days=1)
on("14:30", today, 14, 30)        # it is 13:00 in Paris
on("13:00", tomorrow, 13)         # now is not to come
on("13:00:01", today, 13, 0, 1)
on("12:59:59", tomorrow, 12, 59, 59)
on("9am", tomorrow, 9)
on("9:15 AM", tomorrow, 9, 15)
on("11pm", today, 23)
on("noon", tomorrow, 12)
on("midnight", tomorrow, 0)
on("Midnight", tomorrow, 0)
on("00:00", tomorrow, 0)
on("23:59:59", today, 23, 59, 59)
on("09:30pm", today, 21, 30)
bad("25:00", "noSuchTime")
bad("24:00", "noSuchTime")
bad("12:60", "noSuchTime")
bad("12:00:60", "leapSecond")
bad("13pm", "noSuchTime")
bad("0pm", "noSuchTime")
bad("9:30:15pm", "unexpected")
bad("2036-06-15 9amZ", "unexpected")
bad("9a", "unknownUnit")
bad("09:00 +3 days", "unexpected")  # GNU date: a zone
for e in ["09:00 tomorrow", "9am tomorrow", "9 a.m. tomorrow", "at 9am tomorrow", "9am, tomorrow", "9:00 am tomorrow",
          "tomorrow, 9am", "tomorrow 9 a.m.", "tomorrow at 9 A.M.", "tomorrow morning"]:
    on(e, tomorrow, 9)
on("noon tomorrow", tomorrow, 12)
on("3pm tomorrow", tomorrow, 15)
on("at 3pm", today, 15)
on("at noon", tomorrow, 12)
on("9 p.m.", today, 21)
on("3pm on friday", date(2026, 3, 13), 15)
on("3pm 15 june 2036", date(2036, 6, 15), 15)
on("15:00 15.06.2036", date(2036, 6, 15), 15)
on("9am in 3 days", date(2026, 3, 13), 9)
wall("15:00Z", 2026, 3, 10, 15, tz=P("UTC"))
wall("12:00Z", 2026, 3, 11, 12, tz=P("UTC"))
wall("09:00 UTC", 2026, 3, 11, 9, tz=P("UTC"))
wall("15:00 +02:00", 2026, 3, 10, 15, tz=timezone(timedelta(hours=2)))
wall("9am Asia/Tokyo", 2026, 3, 11, 9, tz=P("Asia/Tokyo"))
wall("9am Asia/Tokyo tomorrow", 2026, 3, 11, 9, tz=P("Asia/Tokyo"))
bad("at", "unknownWord")
bad("9am 10am", "unexpected")
bad("9am in 3 hours", "timeAfterHours")
bad("09:", "incomplete")
bad("09:0", "noSuchTime")
bad("9:00 9:00", "unexpected")

# ------------------------------------------------------------------ named days
ok("now", seconds(scene[0]))
ok("NOW", seconds(scene[0]))
on("today", today)
on("tomorrow", tomorrow)
on("Yesterday", today - timedelta(days=1))
on("today 09:00", today, 9)
on("tomorrow 9am", tomorrow, 9)
on("tomorrow at 9am", tomorrow, 9)
on("tomorrow noon", tomorrow, 12)
on("tomorrow midnight", tomorrow, 0)
on("yesterday 23:59:59", today - timedelta(days=1), 23, 59, 59)
on("sod", today, 0)
on("eod", today, 23, 59, 59)
monday = today - timedelta(days=today.weekday())
on("sow", monday, 0)
on("eow", monday + timedelta(days=6), 23, 59, 59)
on("som", today.replace(day=1), 0)
on("eom", date(2026, 3, 31), 23, 59, 59)
on("soy", date(2026, 1, 1), 0)
on("eoy", date(2026, 12, 31), 23, 59, 59)
on("EOD", today, 23, 59, 59)
on("eom 17:00", date(2026, 3, 31), 17)
on("eow noon", monday + timedelta(days=6), 12)
on("june", date(2026, 6, 1))
on("March", date(2027, 3, 1))
on("january", date(2027, 1, 1))
on("dec", date(2026, 12, 1))
on("may", date(2026, 5, 1))
on("june 09:00", date(2026, 6, 1), 9)
on("june 9am", date(2026, 6, 1), 9)
bad("now 09:00", "unexpected")
bad("today 25:00", "noSuchTime")
bad("today tomorrow", "unexpected")
bad("tomorow", "unknownWord")
bad("todayy", "unknownWord")
bad("garbage", "unknownWord")  # git: now
bad("eoq", "unknownWord")
bad("soonish", "unknownWord")
bad("tomorrow 9", "unexpected")
wall("tomorrow 09:00 UTC", 2026, 3, 11, 9, tz=P("UTC"))
on("tomorrow +1d", tomorrow + timedelta(days=1))
on("the day after tomorrow", today + timedelta(days=2))
on("day after tomorrow", today + timedelta(days=2))
on("day before yesterday", today - timedelta(days=2))
on("2 weeks after the day after tomorrow", today + timedelta(days=16))
on("2 weeks before day before yesterday", today - timedelta(days=16))
on("day after tomorrow 9am", today + timedelta(days=2), 9)
on("tonight", today, 20)
on("tonight at 9pm", today, 21)
on("this evening", today, 18)
on("this afternoon", today, 15)
on("tomorrow afternoon", tomorrow, 15)
on("tomorrow evening", tomorrow, 18)
on("tomorrow night", tomorrow, 20)
on("tomorrow morning at 7am", tomorrow, 7)
on("7am tomorrow morning", tomorrow, 7)
on("friday evening", date(2026, 3, 13), 18)
on("last night", today - timedelta(days=1), 20)
on("yesterday evening", today - timedelta(days=1), 18)
on("evening", today, 18)
on("this weekend", date(2026, 3, 14))
on("next weekend", date(2026, 3, 21))
on("last weekend", date(2026, 3, 7))
bad("this morning", "partOfDayOutOfReach")
bad("tonight at 9am", "unexpected")
bad("tomorrow morning 3pm", "unexpected")
on("end of month", date(2026, 3, 31), 23, 59, 59)
on("end of the month", date(2026, 3, 31), 23, 59, 59)
on("end of year", date(2026, 12, 31), 23, 59, 59)
on("end of next year", date(2027, 12, 31), 23, 59, 59)
on("end of the week", date(2026, 3, 15), 23, 59, 59)
on("end of day", today, 23, 59, 59)
on("end of february 2028", date(2028, 2, 29), 23, 59, 59)
on("end of 2030", date(2030, 12, 31), 23, 59, 59)
on("start of next month", date(2026, 4, 1), 0)
on("beginning of 2030", date(2030, 1, 1), 0)
on("end of month 17:00", date(2026, 3, 31), 17)
bad("end", "incomplete")
bad("end of", "incomplete")
bad("end of time", "unknownWord")
def nth(y, mo, weekday, n):
    days = [date(y, mo, d) for d in range(1, calendar.monthrange(y, mo)[1] + 1) if date(y, mo, d).weekday() == weekday]
    return days[n]
on("first monday of may 2030", nth(2030, 5, 0, 0))
on("the second tuesday of june 2030", nth(2030, 6, 1, 1))
on("3rd friday of may 2030", nth(2030, 5, 4, 2))
on("last friday of may 2030", nth(2030, 5, 4, -1))
on("last day of february 2028", date(2028, 2, 29))
on("last day of february 2027 at noon", date(2027, 2, 28), 12)
on("first day of may", date(2026, 5, 1))
on("first of june", date(2026, 6, 1))
on("last day of the month", date(2026, 3, 31))
on("last day of next month", date(2026, 4, 30))
on("first monday of 2030", nth(2030, 1, 0, 0))
on("last friday of the year", nth(2026, 12, 4, -1))
on("first monday of may", nth(2026, 5, 0, 0))
on("last sunday of 2030-10", nth(2030, 10, 6, -1))
on("fifth sunday of february", date(2032, 2, 29))
bad("fifth monday of february 2030", "noSuchWeekdayOfMonth")
bad("first monday", "unknownWord")
bad("first monday of", "incomplete")
on("christmas", date(2026, 12, 25))
on("christmas 2030", date(2030, 12, 25))
on("christmas eve", date(2026, 12, 24))
on("christmas eve 2030 at 6pm", date(2030, 12, 24), 18)
on("christmas day", date(2026, 12, 25))
on("christmas at 6pm", date(2026, 12, 25), 18)
on("new year", date(2027, 1, 1))
on("new year 2031", date(2031, 1, 1))
for y in [2026, 2027, 2031, 1999, 2038, 2285]:
    on("easter %d" % y, easter(y))
on("easter", easter(2026))
bad("easter 1582", "noEaster")
bad("easter 31", "ambiguous", "easter 2031", "easter 1931")
bad("new moon", "unknownWord")
bad("tomorrow Asia/Tokyo 9am", "unexpected")

# ------------------------------------------------------------------ durations
for prefix in ["", "+", "in ", "IN ", "+ "]:
    rel(prefix + "90d", d=90)
    rel(prefix + "3 months", mo=3)  # git: 3 months ago
    rel(prefix + "1y6mo", y=1, mo=6)
for e, k in {
    "1 year 6 months": dict(y=1, mo=6), "1year6months": dict(y=1, mo=6), "1 YEAR 6 Months": dict(y=1, mo=6),
    "6mo 1y": dict(y=1, mo=6), "2w": dict(w=2), "2 weeks": dict(w=2), "1 week": dict(w=1),
    "3h30min45s": dict(h=3, mi=30, s=45), "3 h 30 min 45 s": dict(h=3, mi=30, s=45),
    "3 hours 30 minutes 45 seconds": dict(h=3, mi=30, s=45), "1hr": dict(h=1), "2 hr": dict(h=2),
    "5 sec": dict(s=5), "5min": dict(mi=5), "1 minute": dict(mi=1), "1 second": dict(s=1),
    "1 day": dict(d=1), "1d": dict(d=1), "0d": dict(d=0), "0s": dict(), "100 years": dict(y=100), "7973y": dict(y=7973),
    "1yr": dict(y=1), "1 mo": dict(mo=1), "12 months": dict(mo=12), "2030 days": dict(d=2030), "2030d": dict(d=2030),
    "1000000 minutes": dict(mi=1000000), "P1Y6M2DT3H": dict(y=1, mo=6, d=2, h=3), "p1y6m2dt3h": dict(y=1, mo=6, d=2, h=3),
    "P1M": dict(mo=1), "PT1M": dict(mi=1), "P2W": dict(w=2), "PT36H": dict(h=36), "P0D": dict(), "P1Y2M3W4DT5H6M7S": dict(y=1, mo=2, w=3, d=4, h=5, mi=6, s=7),
    "90 d": dict(d=90), "007d": dict(d=7), "1y 1mo 1w 1d 1h 1min 1s": dict(y=1, mo=1, w=1, d=1, h=1, mi=1, s=1),
}.items():
    rel(e, **k)
    rel(e + " from now", **k)
    rel(e + " ago", sign=-1, **k)
rel("+P1Y", y=1)
rel("in P1Y", y=1)
bad("in 3 months ago", "unexpected")
bad("+3d ago", "unexpected")
bad("3d from", "incomplete")
bad("3d from then", "unknownWord")
bad("3d frm now", "unexpected")
bad("5m", "ambiguous", "5min", "5mo")
bad("in 5m", "ambiguous", "in 5min", "in 5mo")
bad("2h5m", "ambiguous", "2h5min", "2h5mo")
bad("5 m ago", "ambiguous", "5 min ago", "5 mo ago")
bad("5M", "ambiguous", "5min", "5mo")
bad("1.5h", "fraction")
bad("1.5 years", "fraction")
bad("1,5 h", "fraction")
bad("PT1.5S", "fraction")
bad("-3d", "negative")
bad("-1", "negative")
bad("in", "incomplete")
bad("in ", "incomplete")
bad("+", "incomplete")
bad("in june", "unknownWord")
bad("in 2030", "missingUnit")
bad("in 5", "missingUnit")
bad("5", "missingUnit")
bad("90", "missingUnit")
bad("123", "missingUnit")
bad("1d2", "missingUnit")
bad("1d 2", "missingUnit")
bad("3 dayz", "unknownUnit")
bad("3 fortnights", "unknownUnit")
bad("1y1y", "repeatedUnit")
bad("1d 2 days", "repeatedUnit")
bad("1000000000000d", "numberTooLarge")
bad("99999999999999999999999 years", "numberTooLarge")
bad("8000 years", "yearOutOfRange")
bad("7974 years", "yearOutOfRange")
bad("100000 months", "yearOutOfRange")
bad("999999999999 y", "yearOutOfRange")
bad("999999999999 s", "yearOutOfRange")
bad("999999999999 h", "yearOutOfRange")
bad("2026 years ago", "yearOutOfRange")
bad("P", "unknownWord")
bad("PT", "unknownWord")
bad("P1", "missingUnit")
bad("P1YT", "incomplete")
bad("P1M1Y", "unexpected")
bad("P1Y1Y", "repeatedUnit")
bad("PT1D", "unknownUnit")
bad("P1H", "unknownUnit")
bad("P1Y 6M", "unexpected")
for e, k in {"a year": dict(y=1), "1 year and 6 months": dict(y=1, mo=6), "1 year, 6 months": dict(y=1, mo=6),
             "a year, two months and 3 days": dict(y=1, mo=2, d=3), "two weeks": dict(w=2), "an hour": dict(h=1),
             "18 years and 5 months": dict(y=18, mo=5), "twenty-five days": dict(d=25), "a hundred days": dict(d=100),
             "5 mins": dict(mi=5), "2 hrs": dict(h=2), "10 secs": dict(s=10), "3 yrs": dict(y=3), "2 wks": dict(w=2)}.items():
    rel(e, **k)
    rel("in " + e, **k)
    rel(e + " from now", **k)
    rel(e + " ago", sign=-1, **k)
    rel("now + " + e, **k)
    rel("now - " + e, sign=-1, **k)
on("in 3 days at 9am", today + timedelta(days=3), 9)
on("in 3 days, 9am", today + timedelta(days=3), 9)
on("in 3 days 09:00", today + timedelta(days=3), 9)
on("3 days from now at noon", today + timedelta(days=3), 12)
on("2 weeks ago at 9am", today - timedelta(days=14), 9)
on("in 1 month at 9am", date(2026, 4, 10), 9)
wall("in 3 days at 9am Asia/Tokyo", 2026, 3, 13, 9, tz=P("Asia/Tokyo"))
bad("in 3 hours at 9am", "timeAfterHours")
bad("in 1 day 2 hours at 9am", "timeAfterHours")
bad("in 1 year and", "unexpected")
bad("in a", "missingUnit")
bad("in a year and a half", "unexpected")
on("2 weeks from friday", date(2026, 3, 27))
on("a week from tomorrow", date(2026, 3, 18))
on("a week from friday at 3pm", date(2026, 3, 20), 15)
on("week after christmas", date(2027, 1, 1))
for e, y, mo, d in [
    ("2 weeks after 2036-06-15", 2036, 6, 29), ("2 weeks before 2036-06-15", 2036, 6, 1),
    ("1 month after 2027-01-31", 2027, 2, 28), ("1 month after 2028-01-31", 2028, 2, 29),
    ("1 month before 2027-03-31", 2027, 2, 28), ("1 year after 2028-02-29", 2029, 2, 28),
    ("4y after 29 feb 2028", 2032, 2, 29), ("1y1mo after 2028-02-29", 2029, 3, 29),
    ("1 month 1 day after 2027-01-31", 2027, 3, 1), ("3d after tomorrow", 2026, 3, 14),
    ("1 week after friday", 2026, 3, 20), ("1d before June 15, 2036", 2036, 6, 14),
    ("P1M after 2036-06", 2036, 7, 1), ("2 years before 2038", 2036, 1, 1),
    ("400 years after 2000-02-29", 2400, 2, 29), ("100 years after 2000-02-29", 2100, 2, 28),
    ("1 day before march", 2027, 2, 28), ("1d after 2036-W24-7", 2036, 6, 16),
]:
    day(e, y, mo, d)
wall("3 hours after 2036-06-15", 2036, 6, 15, 3)
wall("90min before 2036-06-15 09:00", 2036, 6, 15, 7, 30)
wall("2 weeks after 2036-06-15 09:00", 2036, 6, 29, 9)
wall("1 day after tomorrow 09:00", 2026, 3, 12, 9)
wall("2w after 2036-06-15 09:00 Asia/Tokyo", 2036, 6, 29, 9, tz=P("Asia/Tokyo"))
rel("1 day after now", d=1)
bad("2 weeks after", "incomplete")
bad("2 weeks after 3 days", "unexpected")
bad("2 weeks after in 3 days", "unexpected")
bad("2 weeks after noon", "unexpected")
bad("2 weeks after 09:00", "unexpected")
bad("2 weeks after P1D", "unexpected")
bad("2 weeks after next week", "ambiguous", "2 weeks after 2026-03-16")
bad("8000 years after 2036-06-15", "yearOutOfRange")
bad("1d after 9999-12-31", "yearOutOfRange")
bad("1d before 2036-02-30", "noSuchDay")

# ------------------------------------------------------------------ weekdays (today is Tuesday)
names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
for i, n in enumerate(names):
    following = today + timedelta(days=(i - today.weekday() - 1) % 7 + 1)
    on(n, following)
    on(n[:3].upper(), following)
    on(n[:3] + " 18:00", following, 18)
    on("next " + n, monday + timedelta(days=7 + i))
    on("last " + n[:3], monday + timedelta(days=i - 7))
    if i == 0:
        bad("this " + n, "weekdayOutOfReach")
    else:
        on("this " + n, monday + timedelta(days=i))
on("next friday 9am", monday + timedelta(days=11), 9)
on("next friday at noon", monday + timedelta(days=11), 12)
on("this tuesday 14:00", today, 14)
bad("this tuesday 12:00", "weekdayOutOfReach")
bad("next", "incomplete")
bad("next fridya", "unknownWord")
bad("next june", "unknownWord")
bad("next month", "ambiguous", "2026-04-01", "in 1 month")
bad("next week", "ambiguous", "2026-03-16", "in 1 week")
bad("next year", "ambiguous", "2027-01-01", "in 1 year")
bad("last month", "ambiguous", "2026-02-01", "1 month ago")
bad("this week", "ambiguous", "2026-03-09", "eow")
bad("friday 25:00", "noSuchTime")
bad("friday 9", "unexpected")
bad("fridays", "unknownWord")
on("tues", date(2026, 3, 17))
on("thurs", date(2026, 3, 12))
on("on friday", date(2026, 3, 13))
on("friday, 9am", date(2026, 3, 13), 9)
on("fri. 9am", date(2026, 3, 13), 9)
bad("sunday 15 june", "wrongWeekday")
day("monday 15 june", 2026, 6, 15)
bad("fri sat", "unexpected")
day("friday UTC", 2026, 3, 13, tz=P("UTC"))
wall("fri 3pm UTC", 2026, 3, 13, 15, tz=P("UTC"))
wall("tomorrow 9am Europe/London", 2026, 3, 11, 9, tz=P("Europe/London"))
wall("Sun, 15 Jun 2036 09:00:00 +0200", 2036, 6, 15, 9, tz=timezone(timedelta(hours=2)))
wall("Sun Jun 15 09:00:00 CEST 2036", 2036, 6, 15, 9)
wall("Sun Jun 15 09:00:00 AM CEST 2036", 2036, 6, 15, 9)
wall("Sun 15 Jun 09:00:00 CEST 2036", 2036, 6, 15, 9)
wall("Sun Jun  1 09:00:00 UTC 2036", 2036, 6, 1, 9, tz=P("UTC"))
ok("Sun Oct 25 02:30:00 CEST 2026", seconds(datetime(2026, 10, 25, 0, 30)))
ok("Sun Oct 25 02:30:00 CET 2026", seconds(datetime(2026, 10, 25, 1, 30)))
bad("Sun Jun 15 09:00:00 CET 2036", "ambiguous", "15 Jun 2036 09:00 Europe/Paris", "15 Jun 2036 09:00 +01:00")
bad("Mon Jun 15 09:00:00 CEST 2036", "wrongWeekday")
bad("fri sat 9am", "unexpected")

# ------------------------------------------------------------------ nothing that has a meaning
bad("", "empty")
bad("   ", "empty")
bad("?", "unexpected")
bad("--help", "negative")
bad("#1", "unexpected")
bad("٢٠٣٦", "unexpected")
bad("2036‐06‐15", "unexpected")
bad("2036-06-15\u00a009:00", "unexpected")
bad("demain", "unknownWord")
bad("2036-06-15; rm -rf /", "unexpected")
bad("tomorrow\x00", "unexpected")
bad("1e3 days", "unknownUnit")
bad("0x10 d", "unknownUnit")
bad("२ days", "unexpected")
bad("2036–2037", "unexpected")
bad("२०३६-०६-१५", "unexpected")

# ------------------------------------------------------------------ on a Friday, a Sunday, a Monday
begin("2026-03-13T23:30:00Z", "Pacific/Auckland")  # there it is Saturday the 14th
today = local_now().date()
assert today == date(2026, 3, 14)
on("today", today)
on("saturday", date(2026, 3, 21))
on("this saturday", today)
on("sunday", date(2026, 3, 15))
on("next saturday", date(2026, 3, 21))
on("next monday", date(2026, 3, 16))
bad("this friday", "weekdayOutOfReach")
on("last friday", date(2026, 3, 6))
begin("2026-03-13T23:30:00Z", "Europe/London")  # and here still Friday the 13th
on("today", date(2026, 3, 13))
on("friday", date(2026, 3, 20))  # GNU date: the midnight that is over
on("friday 23:45", date(2026, 3, 20), 23, 45)
on("this friday 23:45", date(2026, 3, 13), 23, 45)
bad("this friday 23:15", "weekdayOutOfReach")
on("next friday", date(2026, 3, 20))
on("last friday", date(2026, 3, 6))
begin("2026-03-15T12:00:00Z", "Europe/London")  # Sunday, the last day of the ISO week
on("sow", date(2026, 3, 9), 0)
on("eow", date(2026, 3, 15), 23, 59, 59)
on("next monday", date(2026, 3, 16))
on("next sunday", date(2026, 3, 22))
on("sunday", date(2026, 3, 22))
on("monday", date(2026, 3, 16))
on("this sunday", date(2026, 3, 15))
bad("this saturday", "weekdayOutOfReach")
bad("this weekend", "weekdayOutOfReach")
on("next weekend", date(2026, 3, 21))
# Here it is still the evening of the 15th, in Tokyo the 15th as well, in Auckland the 16th.
begin("2026-03-15T22:00:00Z", "Europe/London")
day("today Pacific/Auckland", 2026, 3, 16, tz=zone("Pacific/Auckland"))
day("tomorrow Asia/Tokyo", 2026, 3, 17, tz=zone("Asia/Tokyo"))
wall("friday 9am Pacific/Auckland", 2026, 3, 20, 9, tz=zone("Pacific/Auckland"))
wall("monday 9am Pacific/Auckland", 2026, 3, 23, 9, tz=zone("Pacific/Auckland"))
bad("tonight", "partOfDayOutOfReach")
wall("tonight Pacific/Auckland", 2026, 3, 16, 20, tz=zone("Pacific/Auckland"))
begin("2026-12-25T12:00:00Z", "Europe/London")
on("christmas", date(2027, 12, 25))
on("christmas 18:00", date(2027, 12, 25), 18)
on("friday", date(2027, 1, 1))

# ------------------------------------------------------------------ where the past is meant
begin("2026-03-10T12:00:00Z", "Europe/Paris", "past", "09:00")
today = local_now().date()
for e, k in {"90d": dict(d=90), "3 months": dict(mo=3), "1y6mo": dict(y=1, mo=6), "2h": dict(h=2), "P1M": dict(mo=1),
             "11d": dict(d=11), "10d": dict(d=10), "1 month": dict(mo=1)}.items():
    rel(e, sign=-1, **k)
    rel("in " + e, sign=1, **k)
    rel("+" + e, sign=1, **k)
    rel(e + " ago", sign=-1, **k)
    rel(e + " from now", sign=1, **k)
on("14:30", today - timedelta(days=1), 14, 30)
on("13:00", today, 13)
on("12:59", today, 12, 59)
on("midnight", today, 0)
on("noon", today, 12)
for i, n in enumerate(names):
    on(n, today - timedelta(days=(today.weekday() - i) % 7))
on("last friday", date(2026, 3, 6))
on("this monday", date(2026, 3, 9))
on("this tuesday", today)
on("this tuesday 12:00", today, 12)
bad("this wednesday", "weekdayOutOfReach")
bad("this tuesday 14:00", "weekdayOutOfReach")
on("june", date(2025, 6, 1))
on("march", date(2026, 3, 1))
on("april", date(2025, 4, 1))
on("today", today)
on("yesterday", today - timedelta(days=1))
on("2020", date(2020, 1, 1))
on("2020-02-29", date(2020, 2, 29))
ok("2026-03-10T11:59:59.9Z", seconds(datetime(2026, 3, 10, 11, 59, 59)))
bad("5m", "ambiguous", "5min", "5mo")
on("15 June", date(2025, 6, 15))
on("10 march", today)
on("10 march 14:00", date(2025, 3, 10), 14)
on("10 march 12:00", today, 12)
on("christmas", date(2025, 12, 25))
on("easter", easter(2025))
on("this morning", today, 9)
bad("tonight", "partOfDayOutOfReach")
on("last night", today - timedelta(days=1), 20)

# ------------------------------------------------------------------ the default time of day
begin("2026-03-10T12:00:00Z", "Europe/Paris", "future", "09:00")
for e, y, mo, d in [("2036-06-15", 2036, 6, 15), ("tomorrow", 2026, 3, 11), ("friday", 2026, 3, 13),
                    ("june", 2026, 6, 1), ("2030", 2030, 1, 1), ("2 weeks after 2036-06-15", 2036, 6, 29)]:
    day(e, y, mo, d)
wall("2036-06-15 midnight", 2036, 6, 15)
wall("3 hours after 2036-06-15", 2036, 6, 15, 12)
wall("sod", 2026, 3, 10)
begin("2026-01-10T12:00:00Z", "Europe/Paris", "future", "02:30")
day("2026-03-29", 2026, 3, 29)  # the default time is skipped that day
day("2026-10-25", 2026, 10, 25)  # and comes twice on this one

# ------------------------------------------------------------------ clocks that change
begin("2026-03-28T01:30:00Z", "Europe/Paris")  # 02:30 on the day before the change
rel("1d", d=1)        # 02:30 does not exist: 03:30
rel("24h", h=24)      # 24 hours are 24 hours: 03:30 too
rel("2d", d=2)
rel("1d1h", d=1, h=1)
wall("2026-03-29 01:59:59", 2026, 3, 29, 1, 59, 59)
wall("2026-03-29 02:00", 2026, 3, 29, 2)
wall("2026-03-29 02:30", 2026, 3, 29, 2, 30)
wall("2026-03-29 02:59:59", 2026, 3, 29, 2, 59, 59)
wall("2026-03-29 03:00", 2026, 3, 29, 3)
wall("tomorrow 02:30", 2026, 3, 29, 2, 30)
wall("02:30", 2026, 3, 29, 2, 30)  # now is not to come, and tomorrow's is skipped
wall("2026-10-25 01:59:59", 2026, 10, 25, 1, 59, 59)
wall("2026-10-25 02:00", 2026, 10, 25, 2)
wall("2026-10-25 02:30", 2026, 10, 25, 2, 30)
wall("2026-10-25 03:00", 2026, 10, 25, 3)
rel("7 months", mo=7)
wall("2036-03-30 02:30", 2036, 3, 30, 2, 30)
wall("2099-03-29 02:30", 2099, 3, 29, 2, 30)
wall("9999-03-28 02:30", 9999, 3, 28, 2, 30)
begin("2026-10-25T00:30:00Z", "Europe/Paris")  # the first 02:30
rel("1h", h=1)
rel("1d", d=1)
rel("1 day ago", sign=-1, d=1)
begin("2026-03-07T07:30:00Z", "America/New_York")
wall("2026-03-08 02:30", 2026, 3, 8, 2, 30)
wall("2026-11-01 01:30", 2026, 11, 1, 1, 30)
wall("2026-11-01 02:00", 2026, 11, 1, 2)
rel("1 day", d=1)
begin("2026-09-04T12:00:00Z", "America/Santiago")  # midnight of the 6th is skipped
day("2026-09-06", 2026, 9, 6)
day("sunday", 2026, 9, 6)
wall("2026-09-06 00:30", 2026, 9, 6, 0, 30)
wall("2026-04-04 23:30", 2026, 4, 4, 23, 30)
begin("2018-10-01T12:00:00Z", "America/Sao_Paulo")
day("2018-11-04", 2018, 11, 4)
wall("2018-11-04 00:00", 2018, 11, 4)
wall("2018-02-17 23:30", 2018, 2, 17, 23, 30)
begin("2026-01-01T00:00:00Z", "Australia/Lord_Howe")  # half an hour
wall("2026-10-04 02:15", 2026, 10, 4, 2, 15)
wall("2026-04-05 01:45", 2026, 4, 5, 1, 45)
wall("2026-10-04 02:30", 2026, 10, 4, 2, 30)
begin("2026-01-01T00:00:00Z", "Antarctica/Troll")  # two hours
wall("2026-03-29 02:15", 2026, 3, 29, 2, 15)
wall("2026-10-25 01:15", 2026, 10, 25, 1, 15)
begin("2026-01-01T00:00:00Z", "America/Nuuk")  # changes on Saturday evening
wall("2026-03-28 23:30", 2026, 3, 28, 23, 30)
day("2026-03-29", 2026, 3, 29)
wall("2026-10-24 23:30", 2026, 10, 24, 23, 30)
begin("2011-12-01T00:00:00Z", "Pacific/Apia")  # 30 December 2011 does not exist
wall("2011-12-30 12:00", 2011, 12, 30, 12)
day("2011-12-30", 2011, 12, 30)
day("2011-12-31", 2011, 12, 31)
begin("2026-01-01T00:00:00Z", "Europe/Dublin")  # "daylight" is winter
wall("2026-03-29 01:30", 2026, 3, 29, 1, 30)
wall("2026-10-25 01:30", 2026, 10, 25, 1, 30)
begin("2026-01-01T00:00:00Z", "Africa/Casablanca")
wall("2026-02-15 02:30", 2026, 2, 15, 2, 30)
wall("2026-03-22 02:30", 2026, 3, 22, 2, 30)
begin("2026-06-15T18:30:00Z", "Asia/Kathmandu")
today = local_now().date()
on("today", today)
on("midnight", today + timedelta(days=1), 0)
wall("2036-06-15 09:00", 2036, 6, 15, 9)
rel("1 month", mo=1)
for name in ["Europe/London", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"]:
    begin("2026-03-10T12:00:00Z", name)
    day("2036-06-15", 2036, 6, 15)
    day("2026-10-25", 2026, 10, 25)
    day("2028-02-29", 2028, 2, 29)
    day("9999-12-30", 9999, 12, 30)

# ------------------------------------------------------------------ month ends and leap days
begin("2027-01-31T12:00:00Z", "Europe/London")
for n in range(1, 14):
    rel("%d months" % n, mo=n)
rel("1 month 1 day", mo=1, d=1)
rel("1mo1d", mo=1, d=1)
rel("11 months ago", sign=-1, mo=11)
begin("2028-02-29T12:00:00Z", "Europe/London")
for n in [1, 2, 3, 4, 8, 72, 100]:
    rel("%d years" % n, y=n)
rel("1y1mo", y=1, mo=1)
rel("1 year ago", sign=-1, y=1)
rel("12 months", mo=12)
on("eom", date(2028, 2, 29), 23, 59, 59)
on("february", date(2029, 2, 1))
bad("15/06", "missingYear")
on("29 february", date(2032, 2, 29))  # today
begin("2026-02-15T12:00:00Z", "Europe/London")
on("eom", date(2026, 2, 28), 23, 59, 59)
begin("2026-12-31T23:59:59Z", "UTC")
on("tomorrow", date(2027, 1, 1))
on("eoy", date(2026, 12, 31), 23, 59, 59)
on("00:00", date(2027, 1, 1), 0)
on("sow", date(2026, 12, 28), 0)
rel("1s", s=1)

# ------------------------------------------------------------------ the ends of time
begin("9999-12-30T12:00:00Z", "UTC")
on("tomorrow", date(9999, 12, 31))
on("eoy", date(9999, 12, 31), 23, 59, 59)
rel("1d", d=1)
rel("35h", h=35)
bad("36h", "yearOutOfRange")
bad("2d", "yearOutOfRange")
bad("next monday", "yearOutOfRange")
bad("january", "yearOutOfRange")
begin("9999-12-31T12:00:00Z", "UTC")
bad("tomorrow", "yearOutOfRange")
bad("saturday", "yearOutOfRange")
bad("11:00", "yearOutOfRange")
begin("0001-01-01T12:00:00Z", "UTC", "past")
bad("yesterday", "yearOutOfRange")
bad("1d", "yearOutOfRange")
on("11:00", date(1, 1, 1), 11)
begin("2038-01-19T03:14:07Z", "UTC")
rel("1s", s=1)
rel("1d", d=1)

print("\n".join(line for line in out if line is not None))
