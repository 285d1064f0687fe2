"""Reads Swift well enough to find expressions and statements that can be changed: by brackets and lines, never by
meaning. What it misreads the compiler refuses, and it is left out then."""
import re

OPEN, CLOSE = "([{", ")]}"


def masked(text):
    """The text with everything in comments and strings replaced by spaces and `s`, of the same length."""
    out = list(text)
    place, end = 0, len(text)

    def blank(start, stop, filler):
        for index in range(start, min(stop, end)):
            if text[index] != "\n":
                out[index] = filler

    while place < end:
        if text.startswith("//", place):
            stop = text.find("\n", place)
            stop = end if stop < 0 else stop
            blank(place, stop, " ")
        elif text.startswith("/*", place):
            stop = text.find("*/", place)
            stop = end if stop < 0 else stop + 2
            blank(place, stop, " ")
        elif text[place] == '"':
            stop = string_end(text, place)
            blank(place, stop, "s")
        else:
            stop = place + 1
        place = stop
    return "".join(out)


def string_end(text, place):
    """Where the string that begins at a quote ends, its interpolations included."""
    quote = '"""' if text.startswith('"""', place) else '"'
    place += len(quote)
    while place < len(text):
        if text[place] == "\\" and text[place + 1:place + 2] == "(":
            depth, place = 1, place + 2
            while place < len(text) and depth:
                if text[place] == '"':
                    place = string_end(text, place)
                    continue
                depth += {"(": 1, ")": -1}.get(text[place], 0)
                place += 1
        elif text[place] == "\\":
            place += 2
        elif text.startswith(quote, place):
            return place + len(quote)
        else:
            place += 1
    return place


class Region:
    """A part of a file that a mutant replaces, of one of two forms: an expression or a statement."""

    def __init__(self, start, end, form):
        self.start, self.end, self.form = start, end, form


def enclosing(mask):
    """For each place the innermost open bracket, as its index, or -1."""
    stack, inside = [-1], []
    for index, character in enumerate(mask):
        if character in CLOSE and len(stack) > 1:
            stack.pop()
        inside.append(stack[-1])
        if character in OPEN:
            stack.append(index)
    return inside


def header(mask, brace):
    """The line that a brace stands on, from the first line of its declaration or statement on."""
    start = mask.rfind("\n", 0, brace) + 1
    # A brace after parameters on lines of their own: back to the line with the same indentation.
    indentation = len(mask[start:]) - len(mask[start:].lstrip(" "))
    while mask[start:brace].lstrip().startswith(")"):
        before = mask.rfind("\n", 0, start - 1) + 1
        if before >= start:
            break
        start = before
        line = mask[start:mask.find("\n", start)]
        if line.strip() and len(line) - len(line.lstrip(" ")) == indentation:
            break
    return mask[start:brace]


FUNCTION = re.compile(r"\b(func|init|subscript|deinit|get|set|didSet|willSet|var)\b")


def in_function(mask, inside, place):
    """The header of the function or accessor around a place; None outside of one."""
    brace = inside[place]
    while brace >= 0:
        if mask[brace] == "{":
            line = header(mask, brace)
            if re.search(r"\b(struct|enum|class|extension|protocol|actor)\b", line):
                return None
            if FUNCTION.search(line):
                return line
        brace = inside[brace]
    return None


def end_of_expression(mask, place):
    """Where an expression that begins at a place ends: at the end of a line on which it is whole, before what
    closes it, or at a comma; None where the form is not plain."""
    depth, index = 0, place
    while index < len(mask):
        character = mask[index]
        if character in OPEN:
            depth += 1
        elif character in CLOSE:
            if depth == 0:
                return index
            depth -= 1
        elif depth == 0 and character in ",;":
            return index
        elif depth == 0 and character == "\n":
            before = mask[place:index].rstrip()
            after = mask[index:].lstrip()
            if re.search(r"([=+\-*/&|^<>?:,(\[{]|\b(in|return|try|is|as))$", before):
                pass
            elif re.match(r"([.?:+\-*/|&^<>=]|else\b|as\b|is\b|\?\?)", after) and not re.match(
                    r"\.\w+ *=[^=]", after):
                pass
            else:
                return index
        index += 1
    return None


def clauses(mask, place, word):
    """The clauses of a condition that begins after `if`, `guard` or `while`: (start, end) of each."""
    depth, index, start, found = 0, place, place, []
    while index < len(mask):
        character = mask[index]
        if depth == 0 and (character == "{" or (
                word == "guard" and re.match(r"\selse\b", mask[index:index + 6]))):
            found.append((start, index))
            return found
        if character in OPEN:
            depth += 1
        elif character in CLOSE:
            depth -= 1
            if depth < 0:
                return []
        elif character == "," and depth == 0:
            found.append((start, index))
            start = index + 1
        index += 1
    return []


