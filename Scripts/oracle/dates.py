"""Reads what docs/reference/dates.md describes, with Python's datetime and zoneinfo and with dateutil.

`read` gives the instant that a text means at a scene (a time now, a zone, whether the past is meant), and raises
`Refused` where it means none. It is written as patterns of whole texts: an expression is understood by one of them
completely or not at all. Instants are Unix seconds.
"""
import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Callable, Optional
from zoneinfo import ZoneInfo

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

EPOCH, SECOND, DAY = datetime(1970, 1, 1), timedelta(seconds=1), timedelta(days=1)
FIRST, LAST = -62135596800, 253402300799
MONTHS = [name.lower() for name in calendar.month_name[1:]]
WEEKDAYS = [name.lower() for name in calendar.day_name]
ORDINALS = ["first", "second", "third", "fourth", "fifth"]


class Refused(ValueError):
    """A text that means no instant."""


def attempt(make, *values):
    try:
        return make(*values)
    except ValueError:
        return None


# Clocks


def seconds(local):
    return (local - EPOCH) // SECOND


def offset(local, zone, fold=0):
    return zone.utcoffset(local.replace(tzinfo=zone, fold=fold)) // SECOND


def instant(local, zone):
    """PEP 495 with fold 0: the first of two such times; one that the clocks skip is moved on by the gap."""
    return seconds(local) - offset(local, zone)


def clock_change(local, zone):
    """What the clocks do at a local time: `gap`, `twice` or nothing."""
    first, second = offset(local, zone), offset(local, zone, 1)
    return ["gap"] if first < second else ["twice"] if first > second else []


def combine(day, at):
    """The local time of a clock on a day; `fold` marks 24:00, the midnight behind it."""
    return datetime.combine(day, at.replace(fold=0)) + at.fold * DAY


def civil(at, zone):
    """The local time of an instant."""
    return (EPOCH.replace(tzinfo=timezone.utc) + at * SECOND).astimezone(zone).replace(tzinfo=None, fold=0)


def midnight(day, zone):
    """The first instant of a day: where midnight is skipped, the moment at which the clocks go on."""
    local = datetime.combine(day, time())
    high = instant(local, zone)
    if "gap" in clock_change(local, zone):
        low = high - 2 * 86_400
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if civil(middle, zone).date() < day else (low, middle)
    return high


