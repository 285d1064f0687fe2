"""Runs the test bundle of the copy: each suite once, to see which mutants it reaches, and then those suites with
each mutant."""
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

# The seconds of suites that are run first, before the rest of those that reach a mutant.
FIRST = 6


class Suite:
    def __init__(self, name):
        self.name, self.seconds, self.reaches, self.holds = name, 0.0, set(), True

    @property
    def is_library(self):
        return self.name.startswith("CapsuleCoreTests.")


class Runner:
    def __init__(self, tree, scratch, jobs, say, stop):
        self.tree, self.scratch, self.jobs, self.say, self.stop = tree, scratch, jobs, say, stop
        self.bundle = tree / ".build" / "debug" / "capsulePackageTests.xctest"
        if self.bundle.is_dir():
            # macOS: a bundle is a folder, which a helper of the toolchain loads.
            stop("the tests of macOS cannot be run one suite at a time; run this on Linux")
        self.suites = []

    def command(self, *words):
        return [str(self.bundle), "--testing-library", "swift-testing", *words]

    def run(self, suites, limit, **environment):
        """Runs suites until one fails; returns how it ended ("" for well), by which test, and the seconds taken.
        The limit is of processor time, in seconds; what sleeps for ever ends much later: the machine may be busy."""
        names = "|".join(re.escape(suite.name) + "/" for suite in suites)
        home = tempfile.mkdtemp(prefix="run-", dir=self.scratch)
        started = time.monotonic()
        filters = ["--filter", f"^({names})"]

        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 15, int(limit) + 20))
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))

        process = subprocess.Popen(
            self.command(*filters), cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True, preexec_fn=limits,
            env={**os.environ, "TMPDIR": home, "HOME": home, "SWIFT_BACKTRACE": "enable=no", "TZ": "UTC",
                 "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb", **environment})
        timer = threading.Timer(2 * limit + 90, kill, [process])
        timer.start()
        failed, trapped = "", ""
        try:
            for line in process.stdout:
                if "Fatal error" in line and not trapped:
                    trapped = line.strip()
                if "recorded an issue" in line:
                    failed = line.strip()
                    break
        finally:
            late = not timer.is_alive()
            timer.cancel()
            kill(process)
            code = process.wait()
            process.stdout.close()
            shutil.rmtree(home, ignore_errors=True)
        seconds = time.monotonic() - started
        if failed:
            return "test", failed, seconds
        if late or code == -signal.SIGXCPU:
            return "time", f"no end after {seconds:.0f} s", seconds
        if code != 0:
            return "crash", trapped or f"ended with {code}", seconds
        return "", "", seconds

    def measure(self):
        """Lists the suites, and runs each by itself without a mutant."""
        listed = subprocess.run(self.command("--list-tests"), cwd=self.tree, capture_output=True, text=True,
                                check=False)
        key = hashlib.sha256(self.bundle.read_bytes()).hexdigest()
        kept = self.scratch / "suites.json"
        known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        names = sorted({line.split("/", 1)[0] for line in listed.stdout.split("\n")
                        if re.match(r"[A-Za-z]\w*\.[^/]+/", line)})
        if not names:
            self.stop(f"no tests were found: {listed.stderr.strip()[-300:]}")
        self.suites = [Suite(name) for name in names]
        started = time.monotonic()
        if known.get("bundle") == key:
            for suite in self.suites:
                suite.holds, suite.words, suite.seconds, reaches = known["suites"][suite.name]
                suite.reaches = set(reaches)
        else:
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                list(pool.map(self.measure_suite, self.suites))
            self.say(f"{len(names)} suites run without a mutant in {time.monotonic() - started:.0f} s")
            kept.write_text(json.dumps({"bundle": key, "suites": {
                suite.name: (suite.holds, suite.words, suite.seconds, sorted(suite.reaches))
                for suite in self.suites}}), encoding="utf-8")
        for suite in self.suites:
            if not suite.holds:
                self.say(f"  fails without a mutant, and is left out: {suite.name}: {suite.words}")
        self.suites = [suite for suite in self.suites if suite.holds]

    def measure_suite(self, suite):
        with tempfile.NamedTemporaryFile(dir=self.scratch) as file:
            way, words, suite.seconds = self.run([suite], 600, CAPSULE_MUTANTS_REACHED=file.name)
            suite.reaches = {int(line) for line in file.read().split() if line.isdigit()}
        suite.holds, suite.words = not way, f"{way}: {words}"

    def check_switch(self, mutants):
        """Holds that a mutant acts when it is switched on: number -1 traps wherever one is reached."""
        for mutant in mutants:
            for suite in self.suites:
                if mutant.number in suite.reaches:
                    way, words, _ = self.run([suite], 60, CAPSULE_MUTANT="-1")
                    if way != "crash":
                        self.stop(f"the switch of the mutants does nothing: {suite.name}: {way} {words}")
                    return

    def batches(self, mutant):
        """The suites that reach a mutant: near ones first, the library's before the program's, ever more."""
        reaching = [suite for suite in self.suites if mutant.number in suite.reaches]
        words = set(re.split(r"[/+.]", mutant.where)) - {"swift"}
        stems = {word.rstrip("s").lower() for word in words if len(word) > 3}

        def distance(suite):
            name = suite.name.lower()
            return (not suite.is_library, not any(stem in name for stem in stems), suite.seconds)

        batches, batch, seconds = [], [], 0.0
        for suite in sorted(reaching, key=distance):
            if batch and (seconds + suite.seconds > FIRST * 3 ** len(batches)
                          or suite.is_library != batch[0].is_library):
                batches.append(batch)
                batch, seconds = [], 0.0
            batch.append(suite)
            seconds += suite.seconds
        return [*batches, batch] if batch else batches

    def attempt(self, mutant, batch):
        """Runs a batch with a mutant; returns how it was caught, "" where it was not, and by which test."""
        limit = 3 * sum(suite.seconds for suite in batch)
        way, by, _ = self.run(batch, limit, CAPSULE_MUTANT=str(mutant.number))
        return way, by


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
