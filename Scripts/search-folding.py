#!/usr/bin/env python3
"""Makes Sources/CapsuleCore/Core/Records/SearchText+Folding.swift: which letters are one without accents;
with the word `decompositions`, TextFolding+Decompositions.swift beside it: the other letters that
Unicode can write in several ways, by their canonical decompositions.

From the Unicode data of python's `unicodedata`: the compatibility decomposition of each lower-case
letter without its nonspacing marks, where that is something else. Letters that Unicode does not take
apart but people do (ø, ł, đ ...) are listed here.
"""
import sys
import unicodedata

LOOSE = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae",
         "œ": "oe", "þ": "th", "ŋ": "n", "ß": "ss", "ſ": "s", "ς": "σ"}

def folded(character):
    if character in LOOSE:
        return LOOSE[character]
    parts = unicodedata.normalize("NFKD", character)
    base = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    return "".join(LOOSE.get(c, c) for c in base.lower())

groups = {}
for code in range(0x80, 0x20000):
    character = chr(code)
    if unicodedata.category(character) not in ("Ll", "Lo", "Lm", "So", "No"):
        continue
    if 0xAC00 <= code < 0xD7B0 or 0xF900 <= code < 0xFB00 or 0x1D400 <= code < 0x1D800:
        continue  # Hangul, ideographs for compatibility, mathematical letters
    if unicodedata.category(character) != "Ll" and unicodedata.east_asian_width(character) in "WFH":
        continue
    if 0x0590 <= code < 0x1D00 and unicodedata.category(character) == "Lo":
        continue  # scripts whose marks are part of the letter
    if unicodedata.category(character) in ("So", "No"):
        continue
    base = folded(character)
    if base and base != character and " " not in base and len(base) <= 3 and ord(base[0]) < 0x600:
        groups.setdefault(base, []).append(character)

def decompositions():
    known = {letter for letters in groups.values() for letter in letters}
    for code in range(0x80, 0x110000):
        character = chr(code)
        if 0xAC00 <= code < 0xD7A4 or 0xD800 <= code < 0xE000 or character in known:
            continue  # the syllables of Hangul are taken apart by a rule
        parts = unicodedata.normalize("NFD", character)
        base = "".join(c for c in parts if unicodedata.category(c) != "Mn")
        base = "".join(folded(c) if c in known else c for c in base)
        if character.lower() == character and parts != character and base not in ("", character):
            yield character + base

if "decompositions" in sys.argv:
    print(f"""/// Letters that Unicode can write in several ways. Made by `Scripts/search-folding.py decompositions`
/// from Unicode {unicodedata.unidata_version}; do not change it by hand.
extension TextFolding {{
  /// A letter and those that it is made of, without nonspacing marks; and a space behind each.
  static let decompositions =""")
    print('    """')
    line = "    "
    for entry in decompositions():
        piece = "".join(f"\\u{{{ord(c):x}}}" for c in entry) + " "
        if len(line) + len(piece) > 98:
            print(line + "\\")
            line = "    "
        line += piece
    print(line.rstrip() + '\n    """\n}')
    sys.exit(0)

lines = []
for base in sorted(groups):
    letters = "".join(f"\\u{{{ord(c):x}}}" for c in groups[base])
    text = "".join(c if ord(c) < 0x80 else f"\\u{{{ord(c):x}}}" for c in base)
    row = f'    ("{text}", "'
    width = 98 - len(row) - 4
    out, current = [], ""
    for c in groups[base]:
        piece = f"\\u{{{ord(c):x}}}"
        if len(current) + len(piece) > 80:
            out.append(current)
            current = ""
        current += piece
    out.append(current)
    body = '"\n        + "'.join(out)
    lines.append(f'    (\n      "{text}",\n      "{body}"\n    ),' if len(out) > 1 else f'{row}{out[0]}"),')

print(f"""/// Which letters count as another one in a search. Made by `Scripts/search-folding.py` from Unicode
/// {unicodedata.unidata_version}; do not change it by hand.
extension SearchText {{
  /// A letter, or some, and those that are it without accents.
  static let groups: [(base: String, letters: String)] = [""")
print("\n".join(lines))
print("  ]\n}")