def rfc3339(at):
    return (EPOCH + at * SECOND).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def parsed(text):
    return seconds(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


# What is read, and when


@dataclass(frozen=True)
class Scene:
    now: int
    zone: tzinfo
    past: bool = False
    at: time = time()  # of a day alone that is to come
    named: Callable[[str], Optional[tzinfo]] = None  # a zone by its name

    def today(self, zone):
        return civil(self.now, zone).date()

    def is_over(self, day, clock, zone):
        return (instant(combine(day, clock), zone) if clock is not None else midnight(day, zone)) <= self.now

    def nearest(self, days, clock, zone):
        """The first day after today of some that go on from it, or the last until now of some that go back."""
        today = self.today(zone)
        for day in days:
            if day > today if not self.past else day < today or day == today and self.is_over(day, clock, zone):
                return day
        raise Refused("there is no such day")

    def yearly(self, in_year, clock, zone):
        year = self.today(zone).year
        years = range(year, max(year - 60, 0), -1) if self.past else range(year, min(year + 60, 10_000))
        return self.nearest(filter(None, (attempt(in_year, year) for year in years)), clock, zone)


@dataclass(frozen=True)
class Anchor:
    """A local time or a whole day, what is counted on from it, and the instant itself where that is known."""
    local: datetime
    zone: tzinfo
    is_day: bool = False
    rest: int = 0
    origin: Optional[int] = None

    def moved(self, sign, duration):
        months, days, rest = duration
        local = self.local + sign * relativedelta(months=months) + sign * days * DAY
        return replace(self, local=local, rest=self.rest + sign * rest,
                       origin=None if months or days else self.origin)

    def meaning(self, scene):
        if self.origin is not None:
            return self.origin + self.rest, []
        at = scene.at if self.is_day and not scene.past else time() if self.is_day else self.local.time()
        local = datetime.combine(self.local, at)
        is_midnight = self.is_day and at == time()
        found = midnight(local.date(), self.zone) if is_midnight else instant(local, self.zone)
        return found + self.rest, ["date"] * (self.is_day and not self.rest) + clock_change(local, self.zone)


# Durations

ONES = ("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {"a": 1, "an": 1, "a hundred": 100, **{word: value for value, word in enumerate(ONES, 1)}}
for ten, word in enumerate(TENS, 2):
    NUMBERS.update({word: ten * 10, **{f"{word}-{one}": ten * 10 + value for value, one in enumerate(ONES[:9], 1)}})
NUMBERS.update({f"{word} hundred": value * 100 for value, word in enumerate(ONES[:9], 1)})
HALF = r"(?:a half|one half|half an?|half)"
MANY = {"fortnight": ("week", 2), "decade": ("year", 10), "century": ("year", 100)}
UNITS = {"year": "years year yrs yr y", "month": "months month mos mo", "week": "weeks week wks wk w",
         "day": "days day d", "hour": "hours hour hrs hr h", "minute": "minutes minute mins min",
         "second": "seconds second secs sec s"}
UNIT = {word: (unit, 1) for unit, words in UNITS.items() for word in words.split()}
UNIT.update({word: MANY[name] for word, name in zip(
    "fortnight fortnights decade decades century centuries".split(),
    "fortnight fortnight decade decade century century".split())})
WEIGHTS = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}


def choice(words):
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


PART = re.compile(rf"(?:(\d{{1,12}}(?:\.\d{{1,9}})?) ?|({HALF}|{choice(NUMBERS)}) |(\d{{1,12}}|{choice(NUMBERS)}) and a half )"
                  rf"({choice(UNIT)})(?![a-z])( and a half(?! [a-z]))?(?:,? and |, | |)|"
                  rf"(\d{{1,12}}(?:\.\d{{1,9}})?)({choice(UNIT)})(?=\d)")
ISO = re.compile(r"p(?:(\d+)y)?(?:(\d+)m)?(?:(\d+)w)?(?:(\d+)d)?(?:t(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)?")


def duration(text, bare=False):
    """Months, days and seconds; `bare` takes a unit alone for one of it."""
    counts, words = {}, set()
    found = ISO.fullmatch(text)
    if found and any(found.groups()):
        counts = {unit: int(count) for unit, count in zip(UNITS, found.groups()) if count}
    elif bare and text in UNIT:
        counts = {UNIT[text][0]: UNIT[text][1]}
    else:
        place = 0
        while place < len(text):
            part = PART.match(text, place)
            if not part:
                raise Refused(f"no duration: {text}")
            digits, word, unit = part[1] or part[6], part[2] or part[3], UNIT[part[4] or part[7]]
            if unit in words or part[5] and (part[3] or re.fullmatch(HALF, word or "")):
                raise Refused(f"{unit} twice")
            words.add(unit)
            count = Fraction(digits) if digits else Fraction(1, 2) if re.fullmatch(HALF, word) \
                else Fraction(NUMBERS.get(word) or int(word))
            count = (count + Fraction(1, 2) * bool(part[3] or part[5])) * unit[1]
            whole = count // unit[1] * unit[1]
            for name, amount in [(unit[0], whole), parts_of(unit[0], count - whole)]:
                counts[name] = counts.get(name, 0) + amount
            place = part.end()
        if not counts or text.endswith((" ", ",", "and")):
            raise Refused(f"no duration: {text}")
    return tuple(int(count) for count in (
        12 * counts.get("year", 0) + counts.get("month", 0), 7 * counts.get("week", 0) + counts.get("day", 0),
        sum(counts.get(unit, 0) * weight for unit, weight in WEIGHTS.items() if unit != "day")))


def parts_of(unit, part):
    """A part of a unit in smaller ones, which must be whole."""
    small, count = {"year": ("month", 12), "week": ("day", 7)}.get(unit) or ("second", WEIGHTS.get(unit, 0))
    if part and (unit in ("month", "second") or (part * count).denominator > 1):
        raise Refused("a part of a unit")
    return small, part * count


# Times and zones

EXACT = r"(?:\d{1,2}:\d\d:\d\d(?: ?[ap]m)?|[ap]m\d{1,2}:\d\d:\d\d)"
TIME = rf"(?:{EXACT}|\d{{1,2}}(?::\d\d){{0,2}} ?(?:[ap]m|[ap]\.m\.)|\d{{1,2}}:\d\d(?::\d\d)?|noon|midnight)"
PARTS = {"morning": 9, "afternoon": 15, "evening": 18, "night": 20}
HOURS = {"morning": range(12), "afternoon": range(12, 18), "evening": range(16, 24), "night": range(18, 24)}
OFFSET = r"[+-]\d\d(?::?\d\d)?"


def clock(text):
    if text in ("noon", "midnight"):
        return time(12 if text == "noon" else 0)
    text = re.sub(r"^([ap]m)(.*)", r"\2\1", text)
    found = re.fullmatch(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?: ?([ap])\.?m\.?)?", text)
    hour, minute, second = (int(value or 0) for value in found.groups()[:3])
    if (hour, minute, second, found[4]) == (24, 0, 0, None):
        return time(0, fold=1)
    if found[4]:
        if not 1 <= hour <= 12:
            raise Refused(text)
        hour = hour % 12 + 12 * (found[4] == "p")
    return time(hour, minute, second)


def zone_of(text, scene):
    if text in ("z", "utc"):
        return timezone.utc
    if re.fullmatch(OFFSET, text):
        hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
        if hours > 23 or minutes > 59:
            raise Refused(text)
        return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))
    zone = "/" in text and scene.named(text)
    if not zone:
        raise Refused(text)
    return zone


