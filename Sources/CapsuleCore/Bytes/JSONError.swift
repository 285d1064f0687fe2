/// The reason for which a text is not JSON, and its place.
public struct JSONError: Error, Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The text ends inside a value, or there is none.
    case unexpectedEnd
    /// A byte that cannot stand here.
    case unexpectedByte(UInt8)
    /// The text begins with U+FEFF, which RFC 8259 §8.1 forbids.
    case byteOrderMark
    /// Something follows the value.
    case trailingBytes
    /// A comma before a closing bracket.
    case trailingComma
    /// An object names a key twice.
    case duplicateKey(String)
    /// A control character in a string that is not escaped.
    case controlCharacter(UInt8)
    /// A backslash before something that is not an escape.
    case invalidEscape
    /// A `\u` escape of one half of a surrogate pair.
    case loneSurrogate
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// Leading zeros, or digits missing.
    case invalidNumber
    /// Arrays and objects in one another beyond ``JSON/depthLimit``.
    case tooDeep
    /// Far more values than a text of the size has where it was written in lines: a record only.
    case tooManyValues
  }

  public let kind: Kind
  /// The place of the fault, in bytes from 0.
  public let offset: Int
  /// The line of the fault, from 1.
  public let line: Int
  /// The place of the fault on its line, in bytes from 1.
  public let column: Int

  init(_ kind: Kind, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    let before = bytes[..<offset]
    let newline = UInt8(ascii: "\n")
    let lineStart = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    self.kind = kind
    self.offset = offset
    line = before.count { $0 == newline } + 1
    column = offset - lineStart + 1
  }
}

extension JSONError: CustomStringConvertible {
  public var description: String { "\(kind.words) on line \(line), column \(column)" }
}

extension JSONError.Kind {
  fileprivate var words: String {
    switch self {
    case .unexpectedEnd: "the text ends too early"
    case .unexpectedByte: "an unexpected byte"
    case .byteOrderMark: "a byte order mark"
    case .trailingBytes: "something follows the value"
    case .trailingComma: "a comma too many"
    case .duplicateKey: "a key that stands there twice"
    case .controlCharacter: "a control character"
    case .invalidEscape: "an escape that is none"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .invalidNumber: "a number that is none"
    case .tooDeep: "values that are nested too deep"
    case .tooManyValues: "too many values"
    }
  }
}
