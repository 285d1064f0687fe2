"""What is held of one page."""
import pathlib
import re
import urllib.parse
from dataclasses import dataclass, field

from family import HOSTILE


@dataclass
class Figures:
    texts: int = 0
    images: int = 0
    sounds: int = 0
    requests: int = 0
    sheets: int = 0
    kept: dict = field(default_factory=dict)


# What is on the page, gift by gift.
ARTICLES = """
[...document.querySelectorAll('article')].map(article => {
  const texts = (selector) => [...article.querySelectorAll(selector)].map(e => e.textContent);
  return {
    title: texts('h2'), message: texts('.message > .words'), description: texts('.about'),
    details: texts('dd'), written: texts('.text > .words'), captions: texts('.photo figcaption'),
    links: [...article.querySelectorAll('figure a, .files a')].map(a => a.getAttribute('href')),
  };
})
"""

# Sounds and films tell their length, or an error.
PLAYERS = """
Promise.all([...document.querySelectorAll('audio, video')].map(e => new Promise(done => {
  const tell = () => done({src: e.getAttribute('src'), length: e.duration, error: e.error?.code ?? 0});
  if (e.readyState >= 1 || e.error) return tell();
  e.addEventListener('loadedmetadata', tell);
  e.addEventListener('error', tell);
  e.load();
})))
"""

IMAGES = """
[...document.images].map(e => ({src: e.getAttribute('src'), alt: e.alt,
                                isLoaded: e.complete && e.naturalWidth > 0,
                                ratio: e.naturalWidth ? e.clientWidth * e.naturalHeight / e.clientHeight / e.naturalWidth : 1}))
"""

# What reaches beyond the page's width, or is clipped though it could be read.
WIDE = """
[document.documentElement.scrollWidth > innerWidth ? ['the page', document.documentElement.scrollWidth] : null,
 ...[...document.querySelectorAll('body *')].map(e => {
   const box = e.getBoundingClientRect();
   return box.right > innerWidth + 0.5 || box.left < -0.5 ? [e.outerHTML.slice(0, 60), box.right] : null;
 }),
 ...[...document.querySelectorAll('h1, h2, dd, .words, figcaption, pre')].map(e =>
   e.scrollWidth > e.clientWidth + 1 ? [e.outerHTML.slice(0, 60), e.scrollWidth] : null),
].filter(Boolean)
"""

# Text on its ground: the contrast of WCAG 2.2, 1.4.3.
FAINT = """
(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map(v => v / 255).map(
      v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = parts(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const faint = new Map();
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.set(e.tagName + '.' + e.className, ratio);
  }
  return [...faint];
})()
"""


PHONE, DESK, NIGHT = (360, 740, "light", True), (1280, 900, "light", False), (360, 740, "dark", True)


class Page:
    """A page at some sizes, and what is wrong with it."""

    def __init__(self, browser, path, name, figures):
        self.browser, self.path, self.name, self.figures = browser, pathlib.Path(path), name, figures
        self.problems = []

    def expect(self, holds, what):
        if not holds:
            self.problems.append(f"{self.name}: {what}")

    def look(self, stem, *sizes, also=lambda width: None):
        """Nothing is too wide or too faint at any size, nothing is fetched, and no script runs."""
        for width, height, scheme, is_mobile in sizes:
            self.browser.show(width, height, is_mobile, scheme)
            self.browser.open(self.path.as_uri())
            also(width)
            for wide in self.browser.value(WIDE):
                self.expect(False, f"at {width} px too wide: {wide}")
            for faint in self.browser.value(FAINT):
                self.expect(False, f"in the {scheme} too faint: {faint}")
            check_events(self.browser, self.path, self.expect, self.figures)
            self.figures.kept[f"{stem}-{width}-{scheme}.png"] = self.browser.picture()
        self.expect(self.browser.value("window.ran === undefined && document.scripts.length === 0"), "a script ran")

    def look_with_media(self, stem):
        """Every picture is loaded as well, and every sound can be played."""
        def media(width):
            self.images, self.players = self.browser.value(IMAGES), self.browser.value(PLAYERS)
            for image in self.images:
                self.expect(image["isLoaded"], f"at {width} px, {image['src']} is not loaded")
                self.expect(image["alt"], f"{image['src']} has no words in its place")
                self.expect(0.95 < image["ratio"] < 1.05, f"at {width} px, {image['src']} is distorted")
            for player in self.players:
                self.expect(not player["error"] and (player["length"] or 0) > 0,
                            f"{player['src']} cannot be played: {player}")

        self.look(stem, PHONE, DESK, NIGHT, also=media)
        self.figures.images += len(self.images)
        self.figures.sounds += len(self.players)

    def styled(self):
        self.expect(self.browser.value("getComputedStyle(document.querySelector('main')).maxWidth") != "none",
                    "the style is not applied")

    def printed(self, stem, holds, *paper):
        """Prints it; `holds` says whether so many sheets are right."""
        sheets = self.browser.sheets(*paper)
        self.figures.kept[f"{stem}.pdf"] = sheets
        count = len(re.findall(rb"/Type\s*/Page\b", sheets))
        self.expect(sheets.startswith(b"%PDF-") and holds(count), f"{count} sheets {paper or ''}")
        self.figures.sheets += count


