"""The places of a Swift file that can be changed, and the changes. Places are found by brackets and lines, never by
meaning: what is misread the compiler refuses, and it is left out then."""
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


def strings():
    """Strings with what they interpolate, which holds strings again."""
    inner = r'[^()"]'
    for _ in range(4):
        plain = rf'"(?:\\\((?:{inner})*\)|\\[^(]|[^"\\])*"'
        long = rf'"""(?:\\\((?:{inner})*\)|\\[^(]|[^\\])*?"""'
        inner = rf'(?:[^()"]|\((?:{inner})*\)|{long}|{plain})'
    return f"{long}|{plain}"


UNREAD = re.compile(r"//[^\n]*|/\*.*?\*/|" + strings(), re.S)
# What ends a line, or begins one, in the middle of an expression.
GOES_ON = re.compile(r"([=+\-*/&|^<>?:,(\[{]|\b(in|return|try|is|as))$")
CONTINUES = re.compile(r"(?!\.\w+ *=[^=])([.?:+\-*/|&^<>=]|else\b|as\b|is\b|\?\?)")
FUNCTION = re.compile(r"\b(func|init|subscript|deinit|get|set|didSet|willSet|var)\b")
DECLARATION = re.compile(
    r"^ *(?:(?:private|fileprivate|package|public|static|lazy)(?:\(set\))? )*(?:let|var) "
    r"(?:\w+|\(\w+(?:, \w+)*\))(?:: [\w.<>\[\]?: ]+)? = (?=\S)", re.M)
ASSIGNMENT = re.compile(
    r"^ +[\w.]+(?:\[[^\]\n]*\])?(?:\.\w+)* (?:[-+*|&^]|&[-+*]|&<<|&>>|<<|>>)?= (?=\S)", re.M)
STATEMENT = re.compile(
    r"(try\s+|_ = )?(?!(?:let|var|return|throw|func|case|if|guard|for|while|switch|default|break|continue|import"
    r"|struct|enum|class|extension|defer|do|catch|else|repeat|fallthrough|in|where|static|private|package|public"
    r"|init|typealias|precondition|assert|some|any|await|yield|self\.init|super)\b)"
    r"[A-Za-z_][\w.?!\[\]]*.*[)\w\]}]$")


