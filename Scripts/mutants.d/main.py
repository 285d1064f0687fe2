"""Makes the mutants, builds them all at once, runs the tests that reach each, and prints what survived."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from changes import changes, switched
from runner import Runner
from source import regions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = "Sources/CapsuleCore"
FOLDERS = ["Store", "Capsules", "Crypto"]
# The folders of tests that `--near` builds besides those of the folders that are changed.
NEAR = ["Agenda", "Journal", "Support", "Sync"]
# Of those that MutantSwitch.swift has room for.
LAST_NUMBER = (1 << 20) - 1
SWITCH = f"{LIBRARY}/MutantSwitch.swift"


class Mutant:
    """One change of one place."""

    def __init__(self, path, text, region, name, new):
        self.path, self.region, self.name, self.new = path, region, name, new
        self.line = text.count("\n", 0, region.start) + 1
        self.lines = range(self.line, text.count("\n", 0, region.end) + 2)
        self.text = text.split("\n")[self.line - 1].strip()
        self.old = text[region.start:region.end]
        self.number = 0
        place = region.start - text.rfind("\n", 0, region.start)
        self.key = f"{path}|{self.line}|{place}|{name}|{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    @property
    def where(self):
        return self.path.removeprefix(LIBRARY + "/")


def say(*words):
    print(*words, flush=True)


def stop(words):
    print(f"mutants: {words}", file=sys.stderr)
    sys.exit(2)


def tree_files():
    """The files of this tree, whether git knows them or not."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            capture_output=True, check=False)
    if listed.returncode == 0:
        names = listed.stdout.decode().split("\0")
    else:
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    return [name for name in sorted(set(names)) if name and not name.startswith((".build/", ".git/"))
            and (ROOT / name).is_file()]


def write(path, data):
    """Writes a file, unless it holds this already: what did not change is not built again."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


# A folder of each target of the tests in Package.swift.
TARGETS = (
    "CapsuleCoreTests/Age", "CapsuleCoreTests/Store", "CapsuleCoreTests/Records",
    "capsuleTests/Harness", "capsuleTests/Whole", "capsuleTests/Commands/Records",
    "capsuleTests/Commands/Store")


def is_left_out(name, options):
    """Whether a file of the tests is not built: helpers of the library's tests always are."""
    if options.library and name.startswith("Tests/capsuleTests/"):
        return True
    if not options.near or not name.startswith("Tests/CapsuleCoreTests/") or not name.endswith(".swift"):
        return False
    folders = (options.only or FOLDERS) + NEAR
    return name.split("/")[2] not in folders and b"@Test" in (ROOT / name).read_bytes()


def copy_tree(tree, names, options):
    """Makes the copy what this tree is, apart from the mutants."""
    kept = set()
    for name in names:
        if is_left_out(name, options):
            continue
        kept.add(name)
        if name.startswith(LIBRARY + "/"):
            continue
        write(tree / name, (ROOT / name).read_bytes())
        shutil.copymode(ROOT / name, tree / name)
    if options.library or options.near:
        # A target has a file, though all of its own are left out.
        for folder in TARGETS:
            kept.add(f"Tests/{folder}/None.swift")
            write(tree / "Tests" / folder / "None.swift", b"// Tests are left out.\n")
        (tree / "Tests/capsuleTests/Golden").mkdir(exist_ok=True)
    for folder in ("Sources", "Tests"):
        for path in (tree / folder).rglob("*"):
            name = str(path.relative_to(tree))
            if path.is_file() and name not in kept and name != SWITCH:
                path.unlink()


def draw(*parts):
    """A number that the seed chooses for a place, whatever stands elsewhere."""
    return int.from_bytes(hashlib.sha256("\0".join(map(str, parts)).encode()).digest()[:8], "big")


def candidates(texts, options):
    """Mutants in the order of the seed: a fair share of each folder, and no two in one another. A change of the
    sources moves those of its own lines only, so that explanations last."""
    queues = {}
    for folder in options.only or FOLDERS:
        queue = []
        for path, text in texts.items():
            if not path.startswith(f"{LIBRARY}/{folder}/"):
                continue
            mask, found = regions(text)
            times = collections.Counter()
            for region in found:
                old = text[region.start:region.end]
                times[region.form, old] += 1
                order = draw(options.seed, path, region.form, old, times[region.form, old])
                queue.append((order, path, text, mask, region))
        queues[folder] = sorted(queue, key=lambda entry: entry[:2], reverse=True)
    if not any(queues.values()):
        stop(f"there is nothing to change in {', '.join(queues)}")
    chosen, taken = [], collections.defaultdict(list)
    # Some more than asked for: the compiler refuses a few.
    while len(chosen) < options.limit * 9 // 8 + 5 and any(queues.values()):
        for queue in queues.values():
            while queue:
                order, path, text, mask, region = queue.pop()
                if any(region.start < other.end and other.start < region.end for other in taken[path]):
                    continue
                found = changes(text, mask, region)
                if not found:
                    continue
                taken[path].append(region)
                name, new = found[draw(order) % len(found)]
                chosen.append(Mutant(path, text, region, name, new))
                break
    # A number that lasts while others come and go: what holds the same mutants is not built again.
    numbers = set()
    for mutant in chosen:
        mutant.number = draw(mutant.path, mutant.region.form, mutant.old, mutant.name) % LAST_NUMBER + 1
        while mutant.number in numbers:
            mutant.number = mutant.number % LAST_NUMBER + 1
        numbers.add(mutant.number)
    return chosen


