"""Runs the suites and prints their figures."""
import argparse
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from sandbox import Bench
from suites import SUITES


def built():
    """The release binary of this checkout, built if it must be."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    subprocess.run(["swift", "build", "-c", "release", "--product", "capsule"], cwd=root, check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(root, ".build", "release", "capsule")


def told(bench, name):
    """Runs a suite, and returns its figures; a part of it may be skipped."""
    parts = []

    def run(part):
        try:
            parts.append(part(bench))
        except Bench.Skip as reason:
            parts.append(f"skipped: {reason}")
    for part in SUITES[name]:
        bench.guard(name, lambda part=part: run(part))
    return ", ".join(parts)


def main():
    parser = argparse.ArgumentParser(prog="torture")
    parser.add_argument("--short", action="store_true", help="the share that CI runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary")
    parser.add_argument("--moving", metavar="PROGRAM",
                        help="a build with shared libraries, for the suites that move its clock")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many tries are made at once")
    parser.add_argument("--keep", action="store_true", help="keep the sandboxes of violations")
    parser.add_argument("suites", nargs="*", metavar="SUITE", choices=[[], *SUITES])
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary or built())
    options.moving = os.path.abspath(options.moving or options.binary)
    slots = threading.Semaphore(options.jobs)

    def run(name):
        started = time.monotonic()
        with Bench(options, name, slots) as bench:
            figures = told(bench, name)
            took = time.monotonic() - started
            return bool(bench.violations), (f"{name}: {figures}, {len(bench.violations)} violations, {took:.0f} s "
                                            f"(seed {options.seed})")

    failed, names = False, options.suites or list(SUITES)
    # While one suite makes its worlds, or waits, another uses the processors.
    with ThreadPoolExecutor(min(options.jobs + 1, len(names))) as pool:
        for has_violations, line in pool.map(run, names):
            print(line, flush=True)
            failed = failed or has_violations
    sys.exit(1 if failed else 0)


main()
