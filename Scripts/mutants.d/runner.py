"""Runs the test bundle of the copy: each suite once, to see which mutants it reaches, and then those suites with
each mutant."""
import collections
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
FIRST = 2


class Suite:
    """A suite, by its name and by a key that is another one when its text or a helper's is."""

    def __init__(self, name, text, folders):
        self.folders = folders
        self.name, self.seconds, self.reaches, self.holds = name, 0.0, set(), True
        self.words = ""
        self.key = f"{name}@{hashlib.sha256(text).hexdigest()[:16]}"

    @property
    def is_library(self):
        return self.name.startswith(("CapsuleCoreTests.", "CapsuleStoreTests.", "CapsuleRecordTests."))


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
        The limit is of processor time, in seconds; what sleeps for ever ends later. Neither passes while the
        machine is busy with something else."""
        names = "|".join(re.escape(suite.name) + "/" for suite in suites)
        home = tempfile.mkdtemp(prefix="run-", dir=self.scratch)
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
        watch = Watch(process, limit + 60)
        watch.start()
        failed, trapped = "", ""
        try:
            for line in process.stdout:
                if "Fatal error" in line and not trapped:
                    trapped = line.strip()
                if "recorded an issue" in line:
                    failed = line.strip()
                    break
        finally:
            watch.stopped.set()
            kill(process)
            _, status, usage = os.wait4(process.pid, 0)
            code = process.returncode = os.waitstatus_to_exitcode(status)
            watch.join()
            process.stdout.close()
            shutil.rmtree(home, ignore_errors=True)
        seconds = usage.ru_utime + usage.ru_stime + watch.slept
        if failed:
            return "test", failed, seconds
        if watch.is_late or code == -signal.SIGXCPU:
            return "time", f"no end after {seconds:.0f} s", seconds
        if code != 0:
            return "crash", trapped or f"ended with {code}", seconds
        return "", "", seconds

    def measure(self):
        """Lists the suites, and runs each by itself without a mutant."""
        listed = subprocess.run(self.command("--list-tests"), cwd=self.tree, capture_output=True, text=True,
                                check=False)
        names = sorted({line.split("/", 1)[0] for line in listed.stdout.split("\n")
                        if re.match(r"[A-Za-z]\w*\.[^/]+/", line)})
        if not names:
            self.stop(f"no tests were found: {listed.stderr.strip()[-300:]}")
        helpers, texts, folders = self.test_texts()
        types = {name: name.split(".", 1)[1] for name in names}
        self.suites = [Suite(name, helpers + texts[types[name]], folders[types[name]]) for name in names]
        sources = hashlib.sha256()
        for path in sorted((self.tree / "Sources").rglob("*.swift")):
            sources.update(path.read_bytes())
        sources = sources.hexdigest()
        kept = self.scratch / "suites.json"
        known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        measured = known["suites"] if known.get("sources") == sources else {}
        started = time.monotonic()
        new = [suite for suite in self.suites if suite.key not in measured]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for suite in pool.map(self.measure_suite, new):
                if suite.holds:
                    measured[suite.key] = suite.seconds, sorted(suite.reaches)
                    kept.write_text(json.dumps({"sources": sources, "suites": measured}), encoding="utf-8")
                else:
                    self.say(f"  fails without a mutant, and is left out: {suite.name}: {suite.words}")
        self.say(f"{len(new)} of {len(names)} suites run without a mutant in {time.monotonic() - started:.0f} s")
        for suite in self.suites:
            if suite.holds:
                suite.seconds, reaches = measured[suite.key]
                suite.reaches = set(reaches)
        self.suites = [suite for suite in self.suites if suite.holds]

    def test_texts(self):
        """A digest of all files without tests, and the texts and the folders of the files that declare each suite."""
        helpers, texts, folders = hashlib.sha256(), collections.defaultdict(bytes), collections.defaultdict(set)
        for path in sorted(path for path in (self.tree / "Tests").rglob("*") if path.is_file()):
            text = path.read_bytes()
            if path.suffix != ".swift" or b"@Test" not in text:
                helpers.update(text)
            if path.suffix != ".swift":
                continue
            for name in set(re.findall(rb"\b(?:struct|class|enum|actor|extension) (\w+)", text)):
                texts[name.decode()] += text
                folders[name.decode()].update(path.relative_to(self.tree).parts[2:-1])
        return helpers.digest(), texts, folders

    def measure_suite(self, suite):
        with tempfile.NamedTemporaryFile(dir=self.scratch) as file:
            way, words, suite.seconds = self.run([suite], 600, CAPSULE_MUTANTS_REACHED=file.name)
            suite.reaches = {int(line) for line in file.read().split() if line.isdigit()}
        suite.holds, suite.words = not way, f"{way}: {words}"
        return suite

    def check_switch(self, mutants):
        """Holds that a mutant acts when it is switched on: number -1 traps wherever one is reached."""
        for mutant in mutants:
            for suite in self.suites:
                if mutant.number in suite.reaches:
                    way, words, _ = self.run([suite], 60, CAPSULE_MUTANT="-1")
                    if way != "crash":
                        self.stop(f"the switch of the mutants does nothing: {suite.name}: {way} {words}")
                    return

    def reaching(self, mutant):
        return [suite for suite in self.suites if mutant.number in suite.reaches]

    def batches(self, mutant, passed):
        """The suites that reach a mutant, but for those that it passed before: those of its name and of its folder
        first, the library's before the program's, ever more."""
        reaching = [suite for suite in self.reaching(mutant) if suite.key not in passed]
        words = set(re.split(r"[/+.]", mutant.where)) - {"swift"}
        stems = {word.rstrip("s").lower() for word in words if len(word) > 3}

        def distance(suite):
            name = suite.name.lower()
            return (not suite.is_library, not any(stem in name for stem in stems),
                    mutant.where.split("/")[0] not in suite.folders, suite.seconds)

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


class Watch(threading.Thread):
    """Counts the seconds in which a process and all below it sleep, and ends it when they are too many."""

    def __init__(self, process, limit):
        super().__init__(daemon=True)
        self.process, self.limit = process, limit
        self.slept, self.is_late, self.stopped = 0, False, threading.Event()

    def run(self):
        while not self.stopped.wait(1):
            if sleeps(self.process.pid):
                self.slept += 1
            if self.slept > self.limit:
                self.is_late = True
                kill(self.process)
                return


def sleeps(pid):
    """Whether no thread of a process, and of those that it started, runs, waits for a processor or for a disk."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            folder = f"/proc/{pid}/task/{task}"
            with open(f"{folder}/stat", encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(") ")[2][:1] in "RD":
                    return False
            with open(f"{folder}/children", encoding="ascii") as file:
                if not all(sleeps(int(child)) for child in file.read().split()):
                    return False
    except OSError:
        pass  # It has ended meanwhile.
    return True


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