def write_mutants(tree, texts, mutants):
    """Writes the library with both texts at the place of each mutant."""
    by_path = collections.defaultdict(list)
    for mutant in mutants:
        by_path[mutant.path].append(mutant)
    for path, text in texts.items():
        for mutant in sorted(by_path[path], key=lambda mutant: -mutant.region.start):
            region = mutant.region
            text = text[:region.start] + switched(mutant.old, mutant.new, mutant.number, region.form) \
                + text[region.end:]
        write(tree / path, text.encode())
    write(tree / SWITCH, (HERE / "MutantSwitch.swift").read_bytes())


def build(tree, texts, mutants, log, refused_before):
    """Builds the copy, and leaves out what the compiler refuses; returns the mutants that are left."""
    known = set(refused_before.read_text(encoding="utf-8").split("\n")) if refused_before.exists() else set()
    mutants = [mutant for mutant in mutants if mutant.key not in known]
    for turn in range(1, 21):
        write_mutants(tree, texts, mutants)
        started = time.monotonic()
        with open(log, "w", encoding="utf-8") as file:
            # The library alone finds what is refused sooner.
            done = subprocess.run(["swift", "build", "--target", "CapsuleCore"], cwd=tree, stdout=file,
                                  stderr=subprocess.STDOUT, check=False)
            if done.returncode == 0:
                done = subprocess.run(["swift", "build", "--build-tests"], cwd=tree, stdout=file,
                                      stderr=subprocess.STDOUT, check=False)
        say(f"build {turn}: {time.monotonic() - started:.0f} s, {len(mutants)} mutants")
        if done.returncode == 0:
            return mutants
        refused = refusals(tree, mutants, pathlib.Path(log).read_text(encoding="utf-8", errors="replace"))
        if not refused:
            stop(f"the build failed, and no mutant is to blame: see {log}")
        with open(refused_before, "a", encoding="utf-8") as file:
            for mutant in refused:
                print(mutant.key, file=file)
                say(f"  not taken: {mutant.where}:{mutant.line}: {mutant.name}: {mutant.text}")
        mutants = [mutant for mutant in mutants if mutant not in refused]
    stop(f"the compiler refuses more and more: see {log}")


def refusals(tree, mutants, log):
    """The mutants on the lines of the compiler's errors; else those of the file that name the same."""
    refused = set()
    places = re.findall(r"([^\s\[\]]+\.swift):(\d+):\d+: error: (.*)", log)
    if not places:
        # The compiler itself fell: it names the place that it was at.
        places = re.findall(r"\[([^\s\[\]]+\.swift):(\d+):\d+ ()", log)
    for path, line, words in places:
        try:
            name = str(pathlib.Path(path).resolve().relative_to(tree.resolve()))
        except ValueError:
            continue
        here = [mutant for mutant in mutants if mutant.path == name]
        exact = [mutant for mutant in here if int(line) in mutant.lines]
        quoted = re.findall(r"'(\w+)'", words)
        named = [mutant for mutant in here
                 if any(re.search(rf"\b{word}\b", mutant.old) for word in quoted)]
        near = sorted(here, key=lambda mutant: abs(mutant.line - int(line)))[:1]
        refused.update(exact or named or near)
    return refused


class Explanations:
    """Why a mutant that no test notices does no harm: paragraphs of a place, the source's line, and reasons."""

    def __init__(self, texts):
        self.reasons, self.stale = {}, []
        file = HERE / "explained"
        for paragraph in file.read_text(encoding="utf-8").split("\n\n"):
            lines = [line for line in paragraph.split("\n") if line and not line.startswith("#")]
            if not lines:
                continue
            if len(lines) < 3 or ": " not in lines[0]:
                stop(f"{file}: this is no place, line and reason: {paragraph}")
            where, name = lines[0].split(": ", 1)
            source = lines[1].strip()
            text = texts.get(f"{LIBRARY}/{where}", "")
            if source not in [line.strip() for line in text.split("\n")]:
                self.stale.append(f"{where}: {source}")
            self.reasons[where, name, source] = " ".join(line.strip() for line in lines[2:])

    def reason(self, mutant):
        return self.reasons.get((mutant.where, mutant.name, mutant.text))


