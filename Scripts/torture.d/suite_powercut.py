"""A real ext4 on a loop device, shut down in the middle of writing by its own ioctl."""
import fcntl
import os
import shutil
import subprocess
import threading
import time

from changes import FUTURE, contents
from sandbox import Sandbox

# EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: what is not on the disk by now is lost.
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, (2).to_bytes(4, "little")
MODES = ["data=ordered", "data=writeback"]


def run(bench):
    image, mount = os.path.join(bench.root, "image"), os.path.join(bench.root, "disk")
    os.mkdir(mount)
    rounds, records = bench.pick(500, 10), 0
    for number in range(rounds):
        if number % 50 == 0:
            make(bench, image)
            known = {}
        attach(bench, image, mount, MODES[number // 50 % 2])
        sandbox = Sandbox(bench, mount)
        known.update(write_until_cut(bench, sandbox, mount))
        subprocess.run(["umount", "-l", mount], check=True)
        time.sleep(0.05)
        attach(bench, image, mount, MODES[number // 50 % 2])
        where = f"cut {number}"
        now = contents(sandbox) if os.path.isdir(sandbox.store) else None
        for problem in now.problems if now else []:
            bench.violate(where, problem)
        for name, title in known.items():
            if now is None or ("capsules", name) not in now.live \
                    or now.record("capsules", name)["title"] != title:
                bench.violate(where, f"{title} was acknowledged and is not there")
        if now:
            verified = sandbox.run("verify", timeout=60)
            if not verified.done:
                bench.violate(where, f"verify: {verified.code} {verified.tail()}")
            records = len(now.live)
        subprocess.run(["umount", mount], check=True)
    return f"{rounds} cuts in {len(MODES)} modes, {records} records at the last"


def make(bench, image):
    if not shutil.which("mkfs.ext4"):
        raise bench.Skip("no mkfs.ext4")
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    done = subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True, check=False)
    if done.returncode:
        raise bench.Skip("no mkfs.ext4")


def attach(bench, image, mount, mode):
    for _ in range(20):
        done = subprocess.run(["mount", "-o", f"loop,{mode}", image, mount], capture_output=True,
                              text=True, check=False)
        if done.returncode == 0:
            return
        time.sleep(0.1)
    raise bench.Skip("no right to mount a loop device: " + done.stderr.strip())


def write_until_cut(bench, sandbox, mount):
    """Two writers make, change and delete; the disk goes after a moment. What was said is returned."""
    said, lock, stop = {}, threading.Lock(), threading.Event()

    def write(number):
        count = 0
        while not stop.is_set():
            count += 1
            title = f"{number}-{count}-{time.monotonic_ns()}"
            ran = sandbox.run("create", title, "--unlock", FUTURE, "--text", "x" * 3000, "-q",
                              timeout=30)
            if not ran.done:
                return
            name = ran.out.decode().strip()
            with lock:
                said[name] = title
            if count % 3 == 0:
                if sandbox.run("edit", name, "--title", title + "!", "-q").done:
                    with lock:
                        said[name] = title + "!"
                else:
                    # Not said, and not denied: either title is right.
                    with lock:
                        said.pop(name)
                    return

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in writers:
        thread.start()
    time.sleep(bench.random.uniform(0.02, 0.4))
    directory = os.open(mount, os.O_RDONLY)
    fcntl.ioctl(directory, SHUTDOWN, NO_LOG_FLUSH)
    os.close(directory)
    stop.set()
    for thread in writers:
        thread.join()
    return said