class Source:
    """A file: its text, and its mask, which has spaces for comments and `s` for strings."""

    def __init__(self, text):
        self.text = text
        self.mask = UNREAD.sub(lambda found: re.sub(r"[^\n]", "s" if found[0][0] == '"' else " ", found[0]), text)
        # For each place the innermost open bracket, or -1.
        self.inside, stack = [], [-1]
        for place, character in enumerate(self.mask):
            if character in ")]}" and len(stack) > 1:
                stack.pop()
            self.inside.append(stack[-1])
            if character in "([{":
                stack.append(place)

    def header(self, brace):
        """The line that a brace is on; after parameters on lines of their own, the line before too."""
        start = self.mask.rfind("\n", 0, brace) + 1
        if self.mask[start:brace].lstrip().startswith(")"):
            start = self.mask.rfind("\n", 0, start - 1) + 1
        return self.mask[start:brace]

    def function(self, place):
        """The header of the function or accessor around a place; None outside of one."""
        brace = self.inside[place]
        while brace >= 0:
            if self.mask[brace] == "{":
                line = self.header(brace)
                if re.search(r"\b(struct|enum|class|extension|protocol|actor)\b", line):
                    return None
                if FUNCTION.search(line):
                    return line
            brace = self.inside[brace]
        return None

    def end_of_expression(self, start):
        """Where an expression ends: with a line on which it is whole, before what closes it, or at a comma."""
        outside = self.inside[start - 1]
        for place in range(start, len(self.mask)):
            character = self.mask[place]
            if self.inside[place] != outside:
                if character in ")]}" and self.inside[place] < outside:
                    return place
            elif character in ",;" or character == "\n" and not (
                    GOES_ON.search(self.mask[start:place].rstrip())
                    or CONTINUES.match(self.mask[place:place + 200].lstrip())):
                return place
        return None

    def clauses(self, start, word):
        """The clauses of a condition that begins after `if`, `guard` or `while`."""
        outside = self.inside[start - 1]
        for place in range(start, len(self.mask)):
            if self.inside[place] != outside:
                if self.inside[place] < outside:
                    return
            elif self.mask[place] == "{" or word == "guard" and re.match(r"\selse\b", self.mask[place:place + 6]):
                yield start, place
                return
            elif self.mask[place] == ",":
                yield start, place
                start = place + 1

    def expressions(self):
        """Places of expressions: start, end and form."""
        mask = self.mask
        for match in re.finditer(r"(?<![#.`])\b(if|guard|while)\b ", mask):
            for start, end in self.clauses(match.end(), match[1]):
                if not re.match(r"\s*(let|var|case|#|unsafe)\b", mask[start:end]):
                    yield start, end, "condition"
        for match in re.finditer(r"\bwhere ([^{}\n]+)\{", mask):
            if self.function(match.start()):
                yield *match.span(1), "condition"
        for match in re.finditer(r"\breturn (?=\S)", mask):
            yield match.end(), self.end_of_expression(match.end()), "value"
        for match in DECLARATION.finditer(mask):
            if not mask[:match.start()].rstrip().endswith(","):  # It is no clause of a condition.
                yield match.end(), self.end_of_expression(match.end()), "value"
        for match in ASSIGNMENT.finditer(mask):
            brace = self.inside[match.end()]
            if brace >= 0 and mask[brace] == "{" and self.function(match.start()):
                yield match.end(), self.end_of_expression(match.end()), "value"
        for match in re.finditer(r"\bfor (?:\w+|\([\w, ]+\)) in ([^{}\n]+?)(?= where | \{)", mask):
            yield *match.span(1), "value"

    def lines(self):
        """Lines that are whole statements, and bodies that are one expression."""
        mask = self.mask
        for match in re.finditer(r"^ *(\S.*?) *$", mask, re.M):
            (start, end), code = match.span(1), match[1]
            brace = self.inside[start]
            if brace < 0 or mask[brace] != "{" or self.inside[min(end, len(mask) - 1)] != brace:
                continue
            # A line of a string, or the head of a closure.
            if not code.strip("s") or '"""' in self.text[start:end] or code.endswith(" in"):
                continue
            function = self.function(start)
            before, after = mask[:start].rstrip(), mask[end:].lstrip()
            if function is None or before[-1] in ",=+-*/&|^<>?:([" or re.match(
                    r"([.?:+\-*/|&^<>=,]|else\b|in\b)", after):
                continue
            if before[-1] != "{" and re.search(
                    r"(\breturn|\btry|\bin|->|\bthrows|\bwhere .*[^{])$", before.rsplit("\n", 1)[-1]):
                continue
            opener = self.header(brace)
            if before[-1] == "{" and after.startswith("}") and not re.search(
                    r"\b(if|for|while|guard|else|do|catch)\b", opener) and (
                    "->" in opener or not re.search(r"\bfunc\b", opener)):
                if ("->" in opener and "func" in opener or re.search(r"\bvar \w+: ", opener)) and not re.match(
                        r"(return|throw|switch|if|guard|for|while|let|var|do)\b", code):
                    yield start, end, "value"
            elif STATEMENT.match(code) and "//" not in self.text[match.start():match.end()] and not (
                    re.search(r"\binit\b", function) and re.match(r"[\w.]+ = ", code)):
                yield start, end, "statement"

    def places(self):
        """All that may be changed, as start, end and form. They lie in one another."""
        for start, end, form in [*self.expressions(), *self.lines()]:
            if form == "statement":
                yield start, end, form
                continue
            part = self.mask[start:end or start]
            start += len(part) - len(part.lstrip())
            part = part.strip()
            old = self.text[start:start + len(part)]
            if not part or len(part) > 400 or re.search(r'//|/\*|"""', old) or "#" in part or (
                    "{" in part and "\n" in part):
                continue
            if form == "value" and re.match(r"(if|switch|try\?|await|unsafe|nil\b|\.)(?!\w)", part):
                continue
            yield start, start + len(part), form

    def changes(self, start, end, form):
        """The changes of a place: pairs of a name and the new text; an empty text for a statement left out."""
        old, shown = self.text[start:end], self.mask[start:end]
        found = []
        if old in ("true", "nil"):
            return found
        if form == "condition":
            found.append(("negate", f"!({old})"))
        # A constant's first value cannot be left out.
        name = re.match(r"(\w+) = ", shown)
        if form == "statement" and "reserveCapacity" not in shown and not (
                name and re.search(rf"\b(let|var) {name[1]}: [^=\n]+$", self.mask, re.M)):
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
            more = int(match[1].replace("_", ""), 0 if match[1].startswith("0x") else 10) + 1
            replace(match, hex(more) if match[1].startswith("0x") else str(more), 1)
        for match in re.finditer(r"(?<![\w])(true|false)\b(?!:)", shown):
            replace(match, WORDS[match[1]])
        for match in re.finditer(
                r"(?<!\w)(min|max)(?=\()|(?<=\.)(first|last|prefix|suffix|dropFirst|dropLast)\b(?!:)", shown):
            replace(match, WORDS[match[0]])
        for match in re.finditer(r"(?<![\w)\]])!(?=[\w(])", shown):
            found.append(("! left out", old[:match.start()] + old[match.end():]))
        return found


def switched(old, new, number, form):
    """Both texts, the new one where the change of this number is switched on; as many lines as the old one."""
    new = re.sub(r"\s*\n\s*", " ", new)
    switch = f"mutantIsActive({number})"
    if form == "statement":
        return f"if {switch} {{ {new} }} else {{ {old} }}"
    if old.startswith("try ") and (new.startswith("try ") or new.startswith("!(try ")):
        new = new[4:] if new.startswith("try ") else "!(" + new[6:]
        return f"try ({switch} ? ({new}) : ({old[4:]}))"
    return f"({switch} ? ({new}) : ({old}))"
