#!/usr/bin/env python3
"""Writes posix.tsv: POSIX TZ strings and what Python's zoneinfo makes of them as a file's footer.

usage: python3 posix.py > posix.tsv     (on glibc)

CPython 3.11 counts the form `n` from 1 where POSIX counts from 0, so strings with it are asked of
the C library.

`= TZ`, then lines of an instant, its offset and abbreviation, and whether it is daylight time.
"""
import io
import os
import random
import re
import struct
import time
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

STRINGS = [
    "UTC0", "JST-9", "EST5", "<+03>-3", "<-0330>3:30", "<+0545>-5:45", "LMT0:09:21", "AAA-23", "BBB23:59:59",
    "EST5EDT,M3.2.0,M11.1.0", "CET-1CEST,M3.5.0,M10.5.0/3", "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "IST-1GMT0,M10.5.0,M3.5.0/1", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3",
    "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "<-04>4<-03>,M9.1.6/24,M4.1.6/24", "IST-2IDT,M3.4.4/26,M10.5.0",
    "EET-2EEST,M3.5.0/0,M10.5.0/0", "EET-2EEST,M4.5.5/0,M10.5.4/24", "EST5EDT,J60,J300", "EST5EDT,59,300", "EST5EDT,58/23,60/1", "EST5EDT,59/2,364/-1", "AAA-3BBB,0,365",
    "EST5EDT4,J1/1,J365/23", "AAA3BBB,0/3,J180/2:30:15", "AAA3BBB2:15,100/-5,200/100", "AAA3BBB,M1.1.0/-167,M12.5.6/167",
    "AAA-3BBB-4:30,M6.1.1/-24,M6.5.1/24", "AAA10BBB9,60/2,J59/2", "CST6CDT,M1.5.6,M2.5.0", "XXX-13:45YYY,365/12,J180/0",
]


def tz(text):
    block = lambda v, b: b"TZif" + v + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4) + b
    body = struct.pack(">iBB", 0, 0, 0) + b"XYZ\0"
    data = block(b"3", body) + block(b"3", body) + b"\n" + text.encode() + b"\n"
    return ZoneInfo.from_file(io.BytesIO(data), key=text)


def ask(text, at):
    if re.search(r",\d", text):
        os.environ["TZ"] = text
        time.tzset()
        local = time.localtime((at - datetime(1970, 1, 1)) // timedelta(seconds=1))
        return local.tm_gmtoff, local.tm_zone
    local = at.replace(tzinfo=timezone.utc).astimezone(tz(text))
    return int(local.utcoffset().total_seconds()), local.tzname()


random.seed(8536)
for string in STRINGS:
    print("=", string)
    for index in range(80):
        if index % 4 == 3:
            at = datetime(random.randrange(1902, 9998), 1, 1) + timedelta(seconds=random.randrange(366 * 86400))
        else:
            at = datetime(random.randrange(1995, 2060), 1, 1) + timedelta(seconds=random.randrange(366 * 86400))
        print((at - datetime(1970, 1, 1)) // timedelta(seconds=1), *ask(string, at), sep="\t")