def main():
    parser = argparse.ArgumentParser(prog="mutants")
    parser.add_argument("--limit", type=int, default=300, help="how many mutants are tried (300)")
    parser.add_argument("--only", action="append", metavar="FOLDER", help="a folder of the library; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="chooses the mutants")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2),
                        help="how many are tried at a time")
    parser.add_argument("--library", action="store_true", help="leaves out the tests of the program")
    parser.add_argument("--near", action="store_true",
                        help="takes only the library's tests of the folders that are changed, and of a few beside")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build" / "mutants")
    parser.add_argument("--list", action="store_true", help="prints the mutants, and does nothing")
    options = parser.parse_args()
    options.library = options.library or options.near
    scratch = options.scratch.resolve()
    tree = scratch / "tree"
    names = tree_files()
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in names
             if name.startswith(LIBRARY + "/") and name.endswith(".swift")}
    explanations = Explanations(texts)
    mutants = candidates(texts, options)
    if options.list:
        for mutant in mutants[:options.limit]:
            say(f"{mutant.where}:{mutant.line}: {mutant.name}: {mutant.text}")
        return
    scratch.mkdir(parents=True, exist_ok=True)
    copy_tree(tree, names, options)
    mutants = build(tree, texts, mutants, scratch / "build.log", scratch / "refused")[:options.limit]

    caught, passed = known_results(scratch / "results.jsonl")
    results = {mutant: caught[mutant.key] for mutant in mutants if mutant.key in caught}
    left = [mutant for mutant in mutants if mutant not in results and not explanations.reason(mutant)]
    say(f"{len(mutants)} mutants, {len(results)} of them caught before")
    if left:
        runner = Runner(tree, scratch, options.jobs, say, stop)
        runner.measure()
        runner.check_switch(left)
        with open(scratch / "results.jsonl", "a", encoding="utf-8") as log:
            try_all(runner, left, passed, results, log, options.jobs)
    sys.exit(report(mutants, results, explanations, options))


def try_all(runner, mutants, passed, results, log, jobs):
    """Tries mutants in rounds: each round runs more suites of those that are not caught yet."""
    def note(mutant, **found):
        print(json.dumps({"key": mutant.key, **found}), file=log, flush=True)

    waiting = {mutant: runner.batches(mutant, passed.get(mutant.key, set())) for mutant in mutants}
    started = time.monotonic()
    for turn in range(max(map(len, waiting.values()), default=0) + 1):
        for mutant in [mutant for mutant, batches in waiting.items() if not batches]:
            del waiting[mutant]
            results[mutant] = {"caught": "", "by": "", "reached": len(runner.reaching(mutant))}
            say(f"  survived: {mutant.where}:{mutant.line}: {mutant.name}: {mutant.text}")
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {}
            for mutant, batches in waiting.items():
                batch = batches.pop(0)
                futures[pool.submit(runner.attempt, mutant, batch)] = mutant, batch
            for future in concurrent.futures.as_completed(futures):
                (way, by), (mutant, batch) = future.result(), futures[future]
                if way:
                    del waiting[mutant]
                    results[mutant] = {"caught": way, "by": by, "reached": len(runner.reaching(mutant))}
                    note(mutant, result=results[mutant])
                else:
                    note(mutant, passed=[suite.key for suite in batch])
        if waiting:
            say(f"round {turn + 1}: {len(waiting)} of {len(mutants)} not caught yet, "
                f"{time.monotonic() - started:.0f} s")


def known_results(path):
    """What earlier runs found: the mutants that were caught, and the suites that others passed, as they were
    then."""
    caught, passed = {}, collections.defaultdict(set)
    if path.exists():
        for line in path.read_text(encoding="utf-8").split("\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue  # A run was stopped while it wrote the line.
            if "result" in record:
                caught[record["key"]] = record["result"]
            else:
                passed[record["key"]].update(record["passed"])
    return caught, passed


def report(mutants, results, explanations, options):
    """Prints the figures and the survivors; returns the exit status."""
    figures = collections.Counter()
    folders = collections.defaultdict(collections.Counter)
    survivors = []
    for mutant in sorted(mutants, key=lambda mutant: (mutant.path, mutant.line)):
        result = results.get(mutant, {"caught": ""})
        way = result["caught"] or ("explained" if explanations.reason(mutant) else "survived")
        figures[way] += 1
        folders[mutant.where.split("/")[0]]["caught" if result["caught"] else way] += 1
        if way == "survived":
            survivors.append((mutant, result))
    for mutant, result in survivors:
        say(f"\n{mutant.where}: {mutant.name}  (line {mutant.line}, reached by {result['reached']} suites)")
        say(f"    {mutant.text}")
        say(f"    {mutant.old!r} -> {mutant.new!r}")
    say()
    for folder, counts in folders.items():
        say(f"{folder}: {sum(counts.values())} mutants, {counts['caught']} caught, "
            f"{counts['explained']} explained, {counts['survived']} survived")
    caught = figures["test"] + figures["crash"] + figures["time"]
    say(f"mutants: {len(mutants)}, {caught} caught ({figures['test']} by a test that failed, {figures['crash']} by "
        f"a trap, {figures['time']} by a limit of time), {figures['explained']} explained, "
        f"{figures['survived']} survived (seed {options.seed})")
    for place in explanations.stale:
        say(f"explained, but no longer there: {place}")
    return 1 if survivors or explanations.stale else 0


main()
