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
}
