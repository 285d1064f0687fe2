"""`trustees make`, `renew` and `replace` are killed, and refused, at every system call.

Whatever happens: the group is as it was or as it was to be, a record never names shares whose pages are not
there whole, `verify` finds nothing, and the next try works. No share and no identity of a group is ever written
anywhere but into the pages: every write is seen by strace, and everything that lies about is searched
afterwards, also where the program was killed.
"""
import json
import os
import re
import shutil

import calls
from invariants import REFUSED, is_explained

HOLDERS = ("Mia", "Ben", "Zoe")
EFFECTS = ("signal=KILL", "error=EIO", "error=ENOSPC")
MAKE = ["trustees", "make", "family", "-k", "2", "-o", "../out/pages",
        *(word for name in HOLDERS for word in ("--holder", name))]
RENEW = ["trustees", "renew", "family", "--share", "old/1 Mia.txt", "--share", "old/3 Zoe.txt",
         "-o", "../out/pages"]
REPLACE = ["trustees", "replace", "family", "--without", "Ben", "--holder", "Ann", "-o", "../out/pages"]


def texts(path):
    """The part of each page in plain text that has the words, by the page's name."""
    found = {}
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            if name.endswith(".txt"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    text = file.read()
                found[name] = text.split("THE WORDS OF THE SHARE -----")[-1].split("----- END")[0]
    return found


def pages(path):
    """The words of each page in plain text of a folder, by its name."""
    return {name: re.findall(r"([a-z]+) +\d+", text) for name, text in texts(path).items()}


def group(sandbox):
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


def search(bench, where, sandbox, marks, allowed):
    """Searches every file of a sandbox but those below the places where pages are meant to be."""
    for root, folders, names in os.walk(sandbox.path):
        folders[:] = [name for name in folders
                      if not os.path.join(root, name).startswith(allowed)]
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                data = file.read()
            for mark in marks:
                if mark in data:
                    bench.violate(where, f"a secret of the group lies in {path[len(sandbox.path):]}")


def is_page_place(path):
    """Whether a file is one of the pages, or of those that are being made."""
    return "/.pages.partial-" in path or "/out/pages/" in path


def watch_writes(bench, name, origin, words):
    """Runs a command with each write seen, and holds that secrets go into the pages alone."""
    sandbox = origin.copy()
    log = os.path.join(sandbox.work, "writes")
    run = sandbox.run(*words, prefix=[
        calls.STRACE, "-f", "-qq", "-y", "-s", "4000000", "-o", log, "-e",
        "trace=?write,?pwrite64,?writev,?pwritev,?sendto,?sendmsg"], timeout=60)
    if not run.done:
        bench.violate(name, f"under strace: {run.code} {run.tail()}")
    with open(log, "rb") as file:
        lines = file.read().splitlines()
    os.unlink(log)
    marks = secrets_of(sandbox, os.path.join(sandbox.path, "out", "pages"))
    if len(marks) < 2 * len(HOLDERS) + 2:
        bench.violate(name, f"only {len(marks)} secrets are known")
    seen = 0
    for line in lines:
        target = re.search(rb"\b\w+\(\d+<([^>]*)>", line)
        path = target.group(1).decode(errors="replace") if target else "?"
        # strace writes line ends and quotes as escapes; words and keys have neither.
        if any(mark in line for mark in marks):
            seen += 1
            if not is_page_place(path):
                bench.violate(name, f"a secret is written to {path}")
    if seen < len(HOLDERS):
        bench.violate(name, f"strace saw {seen} writes of pages")
    allowed = (os.path.join(sandbox.path, "out", "pages"), os.path.join(sandbox.work, "old"))
    search(bench, name, sandbox, marks, allowed)
    sandbox.remove()
    return len(lines)


class Rules:
    """What holds after any end of one of the commands."""

    def __init__(self, bench, name, origin, words):
        self.bench, self.name, self.origin, self.words = bench, name, origin, words
        self.before = group(origin)

    def check(self, sandbox, where, run, effect):
        def violate(what):
            self.bench.violate(where, what)
        if run.code == 127 and b"error while loading shared libraries" in run.err:
            return
        if effect.startswith("error") and run.code != 0:
            if run.code not in REFUSED or not is_explained(run):
                violate(f"an error ended it with {run.code}: {run.tail()}")
        out = os.path.join(sandbox.path, "out")
        made = pages(os.path.join(out, "pages"))
        now = group(sandbox)
        count = len(HOLDERS)
        if now != self.before:
            if len(made) != count or any(len(words) != 33 for words in made.values()):
                violate(f"the record has new shares, and {len(made)} pages are whole")
            elif now is not None:
                for name in made:
                    answer = sandbox.run("trustees", "check", "--json", "--share",
                                         os.path.join(out, "pages", name))
                    if not answer.done or json.loads(answer.out)["holder"] is None:
                        violate(f"the page '{name}' is not of the recorded share")
        elif run.done:
            violate("acknowledged, and the group is as it was")
        left = [name for name in os.listdir(out) if name != "pages"]
        if effect != "signal=KILL" and left and "unlinkat" not in where and "rmdir" not in where:
            violate(f"left beside the pages: {left}")
        marks = []
        for name in [*left, *(["pages"] if made else [])]:
            marks += secrets_of(sandbox, os.path.join(out, name))
        search(self.bench, where, sandbox, marks, (out, os.path.join(sandbox.work, "old")))
        verified = sandbox.run("verify")
        if not verified.done:
            violate(f"verify: exit code {verified.code}: {verified.tail()}")
        # The next try works where the first did nothing: with the pages out of the way.
        shutil.rmtree(os.path.join(out, "pages"), ignore_errors=True)
        if now == self.before:
            again = sandbox.run(*self.words)
            if not again.done or group(sandbox) == self.before:
                violate(f"the next try: {again.code} {again.tail()}")


def household(bench):
    """A sandbox without a group, and one with a group and its pages in `work/old`."""
    empty = bench.sandbox()
    for words in (["settings", "set", "postQuantum", "off"], ["create", "C", "-u", "2090", "--text", "x"]):
        run = empty.run(*words)
        if not run.done:
            raise RuntimeError(f"{words} {run.code} {run.tail()}")
    full = empty.copy()
    run = full.run(*MAKE)
    if not run.done:
        raise RuntimeError(f"the group cannot be made: {run.code} {run.tail()}")
    shutil.move(os.path.join(full.path, "out", "pages"), os.path.join(full.work, "old"))
    return empty, full


def run(bench):
    if not calls.usable():
        raise bench.Skip("strace cannot trace here")
    empty, full = household(bench)
    jobs, writes = [], 0
    for name, origin, words in (("make", empty, MAKE), ("renew", full, RENEW), ("replace", full, REPLACE)):
        writes += watch_writes(bench, name, origin, words)
        rules = Rules(bench, name, origin, words)
        rehearsal = origin.copy()
        _, points = calls.trace(rehearsal, words)
        rehearsal.remove()
        # A close that is refused here stays undone, as no real one does, and keeps its lock.
        jobs += [(rules, call, number, effect) for call, number, _ in points for effect in EFFECTS
                 if (effect, call) not in (("error=EIO", "close"), ("error=ENOSPC", "close"))]
    points = len(jobs)
    if bench.short:
        jobs = bench.random.sample(jobs, min(len(jobs), 150))
    ended = dict.fromkeys(EFFECTS, 0)

    def one(job):
        rules, call, number, effect = job
        sandbox = rules.origin.copy()
        ran = sandbox.run(*rules.words, prefix=calls.injecting(call, number, effect))
        ended[effect] += ran.code != 0
        rules.check(sandbox, f"{rules.name}, {effect} at {call}#{number}", ran, effect)
        sandbox.remove()

    bench.each(jobs, one)
    errors = sum(count for effect, count in ended.items() if effect != "signal=KILL")
    return (f"{ended['signal=KILL']} kills and {errors} errors at {len(jobs)} of {points} points, "
            f"{writes} writes watched")
