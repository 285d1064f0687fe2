"""What the people of a simulated year have, as they know it, held to its records."""
from datetime import datetime

from models.due_dates import REPEATS, is_all_day, occurrence
from models.simulated import seconds


def fits(thing, record):
    """What of a record is not as it was asked for."""
    wanted = {"capsules": capsule, "events": event, "items": item, "beneficiaries": beneficiary,
              "bequests": bequest}[thing["kind"]](thing, record)
    return [f"{name} is {found!r} and not {value!r}" for name, (found, value) in wanted.items()
            if found != value]


def capsule(thing, record):
    return {"title": (record["title"], thing["title"]), "notes": (record["notes"], thing["notes"]),
            "unlockAt": (seconds(record["unlockAt"]), thing["unlock"]),
            "contents": (len(record["contents"]), len(thing["contents"])),
            "openedAt": (record["openedAt"] is not None, thing["opened"])}


def event(thing, record):
    found = {"title": (record["title"], thing["title"]), "alerts": (record["alerts"], thing["alerts"]),
             "deadline": (record["deadline"], thing["deadline"]),
             "doneAt": (record["doneAt"] is not None, thing["done"]),
             "createdAt": (seconds(record["createdAt"]), thing["created"])}
    rule, repeat = record["repeat"], thing["repeat"]
    if repeat and "friday" not in repeat:
        found["repeat"] = ((rule["every"], rule["unit"]), REPEATS[repeat])
    else:
        found["repeat"] = (rule is not None, repeat is not None)
    if is_all_day(thing):
        found["date"] = (record["date"], occurrence(thing, 0).isoformat())
    else:
        found["at"] = (seconds(record["at"]), occurrence(thing, 0))
    return found


def item(thing, record):
    found = {"name": (record["name"], thing["title"]),
             "history": ([seconds(entry["at"]) for entry in record.get("history") or []],
                         sorted(thing["history"]))}
    rule, reminder = record.get("reminder"), thing["reminder"]
    found["reminder"] = (rule is not None, reminder is not None)
    if rule and reminder:
        clock = rule.get("time") and datetime.strptime(rule["time"], "%H:%M").time()
        start = rule.get("from") and seconds(rule["from"])
        found["rule"] = (
            (rule["every"], rule["unit"], seconds(rule["since"]), start, clock, rule.get("on") is not False),
            tuple(reminder[name] for name in ("every", "unit", "since", "from", "time", "on")))
    return found


def beneficiary(thing, record):
    return {"name": (record["name"], thing["title"])}


def bequest(thing, record):
    subject = record["item"] or record["capsule"]
    return {"accessAt": (seconds(record["accessAt"]), thing["after"]), "subject": (subject, thing["subject"]),
            "beneficiary": (record["beneficiary"], thing["person"]),
            "delivery": ([step["state"] for step in record["delivery"]], ["sent"] * thing["sent"])}
