/// The text form of an age file: strict PEM (RFC 7468 §3, figure 3; C2SP age.md, "ASCII armor").
package enum Armor {
  /// The line before the text.
  package static let begin = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
  /// The line behind the text.
  static let end = Array("-----END AGE ENCRYPTED FILE-----".utf8)
  /// The columns of every line but the last.
  static let columns = 64
  /// The bytes that a full line stands for.
  static let bytesPerLine = 48

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
  }

  /// Whether a line is the end line; white space may follow it, as it is outside.
  static func isEnd(_ line: [UInt8]) -> Bool {
    line.starts(with: end) && line[end.count...].allSatisfy(isSpace)
  }

  /// Whether a stream that starts with this byte is to be read as armor: an age file that is not
  /// starts with neither white space nor a hyphen.
  package static func isExpected(firstByte: UInt8) -> Bool {
    isSpace(firstByte) || firstByte == begin[0]
  }
}
