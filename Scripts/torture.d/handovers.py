"""The invariants of what is given to people: deliveries, estates, shares of trustees, and a store's passphrase."""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile

import faults
from invariants import is_explained
from reader import Contents, files
from worlds import HOLDERS, PHOTO

# A call of that name takes something away: where it is refused, that stays.
REMOVING = ("unlink", "unlinkat", "rmdir")


def may_leave_parts(trial):
    return trial.fault.is_kill or trial.fault.call in REMOVING


# Deliveries


def folder(sandbox):
    return os.path.join(sandbox.path, "out", "all")


def with_delivery(bench, operation):
    """Gives an operation the facts of a delivery without a fault: its files, whose they are, and what is sent."""
    rehearsal = bench.world(operation.world).copy()
    deliveries = json.loads(rehearsal.do(*operation.words, "--json"))
    names = {delivery["beneficiary"]["id"]: delivery["path"].split("/")[-1] for delivery in deliveries}
    operation.facts = {
        "people": names, "trees": {name: files(os.path.join(folder(rehearsal), name)) for name in names.values()},
        "sent": {gift["bequest"] for delivery in deliveries for gift in delivery["gifts"]}}
    rehearsal.remove()
    return operation


def deliverable(now):
    """For each person by id, the states of the bequests that are to be delivered."""
    result = {}
    for kind, name in now.live:
        if kind == "bequests":
            record = now.record(kind, name)
            result.setdefault(record["beneficiary"], {})[name] = [step["state"] for step in record["delivery"]]
    return result


def delivered_names(trial):
    return os.listdir(folder(trial.sandbox)) if os.path.isdir(folder(trial.sandbox)) else []


def is_whole_delivery(trial, name):
    path = os.path.join(folder(trial.sandbox), name)
    if "--seal" not in trial.operation.words:
        return files(path) == trial.operation.facts["trees"][name]
    opened = subprocess.run(["age", "-d", "-i", os.path.join(trial.sandbox.work, "id.txt"), path],
                            capture_output=True, check=False)
    listed = subprocess.run(["tar", "-t"], input=opened.stdout, capture_output=True, check=False)
    return opened.returncode == 0 and listed.returncode == 0


def delivered_whole(trial):
    """What has a person's name is whole; nobody's bequest is marked sent without it; only bequests change."""
    yield from trial.now.problems
    people, sent = trial.operation.facts["people"], trial.operation.facts["sent"]
    names = delivered_names(trial)
    # A bequest that could not be read is in no delivery, which is said.
    is_told = trial.ran.code == 3 and b"were left out of the deliveries" in trial.ran.err
    for name in names:
        if name in people.values():
            if not is_told and not is_whole_delivery(trial, name):
                yield f"{name} is there and not whole"
        elif ".partial-" not in name:
            yield f"something else is there: {name}"
        elif not may_leave_parts(trial):
            yield f"a partial delivery is left: {name}"
    for person, bequests in deliverable(trial.now).items():
        for bequest, steps in bequests.items():
            if steps not in ([], ["sent"]) or steps and bequest not in sent:
                yield f"a bequest is {steps}"
            if steps and people[person] not in names:
                yield f"{people[person]} is not there, and a bequest is marked sent"
    for key, data in trial.before.live.items():
        if key[0] != "bequests" and trial.now.live.get(key) != data:
            yield f"the record {key} changed"


