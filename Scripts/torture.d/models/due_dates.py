"""When things are due, by docs/reference/format.md and without the program: its own arithmetic on Python's zones.

A thing is a dictionary of what was asked for; times are Unix seconds, local times naive datetimes.
"""
import calendar
from datetime import date, datetime, time, timedelta

UNITS = {"minute": 60, "hour": 3600}
# By what `--alert` takes: days before, seconds before, the time of day.
ALERTS = {"1 week before": (7, 0, None), "on the day at 09:00": (0, 0, time(9)),
          "1 day before at 18:00": (1, 0, time(18)), "2 hours before": (0, 7200, None),
          "at the time": (0, 0, None)}
# By what `--repeat` takes: how many, and of what.
REPEATS = {"daily": (1, "day"), "weekly": (1, "week"), "2 weeks": (2, "week"), "monthly": (1, "month"),
           "3 months": (3, "month"), "last friday of the month": (1, "last friday")}


def instant(local, zone):
    """A time that the clocks skip is as much later; of one that comes twice it is the first."""
    return int(local.replace(tzinfo=zone, fold=0).timestamp())


def civil(seconds, zone):
    return datetime.fromtimestamp(seconds, zone).replace(tzinfo=None)


def midnight(day, zone):
    return instant(datetime.combine(day, time()), zone)


def added(day, count, unit):
    """A date so many units later, clamped to the end of its month."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def last_friday(day, months):
    month = added(day.replace(day=1), months, "month")
    end = month.replace(day=calendar.monthrange(month.year, month.month)[1])
    return end - timedelta(days=(end.weekday() - calendar.FRIDAY) % 7)


def dues(thing, end, zone, first=float("-inf")):
    """What a thing has to announce behind the first use and until an instant, to somebody in a zone: topics and
    instants, and behind them those that each stands for. Of what is repeated only the last of each topic, and of the
    alerts of one occurrence only the last that became due, as `check` has it."""
    if thing["kind"] == "events":
        return event_dues(thing, end, zone, first)
    found = {"capsules": capsule_dues, "items": item_dues,
             "bequests": bequest_dues}.get(thing["kind"], lambda *_: [])(thing, end, zone)
    return [(topic, due, [other for other in others if other[1] > first])
            for topic, due, others in found if due > first]


def capsule_dues(thing, end, _):
    return [("unlock", thing["unlock"], [])] if thing["unlock"] <= end else []


def bequest_dues(thing, end, _):
    return [("accessible", thing["after"], [])] if thing["after"] <= end and not thing["sent"] else []


def event_dues(thing, end, zone, first):
    """Nothing of an event is due from before it was made, but alerts of a date that was still ahead then, until that is
    over: nobody has heard them. Nor is anything when it was met. That it was made in what is still to come says
    nothing."""
    if thing["done"]:
        return []
    made = max(thing["created"] if thing["created"] <= end else float("-inf"), first)
    is_new = first < thing["created"] <= end
    groups = {}
    for alert in thing["alerts"]:
        number, due = last_alert(thing, alert, end, zone)
        if due is not None and (due > made or is_new and is_unheard(thing, number, end, zone)):
            groups.setdefault(number, []).append(("alert:" + alert.replace(" ", "-"), due))
    found = []
    for alerts in groups.values():
        last = max(alerts, key=lambda alert: alert[1])
        found.append((*last, [alert for alert in alerts if alert != last]))
    if thing["deadline"]:
        over = midnight(thing["on"] + timedelta(days=1), zone) if is_all_day(thing) \
            else occurrence(thing, 0)
        if made < over <= end:
            found.append(("over", over, []))
    return found


def is_unheard(thing, number, end, zone):
    """Whether an occurrence was ahead when its event was made, and is not over."""
    moment = occurrence(thing, number)
    if is_all_day(thing):
        return midnight(moment, zone) > thing["created"] and midnight(moment + timedelta(days=1), zone) > end
    return moment > thing["created"] and moment >= end


def is_all_day(thing):
    return not isinstance(thing["on"], datetime)


def occurrence(thing, number):
    """A date for a whole day, else an instant."""
    on, all_day = thing["on"], is_all_day(thing)
    day = on if all_day else on.date()
    if thing["repeat"]:
        count, unit = REPEATS[thing["repeat"]]
        if unit == "last friday":
            first = last_friday(day, 0)
            day = last_friday(day, number + (first < day))
        else:
            day = added(day, number * count, unit)
    return day if all_day else instant(datetime.combine(day, on.time()), thing["zone"])


def alert_instant(thing, alert, number, zone):
    days, seconds, clock = ALERTS[alert]
    moment = occurrence(thing, number)
    if is_all_day(thing):
        day = moment - timedelta(days=days)
        return instant(datetime.combine(day, clock), zone) if clock else midnight(day, zone) - seconds
    if clock:
        day = civil(moment, thing["zone"]).date() - timedelta(days=days)
        return instant(datetime.combine(day, clock), thing["zone"])
    if days:
        moment = instant(civil(moment, thing["zone"]) - timedelta(days=days), thing["zone"])
    return moment - seconds


def last_alert(thing, alert, end, zone):
    """The number of the occurrence of the last time of an alert until an instant, and that time; `None` before the
    first."""
    if alert_instant(thing, alert, 0, zone) > end:
        return 0, None
    if not thing["repeat"]:
        return 0, alert_instant(thing, alert, 0, zone)
    low, high = 0, 1
    while alert_instant(thing, alert, high, zone) <= end:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if alert_instant(thing, alert, middle, zone) <= end else (low, middle)
    return low, alert_instant(thing, alert, low, zone)


def item_dues(thing, end, zone):
    """The last occurrence that nothing was done after."""
    rule = thing["reminder"]
    if not rule or not rule["on"]:
        return []
    done = max(thing["history"], default=None)
    if rule["from"] is None:
        anchor, number = (rule["since"] if done is None else done), 1
    else:
        anchor, number = rule["from"], 0
        floor = rule["since"] - 1 if done is None else done
        while reminder_instant(rule, anchor, number, zone) <= floor:
            number += 1
    found = None
    while (due := reminder_instant(rule, anchor, number, zone)) <= end:
        found, number = due, number + 1
    return [] if found is None else [("reminder", found, [])]


def reminder_instant(rule, anchor, number, zone):
    steps = number * rule["every"]
    if rule["unit"] in UNITS:
        return anchor + steps * UNITS[rule["unit"]]
    start = civil(anchor, zone)
    clock = rule["time"] or start.time()
    return instant(datetime.combine(added(start.date(), steps, rule["unit"]), clock), zone)
