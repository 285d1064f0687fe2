"""The changes that are made to an expression or a statement, and the forms in which the built program holds both."""
import re

# Operators are written between spaces by the formatter.
OPERATORS = {
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "&+": ["&-"], "&-": ["&+"], "&*": ["&+"], "<<": [">>"], ">>": ["<<"], "&<<": ["&>>"], "&>>": ["&<<"],
    "&": ["|"], "|": ["&"], "^": ["|"], "+=": ["-="], "-=": ["+="], "&+=": ["&-="], "&-=": ["&+="],
    "|=": ["&="], "^=": ["|="], "&=": ["|="],
}
WORDS = {
    "true": "false", "false": "true", "min": "max", "max": "min", "first": "last", "last": "first",
    "prefix": "suffix", "suffix": "prefix", "dropFirst": "dropLast", "dropLast": "dropFirst",
}


def is_first_value(statement, mask):
    """Whether it gives a constant, somewhere in the file, the value that it was declared without."""
    name = re.match(r"(\w+) = ", statement)
    return bool(name) and bool(re.search(rf"\b(let|var) {name[1]}: [^=\n]+$", mask, re.M))


def changes(text, mask, region):
    """The changes of a region: pairs of a name and the new text; an empty text for a statement left out."""
    old, shown = text[region.start:region.end], mask[region.start:region.end]
    found = []
    if old in ("true", "nil"):
        return found
    if region.form == "condition":
        found.append(("negate", f"!({old})"))
    if region.form == "statement" and "reserveCapacity" not in shown and not is_first_value(shown, mask):
        found.append(("delete", ""))

    def replace(match, new, group=0):
        found.append((f"{match[group]} to {new}", old[:match.start(group)] + new + old[match.end(group):]))

    for match in re.finditer(r"(?<=\s)[-<>=!&|+*/%^]+(?=\s)", shown):
        # Texts and arrays are added, and not subtracted.
        if match[0] == "+" and re.search(r'"|\+ [\[(]\w*[.\[(\]]|\] \+', old):
            continue
        for new in OPERATORS.get(match[0], []):
            replace(match, new)
    for match in re.finditer(r"(?<![\w.$)\]])(0x[0-9A-Fa-f_]+|\d[\d_]*)(?![\w.])", shown):
        digits = match[1].replace("_", "")
        value = int(digits, 16 if digits.startswith("0x") else 10)
        replace(match, str(value + 1) if not digits.startswith("0x") else hex(value + 1), 1)
    for match in re.finditer(r"(?<![\w])(true|false)\b(?!:)", shown):
        replace(match, WORDS[match[1]])
    for match in re.finditer(r"(?<!\w)(min|max)(?=\()|(?<=\.)(first|last|prefix|suffix|dropFirst|dropLast)\b(?!:)",
                             shown):
        replace(match, WORDS[match[0]])
    for match in re.finditer(r"(?<![\w)\]])!(?=[\w(])", shown):
        found.append(("! left out", old[:match.start()] + old[match.end():]))
    return found


def switched(old, new, number, form):
    """Both texts, the new one where the mutant of this number is switched on; as many lines as the old one."""
    new = re.sub(r"\s*\n\s*", " ", new)
    switch = f"mutantIsActive({number})"
    if form == "statement":
        return f"if {switch} {{ {new} }} else {{ {old} }}"
    if old.startswith("try ") and (new.startswith("try ") or new.startswith("!(try ")):
        new = new[4:] if new.startswith("try ") else "!(" + new[6:]
        return f"try ({switch} ? ({new}) : ({old[4:]}))"
    return f"({switch} ? ({new}) : ({old}))"
