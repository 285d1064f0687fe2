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