def check(browser, delivery, figures):
    """Holds one person's page; gives what is wrong with it."""
    folder, name = pathlib.Path(delivery["path"]), delivery["beneficiary"]["name"]
    page = Page(browser, folder / "index.html", repr(name[:20]), figures)
    expect = page.expect
    stem = f"{len(figures.kept) // 4 + 1}"
    page.look_with_media(stem)
    page.styled()
    expect(browser.value("document.querySelector('h1').textContent") == name, "the person's name is another")
    check_texts(browser.value(ARTICLES), delivery, folder, expect, figures)
    later = browser.value("[...document.querySelectorAll('.later bdi')].map(e => e.textContent)")
    expect(later == [gift["title"] for gift in delivery["leftOut"]], "what is not there yet is another")
    page.printed(stem, lambda count: count >= len(delivery["gifts"]))
    return page.problems


# The names on an estate's page.
ESTATE = """
({owner: document.querySelector('h1').textContent,
  items: [...document.querySelectorAll('#inventory li > bdi')].map(e => e.textContent),
  people: [...document.querySelectorAll('#people h3')].map(e => e.textContent),
  capsules: [...document.querySelectorAll('article[id^=gift] h2')].map(e => e.textContent)})
"""


def check_estate(browser, folder, household, figures):
    """Holds the first page of an estate; gives what is wrong with it."""
    page = Page(browser, folder / "READ-ME-FIRST.html", "the estate", figures)
    page.look("estate", PHONE, DESK, NIGHT)
    page.styled()
    names = browser.value(ESTATE)
    shown = {item.strip() for item in HOSTILE}
    page.expect(shown <= set(names["items"]), f"items are missing: {list(shown - set(names['items']))[:2]!r:.200}")
    page.expect(set(household.names) <= set(names["people"]), "people are missing")
    page.expect("Nobody's " + HOSTILE[7] in names["capsules"], "a capsule is missing")
    page.expect(names["owner"].startswith(HOSTILE[0]), "the owner's name is another")
    figures.texts += sum(map(len, (names["items"], names["people"], names["capsules"])))
    for link in browser.value("[...document.querySelectorAll('a')].map(e => e.getAttribute('href'))"):
        page.expect(link.startswith("#") or (folder / urllib.parse.unquote(link)).is_file(), f"{link} is no file")
    page.printed("estate", lambda count: count > 0)
    return page.problems


def check_report(browser, folder, figures):
    """Holds the report of all items; gives what is wrong with it."""
    page = Page(browser, folder / "index.html", "the report", figures)
    page.look_with_media("report")
    page.styled()
    shown = {item.strip() for item in HOSTILE}
    articles = browser.value(ARTICLES)
    listed = browser.value("[...document.querySelectorAll('td a > bdi')].map(e => e.textContent)")
    for names in (listed, [title for article in articles for title in article["title"]]):
        page.expect(shown <= set(names), f"items are missing: {list(shown - set(names))[:2]!r:.200}")
    page.expect(len(page.images) >= len(HOSTILE), f"{len(page.images)} pictures")
    figures.texts += 2 * len(articles)
    page.printed("report", lambda count: count > 1)
    return page.problems


