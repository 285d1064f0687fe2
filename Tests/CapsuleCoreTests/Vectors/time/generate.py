#!/usr/bin/env python3
"""Writes the meanings in golden.tsv anew, with Scripts/oracle, which shares no code with capsule.

usage: generate.py [--check]      (from any directory; writes beside itself, or compares; needs python-dateutil)

A line `= now zone preference default-time` sets the scene; then an expression, a tab, and
  2036-06-15T07:00:00Z [date] [gap] [twice]      what it means: the oracle says it, with the zone files beside this
  !kind[: reading | reading]                     why it means nothing: written by hand, and the oracle refuses it too
A new case is a line with an expression and a tab, or with the kind of its refusal.
"""
import pathlib
import sys
from datetime import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "Scripts"))
from oracle import dates  # noqa: E402


def main():
    path, named, lines = HERE / "golden.tsv", dates.zones_in(HERE / "zoneinfo"), []
    old = path.read_text()
    for line in old.split("\n")[:-1]:
        text, _, meaning = line.partition("\t")
        if line.startswith("= "):
            _, now, zone, preference, at = line.split(" ")
            scene = dates.Scene(dates.parsed(now), dates.zone_of(zone.lower(), dates.Scene(0, None, named=named)),
                                preference == "past", time.fromisoformat(at), named)
        elif meaning.startswith("!"):
            if dates.understood(text, scene):
                sys.exit(f"{text!r} is refused in golden.tsv, and means something to the oracle")
        else:
            at, flags = dates.read(text, scene)
            line = f"{text}\t{' '.join([dates.rfc3339(at), *flags])}"
        lines.append(line)
    made = "\n".join(lines) + "\n"
    if sys.argv[1:] != ["--check"]:
        path.write_text(made)
    elif made != old:
        sys.exit(f"golden.tsv: {next(new for new, line in zip(lines, old.split(chr(10))) if new != line)!r} differs")


main()
