/// One recipient stanza of an age header: the file key, wrapped for one recipient (C2SP age.md,
/// "Recipient stanza").
package struct Stanza: Hashable, Sendable {
  /// The words behind `->`, at least one, each of one or more bytes 0x21–0x7E; the first is the
  /// kind.
  package let arguments: [String]
  /// The decoded body; it may be empty.
  package let body: [UInt8]

  package init(arguments: [String], body: [UInt8]) {
    self.arguments = arguments
    self.body = body
  }

  /// The first argument: which kind of recipient the stanza is for.
  package var kind: String { arguments.first ?? "" }

  /// The columns of a body line; a stanza ends with the first line that is shorter.
  static let columns = 64
  /// The bytes that a full body line stands for.
  static let bytesPerLine = 48

  /// Appends the stanza as it stands in a header: its argument line, then its body lines, of which
  /// the last is short and may be empty.
  func write(to text: inout [UInt8]) {
    text.append(contentsOf: "->".utf8)
    for argument in arguments {
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: argument.utf8)
    }
    text.append(UInt8(ascii: "\n"))
    var start = 0
    while true {
      let line = Array(body[start..<min(start + Self.bytesPerLine, body.count)])
      text.append(contentsOf: Base64.encode(line, padded: false).utf8)
      text.append(UInt8(ascii: "\n"))
      if line.count < Self.bytesPerLine { return }
      start += Self.bytesPerLine
    }
  }
}