STATEMENT = re.compile(
    r"(try\s+|_ = )?(?!(?:let|var|return|throw|func|case|if|guard|for|while|switch|default|break|continue|import"
    r"|struct|enum|class|extension|defer|do|catch|else|repeat|fallthrough|in|where|static|private|package|public"
    r"|init|typealias|precondition|assert|some|any|await|yield|self\.init|super)\b)"
    r"[A-Za-z_][\w.?!\[\]]*.*[)\w\]}]$", re.S)


def regions(text):
    """Every part of a file that may be changed. Parts lie in one another."""
    mask = masked(text)
    inside = enclosing(mask)
    found = []

    def expression(start, end, form="value"):
        part = mask[start:end]
        start += len(part) - len(part.lstrip())
        end = start + len(mask[start:end].rstrip())
        part = mask[start:end]
        if not part or len(part) > 400 or "//" in text[start:end] or "/*" in text[start:end]:
            return
        if "{" in part and "\n" in part or '"""' in text[start:end] or "#" in part:
            return
        if re.match(r"(if|switch|try\?|await|unsafe|nil\b|\.)(?!\w)", part) and form == "value":
            return
        found.append(Region(start, end, form))

    for match in re.finditer(r"\b(if|guard|while)\b ", mask):
        if mask[match.start() - 1] in "#.`":
            continue
        for start, end in clauses(mask, match.end(), match[1]):
            if not re.match(r"\s*(let|var|case|#|unsafe)\b", mask[start:end]):
                expression(start, end, "condition")
    for match in re.finditer(r"\bwhere ([^{}\n]+)\{", mask):
        if in_function(mask, inside, match.start()):
            expression(match.start(1), match.end(1), "condition")
    for match in re.finditer(r"\breturn (?=\S)", mask):
        end = end_of_expression(mask, match.end())
        if end:
            expression(match.end(), end)
    for match in re.finditer(
            r"^ *(?:(?:private|fileprivate|package|public|static|lazy)(?:\(set\))? )*(?:let|var) "
            r"(?:\w+|\(\w+(?:, \w+)*\))(?:: [\w.<>\[\]?: ]+)? = (?=\S)", mask, re.M):
        end = end_of_expression(mask, match.end())
        if end and not is_clause(mask, match.start()):
            expression(match.end(), end)
    for match in re.finditer(r"^ +[\w.]+(?:\[[^\]\n]*\])?(?:\.\w+)* (?:[-+*|&^]|&[-+*]|&<<|&>>|<<|>>)?= (?=\S)",
                             mask, re.M):
        end = end_of_expression(mask, match.end())
        if end and in_function(mask, inside, match.start()) and inside[match.end()] >= 0 \
                and mask[inside[match.end()]] == "{":
            expression(match.end(), end)
    for match in re.finditer(r"\bfor (?:\w+|\([\w, ]+\)) in ([^{}\n]+?)(?= where | \{)", mask):
        expression(match.start(1), match.end(1))

    # Lines that are whole statements, and bodies that are one expression.
    places, lines = [], text.split("\n")
    place = 0
    for line in lines:
        places.append(place)
        place += len(line) + 1
    for number, line in enumerate(lines):
        start = places[number]
        masked_line = mask[start:start + len(line)]
        code = masked_line.strip()
        if not code or number == 0 or number + 1 >= len(lines):
            continue
        first = start + len(masked_line) - len(masked_line.lstrip())
        end = start + len(masked_line.rstrip())
        brace = inside[first]
        if brace < 0 or mask[brace] != "{" or inside[min(end, len(inside) - 1)] != brace:
            continue
        function = in_function(mask, inside, first)
        if function is None:
            continue
        before = mask[:start].rstrip()[-1:]
        after = mask[end:].lstrip()
        if before and before in ",=+-*/&|^<>?:([" or re.match(r"([.?:+\-*/|&^<>=,]|else\b|in\b)", after):
            continue
        words = mask[:start].rstrip().rsplit("\n", 1)[-1]
        if re.search(r"(\breturn|\btry|\bin|->|\bthrows|\bwhere .*[^{])$", words) and before != "{":
            continue
        alone = before == "{" and after.startswith("}")
        if alone:
            opener = header(mask, brace)
            if not re.search(r"\b(if|for|while|guard|else|do|catch)\b", opener) and (
                    "->" in opener or not re.search(r"\bfunc\b", opener)):
                if "->" in opener and "func" in opener or re.search(r"\bvar \w+: ", opener):
                    if not re.match(r"(return|throw|switch|if|guard|for|while|let|var|do)\b", code):
                        expression(first, end)
                continue
        if STATEMENT.match(code) and "//" not in line:
            if re.search(r"\binit\b", function) and re.search(r"^[\w.]+ = ", code):
                continue
            found.append(Region(first, end, "statement"))
    return mask, found


def is_clause(mask, place):
    """Whether a `let` at the beginning of a line is a clause of a condition."""
    return mask[:place].rstrip().endswith(",")
