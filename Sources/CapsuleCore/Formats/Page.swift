/// A page that stands alone, written from top to bottom: as HTML, or as lines of text. What is only of the other form
/// is passed over.
///
///     Page.bytes(.html, title: "For Mia", style) { page in
///       page.html("<h1>For Mia</h1>\n")
///       page.paragraph("from ", .name(owner))
///     }
package struct Page {
  /// The form in which a page is written.
  package enum Form {
    case html
    /// Lines of 72 columns with the words of other people: a long word is broken, and what acts on a terminal or
    /// turns the direction of a line is shown by its number.
    case letter
    /// Lines with the program's own words, each behind a mark.
    case sheet(columns: Int, mark: String = "")
  }

  private let form: Form
  /// What was written before the last secret, and the secrets: each writes itself, and takes no more room than it says.
  private var pieces: [(size: Int, write: (inout [UInt8]) -> Void)] = []
  private var source: HTML = ""
  private var lines: [String] = []

  private init(_ form: Form) { self.form = form }

  package var isHTML: Bool { if case .html = form { true } else { false } }

  /// Returns a page in UTF-8.
  ///
  /// - Parameter title: the title of the window.
  package static func bytes(
    _ form: Form, title: String, _ style: PageStyle, _ body: (inout Page) -> Void
  ) -> [UInt8] {
    part(form) { page in
      page.html(style.head(title))
      body(&page)
      page.html(end)
    }
  }

  /// Everything after the contents of a page.
  package static let end: HTML = "</main>\n</body>\n</html>\n"

  /// Returns a part of a page in UTF-8, for one that is written piece by piece.
  package static func part(_ form: Form = .html, _ body: (inout Page) -> Void) -> [UInt8] {
    var page = Page(form)
    body(&page)
    return page.finish()
  }

  /// Returns a text in lines as a letter has them.
  package static func wrapped(_ text: String) -> String {
    var page = Page(.letter)
    page.block(text)
    return String(decoding: page.finish(), as: UTF8.self)
  }

  // MARK: Both forms

  /// Writes an element around something, which is text by itself.
  package mutating func element(
    _ name: HTML, id: String = "", class kind: String = "", _ body: (inout Page) -> Void
  ) {
    html("<\(name)\(HTML.attribute("id", id))\(HTML.attribute("class", kind))>\n")
    body(&self)
    html("</\(name)>\n")
  }

  /// Writes an article under a heading.
  package mutating func article(_ id: String, _ heading: HTML, _ body: (inout Page) -> Void) {
    element("article", id: id) { page in
      page.html("<h2>\(heading)</h2>\n")
      body(&page)
    }
  }

  package mutating func paragraph(_ words: Words..., class kind: String = "") {
    paragraph(words, class: kind)
  }

  package mutating func paragraph(_ words: [Words], class kind: String = "") {
    html("<p\(HTML.attribute("class", kind))>")
    for piece in words { html(piece.html) }
    html("</p>\n")
    line(words.map(\.text).joined())
  }

  /// Writes what somebody wrote, in its own lines and direction.
  package mutating func words(_ text: String, class kind: String = "words") {
    html("<div\(HTML.attribute("class", kind)) dir=\"auto\" lang=\"\">\(text)</div>\n")
    block(text)
  }

  /// Writes facts, each behind a word for it; nothing where there are none.
  package mutating func facts(_ facts: [(String, String)]) {
    guard !facts.isEmpty else { return }
    space()
    element("dl") { page in
      for (label, value) in facts {
        page.html("<div><dt>\(label)</dt><dd dir=\"auto\" lang=\"\">\(value)</dd></div>\n")
        page.line("\(label): \(value)", rest: "  ")
      }
    }
  }

  /// Writes sentences with their numbers.
  package mutating func steps(_ steps: [String]) {
    element("ol") { page in
      for (index, step) in steps.enumerated() {
        page.html("<li>\(step)</li>\n")
        page.line(step, first: "\(index + 1). ", rest: "   ")
      }
    }
  }

  /// Writes what no string holds: it goes only into the bytes of the page, in memory that no copy leaves.
  ///
  /// - Parameter size: the most bytes that it takes.
  package mutating func secret(atMost size: Int, _ body: @escaping (inout [UInt8]) -> Void) {
    endPiece()
    pieces.append((size, body))
  }

  // MARK: HTML alone

  package mutating func html(_ html: @autoclosure () -> HTML) {
    if isHTML { source += html() }
  }

  // MARK: Text alone

  /// Writes a line as it is.
  package mutating func verbatim(_ line: String) {
    if !isHTML { lines.append(line) }
  }

  /// Leaves a line empty, unless one is or none was written.
  package mutating func space() {
    if lines.isEmpty ? !pieces.isEmpty : lines.last != "" { verbatim("") }
  }

  package mutating func rule() {
    space()
    verbatim(String(repeating: "-", count: columns))
    space()
  }

  /// Writes a text of several paragraphs, with its own line ends.
  package mutating func block(_ text: String) {
    guard !isHTML, !text.isEmpty else { return }
    space()
    for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      line(String(part))
    }
    while lines.last == "" { lines.removeLast() }
  }

  /// Writes one paragraph, broken at spaces. A longer word stays whole, so that an address stays a link; in a
  /// letter a line may also end before a wide character, as in Chinese, which has no spaces.
  package mutating func line(_ text: String, first: String = "", rest: String = "") {
    guard !isHTML else { return }
    var (breaksWords, text) = (false, text)
    if case .letter = form { (breaksWords, text) = (true, Self.harmless(text)) }
    var (line, column) = (first, first.count)
    func end() {
      lines.append(line)
      (line, column) = (rest, rest.count)
    }
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      if index > 0 {
        if column + 1 + word.reduce(0, { $0 + TextWidth.of($1) }) <= columns {
          line += " "
          column += 1
        } else {
          end()
        }
      }
      for character in word {
        let size = TextWidth.of(character)
        if breaksWords, size > 1, column + size > columns { end() }
        line.append(character)
        column += size
      }
    }
    lines.append(line)
  }

  private var columns: Int {
    if case .sheet(let columns, _) = form { columns } else { 72 }
  }

  private static func harmless(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09: scalars.append(contentsOf: "    ".unicodeScalars)
      case 0x0a, 0x0d, 0x2028, 0x2029: scalars.append(" ")
      case 0x00...0x1f, 0x7f...0x9f, 0x61c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069:
        scalars.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  // MARK: The result

  private mutating func endPiece() {
    var text = source.source
    switch form {
    case .html: break
    case .letter: text = lines.joined(separator: "\n") + "\n"
    case .sheet(_, let mark):
      let begin = mark.isEmpty ? "" : mark + " "
      for line in lines { text += (line.isEmpty ? mark : begin + line) + "\n" }
    }
    pieces.append((text.utf8.count, { [text] in $0 += text.utf8 }))
    (source, lines) = ("", [])
  }

  private mutating func finish() -> [UInt8] {
    endPiece()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.size })
    for piece in pieces { piece.write(&bytes) }
    return bytes
  }
}

