"""A store that may only be read: every reading command works, and changes nothing at all."""
import os
import subprocess

from changes import base
from reader import files

NOBODY = 65_534


def run(bench):
    origin = base(bench)
    ids = origin.ids
    readers = [["list"], ["list", "--json"], ["show", ids["plain"]], ["countdown", "--once"], ["verify"],
               ["open", ids["ready"], "--json"], ["open", ids["locked"]], ["check", "--dry-run"],
               ["settings"], ["list", "--search", "notes"]]
    ways = {"0500": forbid, "mounted read-only": mount, "as it is": lambda _: lambda: None}
    count = 0
    for way, prepare in ways.items():
        for words in readers:
            if way == "as it is" and words[0] in ["open", "verify"]:
                # A writable store is told when a capsule was opened, and what its journal lacks.
                continue
            sandbox = origin.copy()
            try:
                undo = prepare(sandbox)
            except PermissionError as reason:
                print(f"  readonly: {way}: skipped: {reason}", flush=True)
                break
            count += 1
            # To write what they found out, both take the lock of a store that lets them.
            but = ["lock"] if way == "0500" and words[0] in ["open", "verify"] else []
            before = snapshot(sandbox.store, but)
            ran = sandbox.run(*words, preexec_fn=drop if way == "0500" else None)
            expected = 4 if words[0] == "open" and words[1] == ids["locked"] else 0
            if ran.code != expected:
                bench.violate(f"{way}: {words}", f"exit code {ran.code}: {ran.tail()}")
            if snapshot(sandbox.store, but) != before:
                bench.violate(f"{way}: {words}", "something in the store changed")
            undo()
            sandbox.remove()
    return f"{count} readings"


def snapshot(store, but):
    result = {}
    for parent, directories, names in os.walk(store):
        for name in [".", *directories, *names]:
            path = os.path.join(parent, name)
            if os.path.relpath(path, store) in but:
                continue
            status = os.lstat(path)
            result[path] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return result, {path: data for path, data in files(store).items() if path not in but}


def forbid(sandbox):
    if os.getuid() != 0:
        for parent, _, _ in os.walk(sandbox.store):
            os.chmod(parent, 0o500)
        return lambda: None
    # The superuser may do everything: be somebody else, who owns it.
    parent = sandbox.path
    while parent != "/":
        os.chmod(parent, os.stat(parent).st_mode | 0o055)
        parent = os.path.dirname(parent)
        if parent in ("/tmp", "/dev/shm", "/dev"):
            break
    subprocess.run(["chown", "-R", str(NOBODY), sandbox.path], check=True)
    for parent, _, _ in os.walk(sandbox.store):
        os.chmod(parent, 0o500)
    return lambda: None


def drop():
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def mount(sandbox):
    done = subprocess.run(["mount", "--bind", sandbox.store, sandbox.store], capture_output=True,
                          check=False)
    if done.returncode:
        raise PermissionError("no right to mount")
    subprocess.run(["mount", "-o", "remount,bind,ro", sandbox.store], check=True)
    return lambda: subprocess.run(["umount", "-l", sandbox.store], check=True)
