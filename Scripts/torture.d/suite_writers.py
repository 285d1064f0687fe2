"""Four writers, killed at random moments; what was acknowledged stays."""
import os
import threading
import time

from changes import FUTURE, contents, json_of


def run(bench):
    sandbox = bench.sandbox()
    goal = bench.pick(10_000, 300)
    acknowledged, kills, lock, failures = {}, [0], threading.Lock(), []
    usual = typical(sandbox)
    generators = [type(bench.random)(bench.random.random()) for _ in range(4)]

    def write(number):
        rng, count = generators[number], 0
        while kills[0] < goal:
            count += 1
            text = f"{number}-{count}-" + "x" * rng.randrange(2000)
            process = sandbox.start("create", f"w{number}-{count}", "--unlock", FUTURE, "--text",
                                    text, "-q")
            # Most die on their way, at any part of it; some come through.
            timer = threading.Timer(rng.uniform(0, usual * 1.5), process.kill)
            timer.start()
            out, err = process.communicate()
            timer.cancel()
            with lock:
                if process.returncode == -9:
                    kills[0] += 1
                elif process.returncode != 0:
                    failures.append((process.returncode, err[-200:]))
                name = out.decode().strip()
                if name:
                    acknowledged[name] = f"w{number}-{count}"

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        time.sleep(1)
        listed = sandbox.run("list", "--json")
        if not listed.done or json_of(listed) is None:
            bench.violate("reader", f"list: {listed.code} {listed.tail()}")
    for code, err in failures[:10]:
        bench.violate("writer", f"exit code {code}: {err!r}")
    now = contents(sandbox)
    for problem in now.problems:
        bench.violate("store", problem)
    for name, title in acknowledged.items():
        key = ("capsules", name)
        if key not in now.live or now.record(*key)["title"] != title:
            bench.violate("writer", f"{title} was acknowledged and is not there")
    verified = sandbox.run("verify", timeout=300)
    if not verified.done:
        bench.violate("verify", f"{verified.code} {verified.tail()}")
    left = len(os.listdir(os.path.join(sandbox.store, "tmp")))
    return (f"{kills[0]} kills, {len(acknowledged)} acknowledged, {len(now.live)} records, "
            f"{left} files in tmp/")


def typical(sandbox):
    """How long a create takes here, in seconds."""
    started = time.monotonic()
    for number in range(5):
        sandbox.run("create", f"first-{number}", "--unlock", FUTURE, "--text", "x", "-q")
    return (time.monotonic() - started) / 5 * 2
