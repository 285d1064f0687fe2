"""Runs the tests of the copy by subjects: a suite, or a transcript."""
import collections
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

TRANSCRIPTS = "capsuleTests.TranscriptTests"
MOST_READ = 1 << 24
# Words of the names of files that say nothing of the tests that are near.
COMMON = {"capsule", "command", "record", "store", "session", "swift"}


class Subject:
    """A suite, or a transcript, with a key that is another one when its text, a helper or a source is."""

    def __init__(self, name, digest):
        self.name, self.key = name, f"{name}@{digest}"
        self.is_transcript = name.endswith(".txt")
        self.seconds, self.reaches = 0.0, None

    def is_near(self, mutant):
        """Whether its name has a word of the name of the changed file."""
        words = {word.lower() for word in re.findall(r"[A-Z][a-z]{3,}", mutant.where.split("/")[-1])} - COMMON
        return any(word.rstrip("s") in self.name.split(".", 1)[-1].lower() for word in words)


class Runner:
    def __init__(self, tree, say, stop):
        self.tree, self.folder, self.say, self.stop = tree, tree.parent, say, stop
        self.bundle = tree / ".build" / "debug" / "capsulePackageTests.xctest"
        if self.bundle.is_dir():
            # macOS: a bundle is a folder, which a helper of the toolchain loads.
            stop("the tests of macOS cannot be run one suite at a time; run this on Linux")
        self.measured = {}
        kept = self.folder / "reached.jsonl"
        for line in kept.read_text(encoding="utf-8").split("\n")[:-1] if kept.exists() else ():
            key, seconds, reached = json.loads(line)
            self.measured[key] = seconds, set(reached)
        self.subjects = self.list_subjects()

    def command(self, *words):
        return [str(self.bundle), "--testing-library", "swift-testing", *words]

    def run(self, subjects, limit, number):
        """Runs subjects with a change until one fails: how it ended ("" for well), by which test, and the seconds.
        The limit is of processor time, and of time in which all sleep: a busy machine uses up neither."""
        transcripts = [subject.name for subject in subjects if subject.is_transcript]
        suites = [subject.name for subject in subjects if not subject.is_transcript]
        names = "|".join(re.escape(name) + "/" for name in suites + [TRANSCRIPTS] * bool(transcripts))
        (self.folder / "active").write_text(f"{number}\n", encoding="utf-8")
        home = tempfile.mkdtemp(prefix="run-", dir=self.folder)

        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 15, int(limit) + 20))
            resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 30, 20 << 30))

        with open(self.folder / "output", "wb") as output, open(self.folder / "output", "rb") as shown:
            process = subprocess.Popen(
                self.command("--filter", f"^({names})"), cwd=self.tree, stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits,
                env={**os.environ, "TMPDIR": home, "HOME": home, "SWIFT_BACKTRACE": "enable=no", "TZ": "UTC",
                     "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb",
                     "CAPSULE_TRANSCRIPT": ",".join(name[:-4] for name in transcripts)})
            said, turns, slept, ended = b"", 0, 0, 0
            try:
                while not ended and b"recorded an issue" not in said and slept <= limit + 60:
                    time.sleep(0.1)
                    turns += 1
                    slept += turns % 10 == 0 and sleeps(process.pid)
                    ended, status, usage = os.wait4(process.pid, os.WNOHANG)
                    # A change may let a test write without an end: what is kept is what was written last.
                    said = (said + shown.read(MOST_READ))[-MOST_READ:]
            finally:
                if not ended:
                    os.killpg(process.pid, signal.SIGKILL)
                    _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                shutil.rmtree(home, ignore_errors=True)
            said = (said + shown.read(MOST_READ)).decode(errors="replace")
        seconds = usage.ru_utime + usage.ru_stime + slept
        # By lines: a pattern with `.*` takes the square of a line's length, and a test may print a million bytes.
        failed, trapped = (next((line.strip() for line in said.split("\n") if words in line), "")
                           for words in ("recorded an issue", "Fatal error"))
        if failed:
            return "test", failed, seconds
        if not ended or process.returncode == -signal.SIGXCPU:
            return "time", f"no end after {seconds:.0f} s", seconds
        if process.returncode:
            return "trap", trapped or f"ended with {process.returncode}", seconds
        return "", "", seconds

    def list_subjects(self):
        """The suites and transcripts, each with a digest of the files that declare it, of all that has no tests,
        and of the sources."""
        listed = subprocess.run(self.command("--list-tests"), cwd=self.tree, capture_output=True, text=True,
                                check=False)
        names = {found[1] for found in re.finditer(r"^([A-Za-z]\w*\.[^/\n]+)/", listed.stdout, re.M)} - {TRANSCRIPTS}
        if not names:
            self.stop(f"no tests were found: {listed.stderr.strip()[-300:]}")
        common, texts, transcripts = hashlib.sha256(), collections.defaultdict(bytes), []
        for path in sorted(path for path in (self.tree / "Sources").rglob("*") if path.is_file()):
            common.update(path.read_bytes())
        for path in sorted(path for path in (self.tree / "Tests").rglob("*") if path.is_file()):
            text = path.read_bytes()
            if path.parent.name == "Transcripts" and path.suffix == ".txt":
                transcripts.append((path.name, text))
                continue
            if path.suffix != ".swift" or b"@Test" not in text:
                common.update(text)
            if path.suffix == ".swift":
                for name in set(re.findall(rb"\b(?:struct|class|enum|actor|extension) (\w+)", text)):
                    texts[name.decode()] += text
        texts = transcripts + [(name, texts[name.split(".", 1)[1]]) for name in sorted(names)]
        return [Subject(name, hashlib.sha256(common.digest() + text).hexdigest()[:16]) for name, text in texts]

    def reached(self, subject):
        """The changes that a subject reaches, which a run without a change finds out once."""
        if subject.reaches is None:
            if subject.key not in self.measured:
                (self.folder / "reached").write_bytes(b"")
                way, words, seconds = self.run([subject], 600, -1)
                reached = {int(line) for line in (self.folder / "reached").read_text(encoding="utf-8").split()}
                self.measured[subject.key] = seconds, set() if way else reached
                if way:
                    self.say(f"  fails without a change, and is left out: {subject.name}: {way}: {words}")
                else:
                    with open(self.folder / "reached.jsonl", "a", encoding="utf-8") as file:
                        print(json.dumps([subject.key, seconds, sorted(reached)]), file=file)
            subject.seconds, subject.reaches = self.measured[subject.key]
        return subject.reaches

    def next_batch(self, mutant, passed, seconds, near):
        """Of the subjects that reach a change and were not tried, or of the near ones, as many as take so long."""
        left = [subject for subject in self.subjects if subject.key not in passed
                and (not near or subject.is_transcript or subject.is_near(mutant))
                and mutant.number in self.reached(subject)]
        batch = []
        for subject in sorted(left, key=lambda subject: (not subject.is_near(mutant), subject.seconds)):
            seconds -= subject.seconds
            if batch and seconds < 0:
                break
            batch.append(subject)
        return batch

    def attempt(self, mutant, batch):
        """Runs a batch with a change: how it was noticed, "" where it was not, and by which test."""
        return self.run(batch, 3 * sum(subject.seconds for subject in batch), mutant.number)[:2]


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
