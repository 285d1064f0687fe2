extension JSON {
  /// How deep arrays and objects may stand in one another.
  package static let depthLimit = 256

  /// Reads one JSON text, strictly: everything that RFC 8259 does not allow is refused, and so is what
  /// it leaves open and two readers take differently (duplicate keys, lone surrogates).
  ///
  /// - Throws: ``JSONError``, the first fault.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      var parser = JSONParser(buffer)
      return try parser.document()
    }
  }

  /// Reads one JSON text as ``parse(_:)`` does, and refuses one whose values stand closer together than
  /// a pretty writer puts them: in memory it would be many times as long as the file.
  ///
  /// At most about eight times the bytes of the text are taken.
  package static func parseRecord(_ bytes: [UInt8]) throws(JSONError) -> JSON {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      var parser = JSONParser(buffer)
      try parser.weigh()
      return try parser.document()
    }
  }
}

/// A parser by recursive descent, over bytes that outlive it.
///
/// Hot: members and elements are gathered on two stacks that the whole text shares, so that each
/// object and array is allocated once, at its size.
struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  private var depth = 0
  private var members: [JSONObject.Member] = []
  private var keyOffsets: [Int] = []
  private var elements: [JSON] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The bytes that an element, and a member, take at least where a pretty writer put them into an
  /// object: a line's end, two spaces for each level, the value and a comma; and the key with its
  /// quotes, colon and space. Keys of one or two characters are shorter, and few.
  private static let elementBytes = 7
  private static let memberBytes = 12
  /// The bytes by which a text may have more values: small texts cost little however they are written.
  private static let leeway = 1 << 19

  /// Counts the values of a text, without reading them, and makes room for them at once: stacks that
  /// grow by doubling would take twice as much.
  mutating func weigh() throws(JSONError) {
    guard bytes.count > Self.leeway else { return }
    var separators = 0
    var colons = 0
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): separators += 1
      case UInt8(ascii: ":"): colons += 1
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
      default: break
      }
      index += 1
    }
    let singles = max(0, separators - colons)
    guard singles * Self.elementBytes + colons * Self.memberBytes <= bytes.count + Self.leeway
    else {
      throw error(.tooManyValues, at: 0)
    }
    elements.reserveCapacity(singles)
    members.reserveCapacity(colons)
    keyOffsets.reserveCapacity(colons)
  }

  /// Reads the one value of the text.
  mutating func document() throws(JSONError) -> JSON {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw error(.byteOrderMark, at: 0) }
    skipSpace()
    let value = try value()
    skipSpace()
    if position < bytes.count { throw error(.trailingBytes, at: position) }
    return value
  }

  func error(_ kind: JSONError.Kind, at offset: Int) -> JSONError {
    JSONError(kind, at: offset, in: bytes)
  }

  /// Returns the fault of a byte, or the end, that cannot stand here.
  func unexpected() -> JSONError {
    position < bytes.count
      ? error(.unexpectedByte(bytes[position]), at: position)
      : error(.unexpectedEnd, at: bytes.count)
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Steps over one byte if it is this one, and returns whether it was.
  @inline(__always)
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() throws(JSONError) -> JSON {
    guard position < bytes.count else { throw unexpected() }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      position += 1
      return .string(try string())
    case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw unexpected()
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for index in 0..<text.utf8CodeUnitCount {
      guard skip(text.utf8Start[index]) else { throw unexpected() }
    }
    return value
  }

  @inline(__always)
  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSON
  ) throws(JSONError) -> JSON {
    if depth == JSON.depthLimit { throw error(.tooDeep, at: position) }
    depth += 1
    position += 1
    skipSpace()
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONError) -> JSON {
    if skip(UInt8(ascii: "]")) { return .array([]) }
    let first = elements.count
    while true {
      let element = try value()
      elements.append(element)
      skipSpace()
      if skip(UInt8(ascii: "]")) { break }
      try comma(before: UInt8(ascii: "]"))
    }
    let result = Array(elements[first...])
    elements.removeLast(result.count)
    return .array(result)
  }

  /// Steps over a comma and the space behind it, and refuses a bracket that follows.
  @inline(__always)
  private mutating func comma(before bracket: UInt8) throws(JSONError) {
    let offset = position
    guard skip(UInt8(ascii: ",")) else { throw unexpected() }
    skipSpace()
    if position < bytes.count, bytes[position] == bracket {
      throw error(.trailingComma, at: offset)
    }
  }

  private mutating func object() throws(JSONError) -> JSON {
    if skip(UInt8(ascii: "}")) { return .object(JSONObject()) }
    let first = members.count
    var isSorted = true
    while true {
      let offset = position
      guard skip(UInt8(ascii: "\"")) else { throw unexpected() }
      let key = try string()
      if isSorted, members.count > first {
        isSorted = JSONObject.areInOrder(members[members.count - 1].key, key)
      }
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw unexpected() }
      skipSpace()
      let value = try value()
      members.append(JSONObject.Member(key: key, value: value))
      keyOffsets.append(offset)
      skipSpace()
      if skip(UInt8(ascii: "}")) { break }
      try comma(before: UInt8(ascii: "}"))
    }
    let result = isSorted ? Array(members[first...]) : try sorted(from: first)
    members.removeLast(result.count)
    keyOffsets.removeLast(result.count)
    return .object(JSONObject(sorted: result))
  }

  /// Returns the members of the stack from an index on by their keys, which must differ.
  private func sorted(from first: Int) throws(JSONError) -> [JSONObject.Member] {
    // A stable order of equal keys, so that the second one of the text is blamed.
    let order = (first..<members.count).sorted { left, right in
      let (one, two) = (members[left].key, members[right].key)
      if JSONObject.areInOrder(one, two) { return true }
      return left < right && !JSONObject.areInOrder(two, one)
    }
    for (left, right) in zip(order, order.dropFirst())
    where members[left].key.utf8.elementsEqual(members[right].key.utf8) {
      throw error(.duplicateKey(members[right].key), at: keyOffsets[right])
    }
    return order.map { members[$0] }
  }

  private mutating func number() throws(JSONError) -> JSON {
    let start = position
    let isNegative = skip(UInt8(ascii: "-"))
    let firstDigit = position
    var magnitude: UInt64 = 0
    while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 {
      // Wraps around in long numbers only, which are read from their text below.
      magnitude = magnitude &* 10 &+ UInt64(digit)
      position += 1
    }
    let digits = position - firstDigit
    if digits == 0 || digits > 1 && bytes[firstDigit] == 0x30 {
      throw error(.invalidNumber, at: digits == 0 ? position : firstDigit)
    }
    let integerEnd = position
    if skip(UInt8(ascii: ".")) { try skipDigits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try skipDigits()
    }
    if position == integerEnd, digits <= 18, !(isNegative && magnitude == 0) {
      return .integer(isNegative ? -Int64(magnitude) : Int64(magnitude))
    }
    let text = String(
      decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    if position == integerEnd, digits == 19, let value = Int64(text) { return .integer(value) }
    return .number(JSONNumber(checked: text))
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = position
    while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
    if position == start { throw error(.invalidNumber, at: position) }
  }

  /// Reads the string whose opening quotation mark has been read.
  mutating func string() throws(JSONError) -> String {
    let start = position
    // Escapes are rare: until the first one the string is a stretch of the text.
    try skipPlain()
    if bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return text(start..<position)
    }
    var scratch = Array(bytes[start..<position])
    while true {
      if bytes[position] == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: scratch, as: UTF8.self)
      }
      try escape(into: &scratch)
      let next = position
      try skipPlain()
      scratch.append(contentsOf: bytes[next..<position])
    }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  /// Steps over valid UTF-8 without control characters, up to a quotation mark or a backslash.
  private mutating func skipPlain() throws(JSONError) {
    while true {
      skipPlainASCII()
      guard position < bytes.count else { throw error(.unexpectedEnd, at: position) }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      if byte < 0x20 { throw error(.controlCharacter(byte), at: position) }
      try skipScalar()
    }
  }

  /// Steps over plain ASCII, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlainASCII() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let raw = UnsafeRawBufferPointer(bytes)
    while position &+ 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let quote = word ^ ones &* 0x22
      let backslash = word ^ ones &* 0x5C
      // The high bit of a byte is set where it is zero after the xor, below a space, or not ASCII.
      // A borrow can set it wrongly only above one that is set rightly.
      let stops =
        ((quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20) | word) & highs
      if stops != 0 {
        position &+= stops.trailingZeroBitCount >> 3
        return
      }
      position &+= 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
      position &+= 1
    }
  }

  /// Steps over one scalar of two to four bytes, by the table of RFC 3629 §4.
  private mutating func skipScalar() throws(JSONError) {
    let lead = bytes[position]
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: count = 2
    case 0xE0...0xEF:
      count = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      count = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: throw error(.invalidUTF8, at: position)
    }
    guard position + count <= bytes.count, second.contains(bytes[position + 1]),
      bytes[(position + 2)..<(position + count)].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { throw error(.invalidUTF8, at: position) }
    position += count
  }

  private mutating func escape(into scratch: inout [UInt8]) throws(JSONError) {
    let start = position
    guard position + 1 < bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
    position += 2
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): scratch.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): scratch.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try escapedScalar(from: start)
      scratch.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    default: throw error(.invalidEscape, at: start)
    }
  }

  /// Reads the scalar of one `\uXXXX`, or of two that are a surrogate pair.
  private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try fourDigits(from: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error(.loneSurrogate, at: start) }
    let next = position
    position += 2
    let second = try fourDigits(from: next)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(
        0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { throw error(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
    var value: UInt16 = 0
    for byte in bytes[position..<(position + 4)] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 0x30
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 0x57
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - 0x37
      default: throw error(.invalidEscape, at: start)
      }
      value = value << 4 | UInt16(digit)
    }
    position += 4
    return value
  }
}

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
    case .trailingBytes: "text after the value"
    case .trailingComma: "an extra comma"
    case .duplicateKey: "a repeated key"
    case .controlCharacter: "a control character"
    case .invalidEscape: "an invalid escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidUTF8: "bytes that are not UTF-8"
    case .invalidNumber: "an invalid number"
    case .tooDeep: "values nested too deeply"
    case .tooManyValues: "too many values"
    }
  }
}