def next_delivery_finishes(trial):
    """The next delivery refuses what is there unmarked; moved away, it is made anew."""
    sent, names, before = trial.operation.facts["sent"], delivered_names(trial), deliverable(trial.now)
    unmarked = [name for person, name in trial.operation.facts["people"].items() if name in names and any(
        not steps for bequest, steps in before.get(person, {}).items() if bequest in sent)]
    ran = trial.run(*trial.operation.words)
    if unmarked:
        if ran.code not in (3, 12) or not is_explained(ran):
            yield f"the next delivery says {ran.code} of {unmarked}: {ran.tail()}"
        for name in unmarked:
            path = os.path.join(folder(trial.sandbox), name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        ran = trial.run(*trial.operation.words)
    if not ran.done:
        yield f"the delivery after it: {ran.code}: {ran.tail()}"
    for bequests in deliverable(Contents(trial.sandbox.store)).values():
        for bequest, steps in bequests.items():
            if (steps == ["sent"]) != (bequest in sent):
                yield f"at the end a bequest is {steps}"


# Estates

# What is sealed, or too large for an index: found nowhere but in the store and in the estate.
SECRETS = (b"only for the trustees", b"AGE-SECRET-KEY", PHOTO[:64])
# What the index of the machine may have too.
READABLE = (b"Heirloom of 1912", b"Nobody's")


def members(bench, path, key):
    """Every file of a sealed archive."""
    run = subprocess.run([bench.binary, "unseal", "-i", key, path], capture_output=True, check=False)
    if run.returncode:
        raise ValueError(f"it does not open: {run.stderr[-200:]!r}")
    result = {}
    with tarfile.open(fileobj=io.BytesIO(run.stdout)) as archive:
        for member in archive:
            if member.isfile():
                data = archive.extractfile(member).read()
                if len(data) != member.size:
                    raise ValueError(f"{member.name} is cut")
                result[member.name] = data
    return result


def estate_of(sandbox):
    """The digests of what an estate holds; of an archive within it, of what that holds."""
    digests = {}
    for name, data in members(sandbox.bench, os.path.join(sandbox.path, "out", "estate.age"),
                              os.path.join(sandbox.work, "key")).items():
        if name.endswith(".tar.age"):
            inner = sandbox.put("inner.age", data)
            data = repr(sorted((n, hashlib.sha256(d).digest()) for n, d in members(
                sandbox.bench, inner, os.path.join(sandbox.work, "id.txt")).items())).encode()
            os.unlink(inner)
        digests[name] = hashlib.sha256(data).hexdigest()
    return digests


def with_estate_facts(bench, operation):
    """Gives an operation what the estate holds without a fault; no file is made but in the output, cache and state."""
    rehearsal = bench.world(operation.world).copy()
    rehearsal.do(*operation.words)
    operation.facts = {"tree": estate_of(rehearsal), "store": files(rehearsal.store)}
    rehearsal.remove()
    rehearsal = bench.world(operation.world).copy()
    for call, _, text in faults.trace(rehearsal, operation.words)[1]:
        if call == "openat" and "O_CREAT" in text and not re.search("/out/|cache|state", text):
            bench.violate("estate", f"a file is made: {text[:120]}")
    rehearsal.remove()
    return operation


def estate_is_whole(trial):
    """Under its name it is whole or not there, and its list is of it."""
    # What could not be read is not in it, which is said.
    is_told = trial.ran.code == 3 and (b"capsule: warning: " in trial.ran.err or b"capsule: error: " in trial.ran.err)
    for name in sorted(os.listdir(trial.out)):
        if name == "estate.age":
            try:
                if estate_of(trial.sandbox) != trial.operation.facts["tree"] and not is_told:
                    yield "the estate is there and another"
            except (ValueError, OSError, tarfile.TarError) as error:
                yield f"the estate is there and not whole: {error}"
        elif name == "estate.age.list":
            with open(os.path.join(trial.out, name), "rb") as file:
                listed = json.load(file)
            with open(os.path.join(trial.out, "estate.age"), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != listed["sha256"]:
                    yield "the list is of another file"
        elif name in ("estate.age.html", "estate.age.join.py"):
            with open(os.path.join(trial.out, name), "rb") as file:
                if not file.read().endswith((b"</html>\n", b"left))\n")):
                    yield f"{name} is there and not whole"
        elif not (name.startswith(".capsule-") and name.endswith(".tmp")):
            yield f"something else is there: {name}"
        elif not may_leave_parts(trial):
            yield f"a part is left: {name}"


def nothing_in_the_clear(trial):
    """No text, name or key is anywhere but in the store and in what is sealed; the store is as it was."""
    for place in ("out", "cache", "state", "home", "config"):
        for name, data in files(os.path.join(trial.sandbox.path, place)).items():
            for secret in SECRETS + (READABLE if place == "out" else ()):
                if secret in data:
                    yield f"{place}/{name} has {secret[:20]!r} in the clear"
    for name, data in files(trial.sandbox.store).items():
        if trial.operation.facts["store"].get(name) != data and name != "lock":
            yield f"the store changed: {name}"


def next_estate_finishes(trial):
    again = trial.run(*trial.operation.words, "--force")
    if not again.done:
        yield f"the next one: {again.code}: {again.tail()}"
    elif estate_of(trial.sandbox) != trial.operation.facts["tree"]:
        yield "the next one is another"
    checked = trial.run("estate", "--verify", "../out/estate.age", "--exit-code")
    if checked.code != 1:
        yield f"its list does not fit: {checked.code}: {checked.tail()}"
    left = [name for name in os.listdir(trial.out) if name.startswith(".")]
    if left:
        yield f"the next one leaves {left}"


# Trustees


def texts(path):
    """The part of each page in plain text that has the words, by the page's name."""
    found = {}
    for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
        if name.endswith(".txt"):
            with open(os.path.join(path, name), encoding="utf-8") as file:
                text = file.read()
            found[name] = text.split("THE WORDS OF THE SHARE -----")[-1].split("----- END")[0]
    return found


def pages(path):
    """The words of each page in plain text of a folder, by its name."""
    return {name: re.findall(r"([a-z]+) +\d+", text) for name, text in texts(path).items()}


def group_of(sandbox):
    run = sandbox.run("trustees", "show", "family", "--json")
    if run.code == 5:
        return None
    answer = json.loads(run.out)
    return {key: answer[key] for key in ("identifier", "recipient", "holders", "threshold")}


def secrets_of(sandbox, path):
    """What must lie nowhere else: a line of each page, four words of each share in a row, and the identity
    that the shares give."""
    shares = pages(path)
    marks = [" ".join(words[4:8]).encode() for words in shares.values() if len(words) == 33]
    for text in texts(path).values():
        marks += [line.strip().encode() for line in text.splitlines() if re.match(" *7[.] [a-z]", line)]
    names = list(shares)[:2]
    if len(names) == 2:
        run = sandbox.run("trustees", "combine", *(
            word for name in names for word in ("--share", os.path.join(path, name))))
        for line in run.out.decode().splitlines():
            if line.startswith("AGE-SECRET-KEY-"):
                marks += [line[20:50].encode(), line[20:50].lower().encode()]
    return marks


def found_elsewhere(sandbox, marks, allowed):
    """Searches every file of a sandbox but those below the places where pages are meant to be."""
    for root, folders, names in os.walk(sandbox.path):
        folders[:] = [name for name in folders if not os.path.join(root, name).startswith(allowed)]
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                data = file.read()
            if any(mark in data for mark in marks):
                yield f"a secret of the group lies in {path[len(sandbox.path):]}"


def with_group_facts(bench, operation):
    """Runs a command with each write seen, and holds that secrets go into the pages alone; counts the writes."""
    start = bench.world(operation.world)
    operation.facts["group"] = group_of(start)
    sandbox = start.copy()
    log, out = os.path.join(sandbox.work, "writes"), os.path.join(sandbox.path, "out", "pages")
    run = sandbox.run(*operation.words, timeout=60, prefix=[
        faults.STRACE, "-f", "-qq", "-y", "-s", "4000000", "-o", log, "-e",
        "trace=?write,?pwrite64,?writev,?pwritev,?sendto,?sendmsg"])
    problems = [] if run.done else [f"under strace: {run.code} {run.tail()}"]
    with open(log, "rb") as file:
        lines = file.read().splitlines()
    os.unlink(log)
    marks = secrets_of(sandbox, out)
    if len(marks) < 2 * len(HOLDERS) + 2:
        problems.append(f"only {len(marks)} secrets are known")
    # strace writes line ends and quotes as escapes; words and keys have neither.
    telling = [line for line in lines if any(mark in line for mark in marks)]
    for line in telling:
        target = re.search(rb"\b\w+\(\d+<([^>]*)>", line)
        path = target.group(1).decode(errors="replace") if target else "?"
        if "/.pages.partial-" not in path and "/out/pages/" not in path:
            problems.append(f"a secret is written to {path}")
    if len(telling) < len(HOLDERS):
        problems.append(f"strace saw {len(telling)} writes of pages")
    problems += found_elsewhere(sandbox, marks, (out, os.path.join(sandbox.work, "old")))
    for problem in problems:
        bench.violate(operation.name, problem)
    operation.facts["writes"] = len(lines)
    sandbox.remove()
    return operation


def group_has_its_pages(trial):
    """The group is as before or as after, with every page whole; no share lies but in the pages."""
    made, now = pages(os.path.join(trial.out, "pages")), group_of(trial.sandbox)
    trial.fault.facts["now"] = now
    if now != trial.operation.facts["group"]:
        if len(made) != len(HOLDERS) or any(len(words) != 33 for words in made.values()):
            yield f"the record has new shares, and {len(made)} pages are whole"
        elif now is not None:
            for name in made:
                answer = trial.run("trustees", "verify", "--json", "--share", os.path.join(trial.out, "pages", name))
                if not answer.done or json.loads(answer.out)["holder"] is None:
                    yield f"the page '{name}' is not of the recorded share"
    elif trial.ran.done:
        yield "acknowledged, and the group is as it was"
    left = [name for name in os.listdir(trial.out) if name != "pages"]
    if left and not may_leave_parts(trial):
        yield f"left beside the pages: {left}"
    marks = []
    for name in [*left, *(["pages"] if made else [])]:
        marks += secrets_of(trial.sandbox, os.path.join(trial.out, name))
    yield from found_elsewhere(trial.sandbox, marks, (trial.out, os.path.join(trial.sandbox.work, "old")))


def next_group_works(trial):
    """The next try works where the first did nothing, with the pages out of the way."""
    before = trial.operation.facts["group"]
    shutil.rmtree(os.path.join(trial.out, "pages"), ignore_errors=True)
    if trial.fault.facts["now"] == before:
        again = trial.run(*trial.operation.words)
        if not again.done or group_of(trial.sandbox) == before:
            yield f"the next try: {again.code} {again.tail()}"


# A store's passphrase


def is_protected(sandbox):
    with open(os.path.join(sandbox.store, "store.json"), encoding="utf-8") as file:
        return json.load(file)["format"] == 2


def honor_capsules_open(trial):
    """Every honor capsule opens, the deleted one too, with the passphrase where the store is protected."""
    sandbox = trial.sandbox
    sandbox.run("restore", sandbox.ids["deleted"])
    given = ["--passphrase-file", "word"] if is_protected(sandbox) else []
    for title, name in sandbox.ids.items():
        run = sandbox.run("open", name, *given, timeout=trial.operation.timeout)
        if run.out.decode() != f"the text of {title}":
            yield f"'{title}' does not open: {run.code} {run.tail()}"


def honor_capsules_are_the_stores(trial):
    """And by `age` with the identity that `identity print` gives, which asks for the passphrase once."""
    sandbox = trial.sandbox
    given = ["--passphrase-file", "word"] if is_protected(sandbox) else []
    identity = os.path.join(sandbox.path, "out", "identity")
    printed = sandbox.run("identity", "print", "-o", identity, *given, timeout=trial.operation.timeout)
    if not printed.done:
        yield f"identity print: {printed.code} {printed.tail()}"
        return
    now = Contents(sandbox.store)
    for title, name in sandbox.ids.items():
        try:
            found = now.opened(now.found("capsules", name), [identity])
        except (ValueError, KeyError) as error:
            found = error
        if found != [f"the text of {title}".encode()]:
            yield f"'{title}' does not open by age: {found!r}"


def next_protection_finishes(trial):
    again = trial.run(*trial.operation.words, timeout=trial.operation.timeout)
    if not again.done:
        yield f"the next try ends with {again.code}: {again.tail()}"
    elif is_protected(trial.sandbox) != (trial.operation.name == "protect"):
        yield "the next try did not finish"


def no_key_in_the_clear(trial):
    """No file of a protected store holds a secret key: this machine's, or what others and repairs left."""
    if is_protected(trial.sandbox):
        for path, data in files(trial.sandbox.store).items():
            if b"AGE-SECRET-KEY-1" in data:
                yield f"'{path}' holds a key in the clear"
