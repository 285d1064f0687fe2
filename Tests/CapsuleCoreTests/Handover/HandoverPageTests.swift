import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct HandoverPageTests {
  private static let hostile = [
    "<script>alert(1)</script>", "\" onload=\"x", "' onerror='x", "</style>", "]]>", "<!--", "-->",
    "&amp;&lt;", "</title>", "javascript:alert(1)", "\u{202e}gpj", "<img src=x onerror=alert(1)>",
  ]

  private func page(_ handover: Handover) -> String {
    String(decoding: HandoverPage(handover: handover).html, as: UTF8.self)
  }

  private func handover(_ text: String) -> Handover {
    Handover(
      owner: text, person: text, date: "21 November 2026",
      gifts: [
        Gift(
          kind: .item, title: text, message: text, description: text,
          details: [.init("Location", text)],
          files: [
            GiftFile(path: "files/a.png", title: text, mediaType: "image/png", size: 10),
            GiftFile(path: "files/a.wav", title: text, mediaType: "audio/wav", size: 10),
            GiftFile(path: "files/a.mp4", title: text, mediaType: "video/mp4", size: 10),
            GiftFile(path: "files/a.pdf", title: text, mediaType: "application/pdf", size: 10),
            GiftFile(path: "files/a.txt", mediaType: "text/plain", size: 10, text: text),
          ])
      ], leftOut: [.init(title: text, reason: "opens on 1 January 2040")])
  }

  @Test(arguments: hostile)
  func `a text makes no element, attribute or end of one`(text: String) {
    let tame = page(handover("x"))
    let wild = page(handover(text))
    for mark in ["<", ">", "\""] {
      expect(wild.split(separator: mark).count, is: tame.split(separator: mark).count, "\(mark)")
    }
  }

  @Test func `a text keeps its characters and line ends`() {
    let html = page(handover("one\r\ntwo\n\n\tthree  four\u{0}"))
    expect(html.contains(">one&#13;\ntwo\n\n\tthree  four\u{fffd}</div>"))
  }

  @Test func `every text from outside has its own direction`() {
    let html = page(handover("TEXT"))
    // Between tags it stands in an element with a direction or in an isolate, but for the title.
    for part in html.split(separator: ">TEXT<").dropLast() {
      let tag = part.split(separator: "<").last ?? ""
      expect(tag.hasPrefix("bdi") || tag.contains("dir=\"auto\""), "\(tag)")
    }
  }

  @Test func `a path becomes a relative address of safe characters`() {
    expect(HTML.address(of: "files/a b#?%é.jpg"), is: "files/a%20b%23%3F%25%C3%A9.jpg")
    expect(HTML.address(of: "files/javascript:x"), is: "files/javascript%3Ax")
    expect(HTML.address(of: "files/\n"), is: "files/%0A")
  }

  @Test func `the policy allows this style by its digest, and no script`() throws {
    let html = page(handover("x"))
    let start = try require(html.ranges(of: "<style>").first).upperBound
    let end = try require(html.ranges(of: "</style>").first).lowerBound
    let digest = Base64.encode(SHA256.hash(Array(html[start..<end].utf8)), padded: true)
    expect(html.contains("style-src &#39;sha256-\(digest)&#39;"))
    expect(html.contains("default-src &#39;none&#39;"))
    expect(!html.contains("script-src") && !html.contains("<script"))
    expect(!html.contains("http:") && !html.contains("https:") && !html.contains("url("))
  }

  @Test func `of more than two gifts there is a list that leads to each`() {
    var handover = handover("Ring")
    handover.gifts.append(handover.gifts[0])
    expect(!page(handover).contains("<nav"))
    handover.gifts.append(handover.gifts[0])
    let html = page(handover)
    for number in 1...3 {
      expect(html.contains("<li><a href=\"#gift-\(number)\">"), "\(number)")
      expect(html.contains("id=\"gift-\(number)\""), "\(number)")
    }
  }

  @Test func `pictures have their measures where they are known`() {
    var handover = handover("x")
    handover.gifts[0].files = [
      GiftFile(
        path: "files/a b.png", title: "Front", mediaType: "image/png", size: 2_048,
        facts: MediaFacts(width: 640, height: 480)),
      GiftFile(path: "files/b.heic", mediaType: "image/heic", size: 1),
    ]
    let html = page(handover)
    expect(
      html.contains(
        "<img src=\"files/a%20b.png\" alt=\"Front\" loading=\"eager\" width=\"640\" height=\"480\">"
      ))
    // What browsers do not show is a link.
    expect(html.contains("<a href=\"files/b.heic\"><bdi lang=\"\">b.heic</bdi></a>"))
    expect(html.contains("image/heic, 1 B"))
  }

  @Test func `nothing is said of an owner who is not known`() {
    var handover = handover("x")
    handover.owner = ""
    let html = page(handover)
    expect(html.contains("This was set aside for you."))
    expect(!html.contains("class=\"from\""))
  }

  @Test func `only what is there has a place`() {
    let html = page(
      Handover(owner: "", person: "Mia", date: "", gifts: [Gift(kind: .item, title: "Ring")]))
    for mark in ["<blockquote", "<dl>", "<figure", "<nav", "class=\"later\"", "class=\"sealed\""] {
      expect(!html.contains(mark))
    }
  }

  @Test(arguments: [
    ("a.html", "text/html", "a.html.txt"), ("a.XHTML", "text/plain", "a.XHTML.txt"),
    ("a.svg", "image/svg+xml", "a.svg"), ("a.svg", "text/plain", "a.svg.txt"),
    ("a.svgz", "application/gzip", "a.svgz.txt"), ("a.xml", "application/xml", "a.xml.txt"),
    ("letter", "text/html", "letter.txt"), ("letter", "text/plain", "letter.txt"),
    ("a.mht", "message/rfc822", "a.mht.txt"), ("a.nfo", "text/plain", "a.nfo.txt"),
    ("a.txt", "text/html", "a.txt"), ("a.pdf", "application/pdf", "a.pdf"),
    ("a.sav", "application/octet-stream", "a.sav"), ("a.png", "image/png", "a.png"),
  ])
  func `a file that a browser would run has the name of a text`(
    name: String, type: String, given: String
  ) {
    let (disarmed, isDisarmed) = BrowserSafety.disarmed(name, mediaType: type)
    expect(disarmed == given && isDisarmed == (name != given))
  }

  @Test func `the page links to nothing that runs, and says why`() {
    var handover = handover("x")
    handover.gifts[0].files = [
      GiftFile(
        path: "files/a.html.txt", mediaType: "text/html", size: 1, isDisarmed: true),
      GiftFile(path: "files/b.svg", mediaType: "image/svg+xml", size: 1),
      GiftFile(path: "files/c.sav", mediaType: "application/octet-stream", size: 1),
    ]
    let html = page(handover)
    expect(html.contains("<a href=\"files/a.html.txt\" download>"))
    expect(html.contains("because a browser could run the file"))
    expect(html.contains("<img src=\"files/b.svg\"") && !html.contains("href=\"files/b.svg\""))
    expect(html.contains("On this page the program does not run"))
    expect(html.contains("<a href=\"files/c.sav\" download>"))
  }
}