# The words of a share with their places and their numbers.
SHARE = """
[...document.querySelectorAll('td.w')].map(e => [
  e.previousElementSibling.textContent, e.textContent, e.nextElementSibling.textContent])
"""


def check_share(browser, path, figures):
    """Holds the page of a share beside its text; gives what is wrong with it."""
    page = Page(browser, path, f"the share {path.name[:20]!r}", figures)
    stem = f"{path.parent.name} {path.stem[:9]}"
    page.look(stem, NIGHT, (794, 1123, "light", False))
    text = path.with_suffix(".txt").read_text(encoding="utf-8").split("-----")[2]
    words = [list(found) for found in re.findall(r"(\d+)\. ([a-z]+) +(\d+)", text)]
    page.expect(len(words) >= 20 and browser.value(SHARE) == words, "its words are not those of its text")
    for paper in ((8.27, 11.69), (8.5, 11)):
        page.printed(stem, lambda count: count == 1, *paper)
    figures.texts += len(words)
    return page.problems


def check_events(browser, page, expect, figures):
    """Nothing is fetched from elsewhere, nothing is run, nothing is refused or complained of."""
    source = page.read_text(encoding="utf-8")
    for event in browser.events:
        method, parameters = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if address.startswith("data:image/svg+xml;base64,") and address not in source:
                continue  # the buttons of the browser's own player
            figures.requests += 1
            path = urllib.parse.unquote(urllib.parse.urlparse(address).path)
            expect(address.startswith("file:///") and pathlib.Path(path).is_relative_to(page.parent)
                   and pathlib.Path(path).is_file(), f"a request: {address[:80]}")
        elif method == "Network.loadingFailed" and not parameters.get("canceled"):
            expect(False, f"not loaded: {parameters.get('errorText')}")
        elif method == "Page.javascriptDialogOpening":
            expect(False, "a dialogue opened")
        elif method == "Debugger.scriptParsed" and parameters["url"].startswith("file:"):
            expect(False, f"a script: {parameters['url'][:80]}")
        elif method == "Log.entryAdded":
            expect(False, f"the log: {parameters['entry']['text'][:120]}")
        elif method == "Audits.issueAdded":
            code = parameters["issue"]["code"]
            expect(code != "ContentSecurityPolicyIssue", f"an issue: {code}")


def check_texts(articles, delivery, folder, expect, figures):
    """Every text stands there as the program told it, and every file is one."""
    gifts = delivery["gifts"]
    expect(len(articles) == len(gifts), f"{len(articles)} articles for {len(gifts)} gifts")
    for article, gift in zip(articles, gifts):
        where = gift["title"][:20]
        for key, given in (
                ("title", [gift["title"]]), ("message", [gift["message"]]),
                ("description", [gift["description"]]),
                ("details", [detail["value"] for detail in gift["details"]])):
            # HTML cannot say NUL; nothing else may differ.
            given = [text.replace("\0", "\ufffd") for text in given if text]
            figures.texts += len(given)
            expect(article[key] == given, f"the {key} of {where!r} is another: {article[key]!r:.120}")
        linked = {urllib.parse.unquote(link) for link in article["links"]}
        for file in gift["files"]:
            expect(file["path"] in linked, f"{file['path']} is not linked")
            target = folder / file["path"]
            expect(target.is_file() and target.stat().st_size == file["size"],
                   f"{file['path']} is no file of {file['size']} bytes")
        for text in article["written"]:
            texts = [(folder / file["path"]).read_bytes().decode() for file in gift["files"]
                     if file["mediaType"] == "text/plain"]
            figures.texts += 1
            expect(text in texts, f"a text of {where!r} is another")
