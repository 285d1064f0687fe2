"""The changes of items: media, history and reminder, each wholly there or wholly absent."""
import hashlib


def add_items(sandbox):
    """Items in a sandbox's store, in every state. Their ids stand in `ids` by their names."""
    for name, steps in (
            ("watch", [["attach", "photo.jpg", "sound.wav"], ["log", "--value", "1.50"],
                      ["log", "--when", "2020-01-01", "--notes", "then"],
                      ["remind", "--every", "3 months"]]),
            ("box", [["attach", "photo.jpg"]]),
            ("lost", [["attach", "sound.wav"], ["log"]]),
            ("sold", [["attach", "new.jpg"], ["remind", "--every", "day"]])):
        run = sandbox.run("item", "add", name, "--value", "EUR 12", "-q")
        if not run.done:
            raise RuntimeError(f"the base store cannot be made: {run.code} {run.tail()}")
        sandbox.ids[name] = run.out.decode().strip()
        for verb, *words in steps:
            run = sandbox.run("item", verb, sandbox.ids[name], *words)
            if not run.done:
                raise RuntimeError(f"the base store cannot be made: {verb} {run.code} {run.tail()}")
    run = sandbox.run("item", "delete", sandbox.ids["lost"], sandbox.ids["sold"], "--yes")
    if not run.done:
        raise RuntimeError(f"the base store cannot be made: {run.code} {run.tail()}")


def item_changes(ids, kit, photo, sound):
    """Every changing command of items; `kit` are the makers of effects of `changes`."""
    def key(name):
        return ("items", ids[name])

    def holds(now, media, files):
        """Whether the media are these files, with their bytes in their blobs."""
        names = [hashlib.sha256(data).hexdigest() for data in files]
        if [part["blob"] for part in media] != names:
            return "the media are not those that were given"
        for name, data in zip(names, files):
            if now.blobs.get(name) != data:
                return f"blob {name} is not what was given"
        return None

    def added(before, now):
        new = [name for name in now.live if name not in before.live]
        problem = kit.unchanged(before, now, but=new)
        if problem or not new:
            return problem or "absent"
        record = now.record(*new[0])
        if len(new) > 1 or record["name"] != "new" or record["value"]["amount"] != "3.00":
            return f"{len(new)} new records, one is called {record['name']!r}"
        return "done"

    def only(field, is_done):
        def check(old, new, now):
            return kit.same_but(old, new, [field]) or is_done(old[field], new[field], now)
        return check

    def attached(old, new, now):
        return ("earlier media changed" if new[:1] != old[:1] else
                holds(now, new, [photo, sound, photo]) or "done")

    def detached(old, new, now):
        return "done" if new == old[:1] else "half was taken away"

    def logged(old, new, now):
        return "done" if [e for e in new if e["notes"] != "again"] == old and len(new) == 3 \
            else "the history is another"

    def unlogged(old, new, now):
        return "done" if new == old[1:] else "the history is another"

    def reminded(old, new, now):
        return "done" if new["every"] == 2 and new["unit"] == "week" else "half a rule"

    def edited_check(old, new, now):
        return kit.same_but(old, new, ["name", "location"]) or (
            "done" if (new["name"], new["location"]) == ("band", "bank") else "half an edit")

    watch = ids["watch"]
    return [
        kit.Change("item-add", ["item", "add", "new", "--value", "EUR 3"], added),
        kit.Change("item-edit", ["item", "edit", watch, "--name", "band", "--location", "bank"],
                   kit.edited(key("watch"), edited_check)),
        kit.Change("item-attach", ["item", "attach", ids["box"], "sound.wav", "photo.jpg"],
                   kit.edited(key("box"), only("media", attached))),
        kit.Change("item-detach", ["item", "detach", watch, "2", "--yes"],
                   kit.edited(key("watch"), only("media", detached))),
        kit.Change("item-log", ["item", "log", watch, "--notes", "again"],
                   kit.edited(key("watch"), only("history", logged))),
        kit.Change("item-unlog", ["item", "unlog", watch, "1", "--yes"],
                   kit.edited(key("watch"), only("history", unlogged))),
        kit.Change("item-remind", ["item", "remind", watch, "--every", "2 weeks"],
                   kit.edited(key("watch"), only("reminder", reminded))),
        kit.Change("item-delete", ["item", "delete", watch, "--yes"],
                   kit.moved(key("watch"), "live", "trash")),
        kit.Change("item-restore", ["restore", ids["lost"]],
                   kit.moved(key("lost"), "trash", "live")),
        kit.Change("item-purge", ["purge", ids["sold"], "--yes"], kit.purged(key("sold"))),
        kit.Change("item-list", ["item", "list", "--json"], kit.nothing),
        kit.Change("since", ["since", "--json"], kit.nothing),
    ]