/// Words that are on a page and in its text alike, where some are marked on the page.
package enum Words: ExpressibleByStringInterpolation {
  case plain(String)
  case bold(String)
  case code(String)
  /// A name or another text from outside, with a direction of its own.
  case name(String)
  /// The name of a file or a folder.
  case path(String)

  package init(stringLiteral value: String) { self = .plain(value) }

  fileprivate var text: String {
    switch self {
    case .plain(let text), .bold(let text), .code(let text), .name(let text), .path(let text): text
    }
  }

  fileprivate var html: HTML {
    switch self {
    case .plain(let text): "\(text)"
    case .bold(let text): "<b>\(text)</b>"
    case .code(let text): "<code>\(text)</code>"
    case .name(let text): "\(name: text)"
    case .path(let text): "\(path: text)"
    }
  }
}

/// A piece of HTML: literals stand as they are, every text that is put in is escaped.
///
///     let heading: HTML = "<h1>\(person)</h1>"
package struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
  package private(set) var source: String

  package init(stringLiteral value: String) {
    source = value
  }

  package init(stringInterpolation: Interpolation) {
    source = stringInterpolation.source
  }

  package static func += (left: inout HTML, right: HTML) {
    left.source += right.source
  }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) {
      source += literal
    }

    package mutating func appendInterpolation(_ text: String) {
      source += HTML.escaped(text)
    }

    package mutating func appendInterpolation(_ number: some BinaryInteger) {
      source += String(number)
    }

    /// A name or another text from outside, in an element with a direction of its own.
    package mutating func appendInterpolation(name: String) {
      appendInterpolation("<bdi lang=\"\">\(name)</bdi>" as HTML)
    }

    /// The name of a file or a folder.
    package mutating func appendInterpolation(path: String) {
      appendInterpolation("<bdi class=\"name\" lang=\"\">\(path)</bdi>" as HTML)
    }

    package mutating func appendInterpolation(_ html: HTML) {
      source += html.source
    }
  }

  /// Returns pieces with commas between them.
  package static func listed(_ pieces: [HTML]) -> HTML {
    HTML(stringLiteral: pieces.map(\.source).joined(separator: ", "))
  }

  /// Returns an attribute, behind a space; nothing for an empty value.
  package static func attribute(_ name: HTML, _ value: String) -> HTML {
    value.isEmpty ? "" : " \(name)=\"\(value)\""
  }

  /// Returns a text as it stands in an element or in a quoted attribute: a browser gives it back
  /// exactly, but for NUL, which HTML cannot express.
  private static func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): result += "&amp;".utf8
      case UInt8(ascii: "<"): result += "&lt;".utf8
      case UInt8(ascii: ">"): result += "&gt;".utf8
      case UInt8(ascii: "\""): result += "&quot;".utf8
      case UInt8(ascii: "'"): result += "&#39;".utf8
      // A reader makes a line feed of a bare one (HTML, 13.2.3.5).
      case UInt8(ascii: "\r"): result += "&#13;".utf8
      case 0: result += "\u{fffd}".utf8
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns a relative address of a path: every byte but letters, digits, `-._~` and `/` is percent-encoded
  /// (RFC 3986, section 2.3).
  package static func address(of path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
