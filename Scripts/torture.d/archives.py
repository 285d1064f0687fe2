"""Archives: taken in and made by runs that are killed or have no room, cut, changed, and made by somebody hostile."""
import io
import os
import tarfile

import faults
from faults import Fault, damage, flipped
from invariants import is_whole, json_of
from operations import Operation
from reader import Contents, files
from worlds import only_an_archive, with_archive


def everything_of(store):
    """The records of a store by kind and id, live and in the trash."""
    now = Contents(store)
    return {**now.trash, **now.live}


def archive_of(bench):
    with open(os.path.join(bench.world(with_archive).work, "all.tar"), "rb") as file:
        return file.read()


def imports(bench):
    wanted = everything_of(bench.world(with_archive).store)

    def effect(_, now):
        """An import puts one record after another."""
        return "done" if {**now.trash, **now.live} == wanted else "either"
    return [Operation("import", ["import", "archive", "all.tar"], only_an_archive, effect, codes=(10,), timeout=60,
                      facts={"wanted": wanted})]


def exports(_):
    return [Operation("export", ["export", "archive", "--in-the-clear", "-o", "../out/a.tar"], with_archive)]


def archive_looks(_):
    return [Operation("export archive --verify", ["export", "archive", "--verify", "all.tar"], only_an_archive,
                      codes=(3, 7, 11))]


def is_sound(sandbox):
    """A store holds to its own hashes; after an interrupted import it may have contents that nobody names."""
    if not os.path.exists(os.path.join(sandbox.store, "store.json")):
        return
    yield from is_whole(Contents(sandbox.store))
    ran = sandbox.run("verify", "--json", timeout=60)
    answer = json_of(ran) or {"problems": [{"isDamage": True, "message": ran.tail()}]}
    if any(problem["isDamage"] for problem in answer["problems"]):
        yield f"verify: {ran.code} {answer['problems']}"


def import_is_sound(trial):
    yield from is_sound(trial.sandbox)


def next_import_finishes(trial):
    """The import once more makes the store what the archive was made from, and one more changes nothing."""
    wanted, words = trial.operation.facts["wanted"], trial.operation.words
    again = trial.run(*words, timeout=60)
    if not again.done:
        yield f"the next import: exit code {again.code}: {again.tail()}"
    if (now := everything_of(trial.sandbox.store)) != wanted:
        yield f"the next import: {differences_of(wanted, now)}"
    third = trial.run(*words, timeout=60)
    if not third.done or b"Nothing changed" not in third.out:
        yield f"the import after that: {third.code} {third.out[-200:]!r} {third.tail()}"
    yield from is_sound(trial.sandbox)
    # What a killed process left is swept after a day.
    litter = os.listdir(os.path.join(trial.sandbox.store, "tmp"))
    if litter and not trial.fault.is_kill:
        yield f"left in tmp/: {litter}"


def differences_of(wanted, now):
    return sorted(key for key in {*wanted, *now} if wanted.get(key) != now.get(key))


def export_is_whole(trial):
    """A killed export leaves no archive that is not whole, and no part of one once another was written."""
    path = os.path.join(trial.out, "a.tar")
    if os.path.exists(path):
        ran = trial.run("export", "archive", "--verify", "../out/a.tar")
        if not ran.done:
            yield f"an archive that is not whole: {ran.code} {ran.tail()}"
        os.unlink(path)
    again = trial.run(*trial.operation.words)
    if not again.done or os.listdir(trial.out) != ["a.tar"]:
        yield f"the next export: {again.code} {again.tail()} {os.listdir(trial.out)}"


def little_room(bench, _):
    return [faults.small_disk(faults.store_of, blocks=blocks) for blocks in bench.pick(range(1, 120), [1, 20, 60])]


# Cut, changed, hostile


def work_of(sandbox):
    return sandbox.work


def cut_or_changed(bench, _):
    data, rng, found = archive_of(bench), bench.random, []
    for number in range(bench.pick(600, 30)):
        at = rng.randrange(len(data) - 1024)
        is_cut = number % 2
        new = data[:at] if is_cut else data[:at] + flipped(data[at:at + 1], rng) + data[at + 1:]
        # Bytes that fill up a block say nothing; a format that such a bit says is a newer one's.
        codes = (7,) if is_cut else (0, 7, 11) if data[at] == 0 else (3, 7, 11)
        found.append(damage("all.tar", f"{'cut' if is_cut else 'changed'} at {at}", new, work_of, codes=codes,
                            is_refused=is_cut))
    return found


def refused_or_sound(trial):
    """The look and the import end as they must; of what is refused no record is taken, and nothing is written."""
    facts = trial.fault.facts
    for name, ran in (("check", trial.ran), ("import", trial.run("import", "archive", "all.tar"))):
        if ran.code not in facts["codes"]:
            yield f"{name}: exit code {ran.code}: {ran.tail()}"
    if facts["is_refused"] and everything_of(trial.sandbox.store):
        yield "records were taken"
    left = set(files(trial.sandbox.path)) - {"work/all.tar"}
    if facts.get("is_hostile") and left:
        yield f"left: {left}"
    yield from is_sound(trial.sandbox)


def hostile(bench, _):
    """Members that lead elsewhere, behind a description that is right."""
    with tarfile.open(fileobj=io.BytesIO(archive_of(bench))) as tar:
        description = tar.extractfile("archive.json").read()
    evil = [(tarfile.TarInfo(name), b"x") for name in (
        "../evil", "/tmp/evil", "a/../../evil", "identities/../../evil", "evil.sh", "..")]
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE,
                 tarfile.GNUTYPE_SPARSE, tarfile.CONTTYPE):
        info = tarfile.TarInfo("blobs")
        info.type, info.linkname = kind, "/etc"
        evil.append((info, b""))
    for headers in ({"size": "9" * 30}, {"path": "../evil"}, {"GNU.sparse.major": "1"}, {"path": "/x"}):
        info = tarfile.TarInfo("settings.json")
        info.pax_headers = headers
        evil.append((info, b""))
    return [leading_elsewhere(number, description, *member) for number, member in enumerate(evil)]


def leading_elsewhere(number, description, info, data):
    def begin(trial):
        with tarfile.open(os.path.join(trial.sandbox.work, "all.tar"), "w", format=tarfile.PAX_FORMAT) as tar:
            for member, content in ((tarfile.TarInfo("archive.json"), description), (info, data)):
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return Fault(f"hostile {number} {info.name}", "damage", begin=begin,
                 facts={"codes": (7,), "is_refused": True, "is_hostile": True})