# Days

MONTH = choice(MONTHS + [name[:3] for name in MONTHS] + ["sept"])
WEEKDAY = choice(WEEKDAYS + [name[:3] for name in WEEKDAYS] + ["tues", "thurs"])
NUMBER = r"(\d{1,2})(st|nd|rd|th)?"
YEAR = r"(\d{4})"


def month(text):
    return next(place for place, name in enumerate(MONTHS, 1) if name.startswith(text[:3]))


def weekday(text):
    return next(place for place, name in enumerate(WEEKDAYS) if name.startswith(text[:3]))


def number(digits, suffix):
    value = int(digits)
    if suffix and suffix != ("th" if 10 < value < 14 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")):
        raise Refused(digits + suffix)
    return value


def numeric(first, second, year):
    readings = {attempt(date, int(year), one, other)
                for one, other in ((int(first), int(second)), (int(second), int(first)))} - {None}
    if len(readings) != 1:
        raise Refused("not one day")
    return readings.pop()


def ordinal(year, count):
    if not 1 <= count <= 365 + calendar.isleap(year):
        raise Refused("no such day of the year")
    return date(year, 1, 1) + (count - 1) * DAY


def span(text, scene, zone):
    """The first and the last day of a part of the calendar, or, of one that comes every year, a function of it."""
    today = scene.today(zone)
    found = re.fullmatch(r"(?:the )?(?:(next|this|last) )?(day|week|month|year)", text)
    if found:
        step = {"next": 1, "last": -1}.get(found[1], 0)
        first = {"day": today, "week": today - today.weekday() * DAY, "month": today.replace(day=1),
                 "year": date(today.year, 1, 1)}[found[2]] + step * relativedelta(**{found[2] + "s": 1})
        return first, first + {"day": 0, "week": 6}.get(found[2], 0) * DAY + relativedelta(
            month=12 if found[2] == "year" else None, day=31 if found[2] in ("month", "year") else None)
    found = re.fullmatch(rf"({MONTH}) {YEAR}|{YEAR}-(\d\d)|{YEAR}|({MONTH})", text)
    if not found:
        raise Refused(text)
    if found[5]:
        first = date(int(found[5]), 1, 1)
        return first, date(first.year, 12, 31)

    def in_year(year):
        first = date(year, month(found[1] or found[6]) if not found[4] else int(found[4]), 1)
        return first, first.replace(day=calendar.monthrange(year, first.month)[1])
    return in_year if found[6] else in_year(int(found[2] or found[3]))


def within(text, scene, at, zone, pick):
    """A day of a span; of one that comes every year the nearest."""
    found = span(text, scene, zone)
    if callable(found):
        return scene.yearly(lambda year: pick(*found(year)), at, zone)
    day = pick(*found)
    if day is None:
        raise Refused(text)
    return day


def counted(count, index):
    """Picks the `count`-th of a span's days, or of its weekdays; -1 is the last."""
    def pick(first, last):
        if index is not None:
            ahead, back = (index - first.weekday()) % 7 * DAY, (last.weekday() - index) % 7 * DAY
            day = last - back if count < 0 else first + ahead + (count - 1) * 7 * DAY
        else:
            day = last if count < 0 else first + (count - 1) * DAY
        return day if first <= day <= last else None
    return pick


def feast(name):
    days = {"christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "new year": (1, 1),
            "new year's day": (1, 1), "new year's eve": (12, 31)}

    def in_year(year):
        if name not in EASTER:
            return date(year, *days[name])
        if year < 1583:
            raise Refused("no Easter")
        return easter(year) + EASTER[name] * DAY
    return in_year


EASTER = {"palm sunday": -7, "good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1,
          "ascension day": 39, "pentecost": 49, "whit sunday": 49, "whit monday": 50}


# Days that are written with their year, and those that come every year
FIXED = [
    (r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", lambda y, _, m, d: date(int(y), int(m), int(d))),
    (r"(\d{4})(\d\d)(\d\d)", lambda y, m, d: date(int(y), int(m), int(d))),
    (r"(\d{4})(?:-(\d\d))?", lambda y, m: date(int(y), int(m or 1), 1)),
    (r"(\d{4})-(\d{3})", lambda y, d: ordinal(int(y), int(d))),
    (r"(\d{4})-w(\d\d)(?:-(\d))?", lambda y, w, d: date.fromisocalendar(int(y), int(w), int(d or 1))),
    (r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", lambda one, _, other, y: numeric(one, other, y)),
    (rf"{NUMBER}(?: ?of | ?)({MONTH})\.?,? ?{YEAR}", lambda d, th, m, y: date(int(y), month(m), number(d, th))),
    (rf"(\d{{1,2}})([-/.])({MONTH})\2{YEAR}", lambda d, _, m, y: date(int(y), month(m), int(d))),
    (rf"({MONTH})\.? {NUMBER}(?:,? ?| ){YEAR}", lambda m, d, th, y: date(int(y), month(m), number(d, th))),
    (rf"{YEAR}([-/.])({MONTH})\2(\d{{1,2}})", lambda y, _, m, d: date(int(y), month(m), int(d))),
    (rf"({MONTH}),? {YEAR}", lambda m, y: date(int(y), month(m), 1)),
    (rf"(\d{{1,2}})[-/.]{YEAR}", lambda m, y: date(int(y), int(m), 1)),
    (rf"{YEAR}[/.](\d{{1,2}})", lambda y, m: date(int(y), int(m), 1)),
]
YEARLY = [
    (rf"{NUMBER}(?: of | ?)({MONTH})\.?", lambda y, d, th, m: date(y, month(m), number(d, th))),
    (rf"({MONTH})\.?(?: {NUMBER})?", lambda y, m, d, th: date(y, month(m), number(d or "1", th))),
]


def day(text, scene, at, zone):
    """A day, and the time of day that its words imply. `at` is the time that stands beside it."""
    today = scene.today(zone)
    text = re.sub(r"^(?:on )?(?:the )?", "", text)

    def match(pattern):
        nonlocal found
        found = re.fullmatch(pattern, text)
        return found
    found = None
    for pattern, make in FIXED:
        if match(pattern):
            return make(*found.groups()), None
    for pattern, make in YEARLY:
        if match(pattern):
            return scene.yearly(lambda year: make(year, *found.groups()), at, zone), None
    if match(rf"({WEEKDAY})\.?,? (.*\d.*)"):
        result, implied = day(found[2], scene, at, zone)
        if result.weekday() != weekday(found[1]) or implied:
            raise Refused("another weekday")
        return result, None
    if match(rf"{WEEKDAY}\.?"):
        ahead = (weekday(text) - today.weekday()) % 7 * DAY
        days = (today + ahead - 7 * DAY, today + ahead, today + ahead + 7 * DAY)
        if scene.past:
            days = (days[1] if not ahead else days[0], days[0])
        return scene.nearest(days, at, zone), None
    if match(rf"last ({WEEKDAY})"):
        return today - ((today.weekday() - weekday(found[1]) - 1) % 7 + 1) * DAY, None
    if match(rf"({WEEKDAY})\.? (?:of )?(this|next|last) week") or match(rf"(this|next|last) week (?:on )?({WEEKDAY})"):
        side, name = found.groups() if found[1] in ("this", "next", "last") else found.groups()[::-1]
        text = f"{side} {name}"
        result = today + (weekday(name) - today.weekday() + {"this": 0, "next": 7, "last": -7}[side]) * DAY
        if side != "this":
            return result, None
    if match(rf"(this|next|last) ({WEEKDAY}|weekend)"):
        index = 5 if found[2] == "weekend" else weekday(found[2])
        result = today + (index - today.weekday() + {"this": 0, "next": 7, "last": -7}[found[1]]) * DAY
        is_over = result < today if result != today or not at else scene.is_over(result, at, zone)
        if found[1] == "this" and (result != today or at) and is_over != scene.past:
            raise Refused("out of reach")
        return result, None
    named = {"today": 0, "next day": 1, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2}
    if text in named:
        return today + named[text] * DAY, None
    if match(rf"({choice(EASTER)}|christmas(?: day| eve)?|new year(?:'s day|'s eve)?)(?:,? {YEAR})?"):
        in_year = feast(found[1])
        return (in_year(int(found[2])) if found[2] else scene.yearly(in_year, at, zone)), None
    if match(r"(?:([se])od|(end|start|beginning) of (?:the )?day) (.+)") or \
            match(r"(.+) (?:([se])od|(end|start|beginning) of (?:the )?day)") or \
            match(rf"(end|start|beginning)() of (.*\b(?:yesterday|today|tomorrow|{WEEKDAY}))"):
        words = found.groups()
        name = next(each for each in words if each and not re.fullmatch("[se]|end|start|beginning", each))
        side = next(each for each in words if each and each != name)
        edge_time = time(23, 59, 59) if side[0] == "e" else time()
        other, implied = day(name, scene, at or edge_time, zone)
        if implied is not None:
            raise Refused("two edges")
        return other, edge_time
    if match(r"([se])o([dwmy])"):
        unit = {"d": "day", "w": "week", "m": "month", "y": "year"}[found[2]]
        return edge(found[1] == "s", unit, scene, at, zone)
    if match(r"(end|start|beginning) of (.*)"):
        return edge(found[1] != "end", found[2], scene, at, zone)
    if match(rf"(?:({choice(ORDINALS)}|last)|(\d)(st|nd|rd|th))(?: ({WEEKDAY}|day))? of (.*)"):
        count = -1 if found[1] == "last" else ORDINALS.index(found[1]) + 1 if found[1] else number(found[2], found[3])
        index = None if found[4] in (None, "day") else weekday(found[4])
        return within(found[5], scene, at, zone, counted(count, index)), None
    return part_of_day(text, scene, at, zone)


def edge(is_start, text, scene, at, zone):
    day = within(text, scene, at, zone, lambda first, last: first if is_start else last)
    return day, time() if is_start else time(23, 59, 59)


def part_of_day(text, scene, at, zone):
    text = {"tonight": "this night"}.get(text, text)
    found = re.fullmatch(rf"(?:(.*) )?({choice(PARTS)})", text)
    if not found:
        raise Refused(text)
    implied = time(PARTS[found[2]])
    if at and (at.hour < 12) != (found[2] == "morning"):
        raise Refused("another part of the day")
    words = {None: "today", "this": "today", "last": "yesterday"}.get(found[1], found[1])
    found_day, other = day(words, scene, at or implied, zone)
    if other or found[1] in ("this", None) and scene.is_over(found_day, at or implied, zone) != scene.past:
        raise Refused("out of reach")
    return found_day, implied


# Whole expressions


def read(text, scene):
    """The instant, and what is to be said of it: `date` of a day alone, `gap`, `twice`."""
    text = rewritten(text.lower(), scene)
    if not text.isascii():
        raise Refused("no such letters")
    for form in (at_sign, written_instant, of_date, in_the_local_zone, behind_a_time, from_now, time_alone):
        try:
            return bounded(*form(text, scene))
        except (Refused, ValueError, OverflowError):
            continue
    try:
        return bounded(*anchor(text, scene).meaning(scene))
    except (ValueError, OverflowError) as error:
        raise Refused(str(error))


def rewritten(text, scene):
    """The text with its short and its copied forms in the words of others."""
    if re.search(r":\d\d ?[–—] ?\d", text):
        raise Refused("a range of times")
    for marks, plain in (("\u2010\u2011–—−", "-"), ("‘’", "'"), ("“”", '"'), ("\xa0\u2009\u202f", " ")):
        text = re.sub(f"[{marks}]", plain, text)
    text = re.sub(" +", " ", text).strip(" ")
    quoted = re.fullmatch(r"""(["'])(.*)\1""", text)
    text = quoted[2].strip(" ") if quoted else text
    text = re.sub(r"\bright now\b", "now", re.sub(r"^within ", "in ", text))
    text = re.sub(r"^(.+?) (?:later|hence)\b", r"\1 from now", text)
    text = re.sub(r"\bat (\d\d)(\d\d)(?=$| )", r"at \1:\2", text)
    text = re.sub(r"^(\d{8})[ t](\d\d)(\d\d)(\d\d)?(?=$| )", lambda m: f"{m[1]} {m[2]}:{m[3]}:{m[4] or '00'}", text)
    if re.fullmatch(r"([01]\d|2[0-3])[0-5]\d|2400", text):
        if not 1900 <= int(text) <= 2999:
            text = f"{text[:2]}:{text[2:]}"
        elif int(text) > scene.today(scene.zone).year + 100:
            raise Refused("a time or a year")
    part = rf"(?:.* )?(?:to)?{choice(PARTS)}"
    found = re.fullmatch(rf"({part}(?:,? at |, | ))([1-9]|1[01])(:\d\d)?( [a-z+-].*)?", text)
    found = found or re.fullmatch(rf"(at )([1-9]|1[01])(:\d\d)?( {part})", text)
    found = found or re.fullmatch(rf"()([1-9]|1[01])(:\d\d)( {part})", text)
    if found and not re.match(r" [ap]\.?m", found[4] or ""):
        name = next(name for name in PARTS if re.search(rf"{name}\b", f"{found[4]} {found[1]}"))
        hour = int(found[2])
        hour += 12 if hour not in HOURS[name] and hour + 12 in HOURS[name] else 0
        text = f"{found[1]}{hour:02d}{found[3] or ':00'}{found[4] or ''}"
    return text


def bounded(at, flags):
    if not FIRST <= at <= LAST:
        raise Refused("the year")
    return at, flags


def matched(pattern, text):
    found = re.fullmatch(pattern, text)
    if not found:
        raise Refused(text)
    return found


def at_sign(text, scene):
    return int(matched(r"@(-?\d+)", text)[1]), []


def written_instant(text, scene):
    """RFC 3339 and RFC 9557, and their short forms."""
    found = matched(rf"(\d{{4}}-?\d\d-?\d\d)[t ](\d\d)(:?)(\d\d)(?:\3(\d\d)(?:[.,](\d+))?)?(z|{OFFSET})?"
                    r"((?:\[[^\[\]]+\])*)", text)
    day, hour, _, minute, second, fraction, shift, brackets = found.groups()
    if len(day) == 9 or not (shift or brackets) or "t" not in text and brackets:
        raise Refused(text)
    local = datetime.strptime(day.replace("-", "") + hour + minute + (second or "00"), "%Y%m%d%H%M%S")
    names = re.findall(r"\[!?([^\[\]]+)\]", brackets)
    zones = [zone_of(name, scene) for name in names if "=" not in name]
    if len(zones) > 1 or any("=" in name and name not in ("u-ca=gregory", "u-ca=iso8601") for name in names):
        raise Refused(brackets)
    zone = zone_of(shift, scene) if shift else zones[0]
    at = instant(local, zone)
    if zones and shift not in (None, "z", "-00:00") and offset(civil(at, zones[0]), zones[0], 0) != offset(local, zone) \
            and offset(civil(at, zones[0]), zones[0], 1) != offset(local, zone):
        raise Refused("another offset")
    return at + (int(fraction or 0) > 0 and not scene.past), [] if shift else clock_change(local, zone)


def of_date(text, scene):
    """The output of `date`, with the local zone's abbreviation or UTC."""
    found = matched(rf"({WEEKDAY}) (?:({MONTH}) (\d{{1,2}})|(\d{{1,2}}) ({MONTH})) ({EXACT})"
                    rf"(?: ([a-z]+|{OFFSET}))? {YEAR}", text)
    day = date(int(found[8]), month(found[2] or found[5]), int(found[3] or found[4]))
    if day.weekday() != weekday(found[1]):
        raise Refused("another weekday")
    local = combine(day, clock(found[6]))
    if not found[7]:
        return instant(local, scene.zone), clock_change(local, scene.zone)
    if found[7] == "utc" or re.fullmatch(OFFSET, found[7]):
        return seconds(local) - offset(local, zone_of(found[7], scene)), []
    return abbreviated(local, found[7], scene)


def abbreviated(local, name, scene):
    for fold in (0, 1):
        aware = local.replace(tzinfo=scene.zone, fold=fold)
        if aware.tzname().lower() == name:
            return seconds(local) - offset(local, scene.zone, fold), []
    raise Refused("an abbreviation of elsewhere")


def in_the_local_zone(text, scene):
    """A date, a time to the second, and the local zone's abbreviation."""
    found = matched(rf"(?:({WEEKDAY})\.?,? )?(.+?)(?:,? at |, | |(?<=\d)t)({EXACT}) ([a-z]{{3,5}})", text)
    if found[4] == "utc":
        raise Refused("a zone")
    for pattern, make in FIXED:
        written = re.fullmatch(pattern, found[2])
        if written:
            day = make(*written.groups())
            if found[1] and day.weekday() != weekday(found[1]):
                raise Refused("another weekday")
            return abbreviated(combine(day, clock(found[3])), found[4], scene)
    raise Refused(text)


def behind_a_time(text, scene):
    """Hours after or before a time of day: the next such time, or the last."""
    found = matched(rf"(.+?) (after|before|from) ({TIME})(?: ({ZONE}))?", text)
    months, days, rest = duration(found[1], bare=True)
    if months or days or rest >= 86_400:
        raise Refused("days after a time")
    zone = zone_of(found[4], scene) if found[4] else scene.zone
    rest = -rest if found[2] == "before" else rest
    times = sorted(instant(combine(scene.today(zone) + step * DAY, clock(found[3])), zone) + rest
                   for step in range(-3, 4))
    return (max(at for at in times if at <= scene.now) if scene.past
            else min(at for at in times if at > scene.now)), []


def from_now(text, scene):
    """What is counted from now, with a time of day where no hours are counted."""
    found = re.fullmatch(rf"(?:(?:at )?({TIME}) )?(in (.+?)|(.+?) from now|(.+?) ago)"
                         rf"(?:(?:,? at |, | )({TIME})(?: (\S+))?)?", text)
    if found:
        sign = -1 if found[5] else 1
        moved = duration(found[3] or found[4] or found[5])
        clocks = [clock(part) for part in (found[1], found[6]) if part]
        if clocks and (len(clocks) > 1 or moved[2]):
            raise Refused("a time behind hours")
        zone = zone_of(found[7], scene) if found[7] else scene.zone
        local = civil(scene.now, zone)
    else:
        found = matched(r"(?:now )?([+-]) ?(.+)|(.+)", text)
        if found[1] == "-" and not text.startswith("now"):
            raise Refused("before nothing")
        sign, clocks, zone, local = 1, [], scene.zone, civil(scene.now, scene.zone)
        sign = -1 if found[1] == "-" or found[3] and scene.past else 1
        moved = duration(found[2] or found[3])
    found = Anchor(local, zone, origin=scene.now).moved(sign, moved)
    if clocks:
        found = Anchor(combine(found.local, clocks[0]), zone)
    return found.meaning(scene)


def time_alone(text, scene):
    """A time of day: its next occurrence, or the last."""
    found = matched(rf"(?:at )?({TIME})(?:(?: |(?<=:\d\d))(z|utc|{OFFSET}|\S+/\S+))?", text)
    zone = zone_of(found[2], scene) if found[2] else scene.zone
    day, at = scene.today(zone), clock(found[1])
    if scene.is_over(day, at, zone) != scene.past:
        day += DAY if not scene.past else -DAY
    return Anchor(combine(day, at), zone).meaning(scene)


ZONE = rf"(?:z|utc|{OFFSET}|[a-z_]+(?:/[a-z_]+)+)"


def anchor(text, scene, at=None):
    """A day or a time of one, and what is counted from it. `at` is a time that stands before it."""
    if text == "now" and not at:
        return Anchor(civil(scene.now, scene.zone), scene.zone, origin=scene.now)
    for found in re.finditer(r" ?([+-]) ?", text):
        try:
            return anchor(text[:found.start()], scene, at).moved(
                1 if found[1] == "+" else -1, duration(text[found.end():]))
        except Refused:
            continue
    for found in re.finditer(" (after|before|from) ", text):
        try:
            moved = duration(text[:found.start()], bare=True)
            base = anchor(text[found.end():], scene, at)
            return base.moved(-1 if found[1] == "before" else 1, moved)
        except Refused:
            continue
    if not at:
        found = re.match(rf"(?:at )?({TIME})(?: ({ZONE}))?(?:, | on | )", text)
        if found:
            zone = found[2] and zone_of(found[2], scene)
            return timed(text[found.end():], scene, clock(found[1]), zone) if zone \
                else anchor(text[found.end():], scene, clock(found[1]))
    zone = scene.zone
    found = re.fullmatch(rf"(.+?)(?: |(?<=:\d\d))({ZONE})", text)
    if found:
        text, zone = found[1], zone_of(found[2], scene)
    if not at:
        for found in re.finditer(r"(?:,? at |, | |(?<=\d)t)", text):
            if re.fullmatch(TIME, text[found.end():]):
                try:
                    return timed(text[:found.start()], scene, clock(text[found.end():]), zone)
                except Refused:
                    continue
    return timed(text, scene, at, zone)


def timed(text, scene, at, zone):
    found, implied = day(text, scene, at, zone or scene.zone)
    at = at or implied
    return Anchor(combine(found, at or time()), zone or scene.zone, is_day=at is None)


def zones_in(folder):
    """Zones by their names, in any case, from a folder of zone files."""
    paths = {path.relative_to(folder).as_posix().lower(): path for path in folder.rglob("*") if path.is_file()}

    def named(name):
        path = paths.get(name.lower())
        if not path:
            return None
        with open(path, "rb") as file:
            return ZoneInfo.from_file(file, key=path.relative_to(folder).as_posix())
    return named


def understood(text, scene):
    """What `read` gives, or nothing where it refuses."""
    return attempt(read, text, scene)
