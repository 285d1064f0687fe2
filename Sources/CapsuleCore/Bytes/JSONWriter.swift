/// A layout of JSON text. Both write an object's keys in the order of their bytes.
package enum JSONStyle: Hashable, Sendable {
  /// Two spaces a level, one member or element a line.
  case pretty
  /// The style without any white space.
  case compact
}

extension JSON {
  /// The value's text; a pretty one ends with a newline.
  package func encoded(_ style: JSONStyle = .pretty) -> [UInt8] {
    var writer = JSONTextWriter(style)
    writer.value(self)
    if style == .pretty { writer.endLine() }
    return writer.takeBytes()
  }
}

extension JSONTextWriter {
  /// Writes a whole value.
  package mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): number(value)
    case .string(let value): self.value(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object { self.member(member.key, member.value) }
      endObject()
    }
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: JSON) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: String) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Int64) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Int) {
    self.key(key)
    self.value(Int64(value))
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    self.value(value)
  }
}

/// A writer of JSON text into bytes, piece by piece, for what is too much to hold as values.
///
/// It escapes quotation marks, backslashes and control characters (C0, DEL and C1, which terminals
/// obey), and no others. The caller ends what it began, and gives keys in order, but for ``beginSortedObject()``.
package struct JSONTextWriter: Sendable {
  private let style: JSONStyle
  /// Grows by doubling; only the first `count` bytes are text.
  private var buffer: [UInt8]
  private var count = 0
  private var depth = 0
  /// Whether the innermost array or object has nothing in it yet.
  private var isEmpty = true
  private var isAfterKey = false
  /// The depth of the innermost object that is sorted; 0 for none.
  private var sortedDepth = 0
  /// The objects that are sorted, the innermost last: the depth of the one around it, and the place of its first key
  /// in `keys`.
  private var sorted: [(outerDepth: Int, first: Int)] = []
  /// The places of the keys of these objects.
  private var keys: [Int] = []
  /// The order of the members of the last object that was sorted, by its depth. The next one has most often the same.
  private var orders: [[Int]] = []

  package init(_ style: JSONStyle, reserving capacity: Int = 256) {
    self.style = style
    buffer = [UInt8](repeating: 0, count: min(max(capacity, 64), 1 << 20))
  }

  /// How many bytes are ready to be taken.
  package var byteCount: Int { count }

  /// Returns the bytes that were written since the last time; writing goes on behind them.
  package mutating func takeBytes() -> [UInt8] {
    defer { count = 0 }
    return Array(buffer[..<count])
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }

  /// Begins an object whose members come in any order: ``endSortedObject()`` sorts them by the bytes of their keys.
  ///
  /// Until then no bytes are taken. Each key comes once, and is of bytes above the quotation mark alone: it has no
  /// spaces, and nothing that needs an escape.
  package mutating func beginSortedObject() {
    beginObject()
    sorted.append((sortedDepth, keys.count))
    sortedDepth = depth
  }

  package mutating func endSortedObject() {
    guard let (outerDepth, first) = sorted.popLast() else { return }
    sortMembers(from: first)
    keys.removeLast(keys.count - first)
    sortedDepth = outerDepth
    endObject()
  }

  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Writes a member's key; its value is written next.
  package mutating func key(_ key: String) {
    separate()
    isAfterKey = true
    if depth == sortedDepth {
      keys.append(count)
      quote(key, isKey: true, isPlain: true)
    } else {
      quote(key, isKey: true)
    }
  }

  package mutating func value(_ text: String) {
    beginValue()
    quote(text)
  }

  /// Writes a text that needs no escapes: `write` fills a buffer of `count` bytes.
  package mutating func value(
    plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    let count = max(0, count)
    beginValue()
    append(UInt8(ascii: "\""))
    reserve(count)
    buffer.withUnsafeMutableBytes { buffer in
      write(UnsafeMutableRawBufferPointer(rebasing: buffer[self.count..<(self.count + count)]))
    }
    self.count += count
    append(UInt8(ascii: "\""))
  }

  package mutating func value(_ integer: Int64) {
    beginValue()
    appendDecimal(integer)
  }

  package mutating func value(_ integer: Int) {
    value(Int64(integer))
  }

  package mutating func value(_ bool: Bool) {
    beginValue()
    append(bool ? "true" : "false")
  }

  package mutating func number(_ number: JSONNumber) {
    beginValue()
    append(utf8: number.text)
  }

  package mutating func null() {
    beginValue()
    append("null")
  }

  /// Ends the line, after a whole text: the last newline of a file, or one between texts of NDJSON.
  package mutating func endLine() {
    append(UInt8(ascii: "\n"))
    isEmpty = true
  }

  // Structure.

  @inline(__always)
  private mutating func beginValue() {
    if isAfterKey {
      isAfterKey = false
    } else {
      separate()
    }
  }

  /// Writes a comma, if something stands before, and a new line.
  @inline(__always)
  private mutating func separate() {
    guard depth > 0 else { return }
    let comma = isEmpty ? 0 : 1
    isEmpty = false
    appendLineStart(comma)
  }

  private mutating func begin(_ bracket: UInt8) {
    beginValue()
    append(bracket)
    depth += 1
    isEmpty = true
  }

  private mutating func end(_ bracket: UInt8) {
    depth = max(0, depth - 1)
    if !isEmpty { appendLineStart() }
    append(bracket)
    isEmpty = false
  }

  /// Sorts the members whose keys are the last ones, from a place in the list of keys.
  @_optimize(speed)
  private mutating func sortMembers(from base: Int) {
    let members = keys.count - base
    guard members > 1 else { return }
    while orders.count <= depth { orders.append([]) }
    let (first, end) = (keys[base], count)
    // Behind each member, the last one too, stands what parts it from the next.
    separate()
    keys.append(count)
    let (keys, size) = (keys, count - first)
    var order = orders[depth]
    // Eight bytes more, so that a key can be compared by words.
    withUnsafeTemporaryAllocation(byteCount: size + 8, alignment: 8) { old in
      buffer.withUnsafeMutableBytes { buffer in
        guard let buffer = buffer.baseAddress, let copy = old.baseAddress else { return }
        copy.copyMemory(from: buffer + first, byteCount: size)
        (copy + size).storeBytes(of: 0, as: UInt64.self)
        keys.withUnsafeBufferPointer { keys in
          let starts = UnsafeBufferPointer(rebasing: keys[base...])
          // A place is the same in the buffer and here.
          let old = UnsafeRawPointer(copy) - first
          // A key ends with a quotation mark, which is less than what keys are made of.
          func precedes(_ one: Int, _ other: Int) -> Bool {
            var (one, other) = (old + starts[one], old + starts[other])
            let end = old + first + size
            while max(one, other) < end {
              let (left, right) = (
                one.loadUnaligned(as: UInt64.self), other.loadUnaligned(as: UInt64.self)
              )
              if left != right { return UInt64(bigEndian: left) < UInt64(bigEndian: right) }
              one += 8
              other += 8
            }
            return false
          }
          func isSorted() -> Bool {
            order.count == members
              && zip(order, order.dropFirst()).allSatisfy { precedes($0, $1) }
          }
          if !isSorted() { order = (0..<members).sorted(by: precedes) }
          var place = buffer + first
          for member in order {
            let (start, next) = (starts[member], starts[member &+ 1])
            place.copyMemory(from: old + start, byteCount: next &- start)
            place += next &- start
          }
        }
      }
    }
    orders[depth] = order
    count = end
  }

  /// Writes a comma or none, and where the text is pretty a new line and its indentation.
  @inline(__always)
  private mutating func appendLineStart(_ comma: Int = 0) {
    let isPretty = style == .pretty
    let width = comma + (isPretty ? 1 + 2 * depth : 0)
    reserve(width + 8)
    let first = count
    count += width
    buffer.withUnsafeMutableBytes { buffer in
      // Eight spaces at a time: what is too much is written over.
      var place = first
      repeat {
        buffer.storeBytes(of: 0x2020_2020_2020_2020, toByteOffset: place, as: UInt64.self)
        place &+= 8
      } while place < first &+ width
      if comma > 0 { buffer[first] = UInt8(ascii: ",") }
      if isPretty { buffer[first &+ comma] = UInt8(ascii: "\n") }
    }
  }

  // The writing of bytes. Hot: one capacity check a piece, then stores.

  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if count + more > buffer.count { grow(more) }
  }

  private mutating func grow(_ more: Int) {
    buffer.append(contentsOf: [UInt8](repeating: 0, count: max(buffer.count, more)))
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    reserve(1)
    buffer[count] = byte
    count += 1
  }

  private mutating func append(_ text: StaticString) {
    copy(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  private mutating func copy(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    buffer.withUnsafeMutableBytes { buffer in
      UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    }
    count += bytes.count
  }

  @_optimize(speed)
  private mutating func appendDecimal(_ value: Int64) {
    var magnitude = value.magnitude
    var digits = 1
    // 10^19 is the largest power of ten in 64 bits.
    var power: UInt64 = 10
    while digits < 20, magnitude >= power {
      digits += 1
      power &*= 10
    }
    reserve(1 + digits)
    if value < 0 { append(UInt8(ascii: "-")) }
    buffer.withUnsafeMutableBufferPointer { buffer in
      for index in stride(from: count + digits - 1, through: count, by: -1) {
        buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
        magnitude /= 10
      }
    }
    count += digits
  }

  /// Writes a text in quotation marks, and behind a key a colon.
  ///
  /// - Parameter isPlain: Whether it needs no escape.
  @_optimize(speed)
  private mutating func quote(_ text: String, isKey: Bool = false, isPlain: Bool = false) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
      quote($0, isKey: isKey, isPlain: isPlain)
    }
    guard isWritten == nil else { return }
    var text = text
    text.withUTF8 { quote($0, isKey: isKey, isPlain: isPlain) }
  }

  /// Most texts need no escape: they are written with all that is around them at once.
  @inline(__always)
  private mutating func quote(_ bytes: UnsafeBufferPointer<UInt8>, isKey: Bool, isPlain: Bool) {
    reserve(bytes.count + 4)
    let (first, hasSpace) = (count, isKey && style == .pretty)
    var start = 0
    count = buffer.withUnsafeMutableBytes { buffer in
      buffer[first] = UInt8(ascii: "\"")
      if isPlain {
        UnsafeMutableRawBufferPointer(rebasing: buffer[(first + 1)...])
          .copyMemory(from: UnsafeRawBufferPointer(bytes))
        start = bytes.count
      } else {
        start = Self.copyPlain(bytes, from: 0, to: buffer, at: first + 1)
      }
      var end = first + 1 + start
      guard start == bytes.count else { return end }
      buffer[end] = UInt8(ascii: "\"")
      buffer[end + 1] = UInt8(ascii: ":")
      buffer[end + 2] = UInt8(ascii: " ")
      end += 1 + (isKey ? 1 : 0) + (hasSpace ? 1 : 0)
      return end
    }
    if start < bytes.count { quoteRest(bytes, from: start, isKey: isKey) }
  }

  /// Writes the rest of a text, from a character that needs an escape.
  private mutating func quoteRest(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, isKey: Bool
  ) {
    var start = start
    while start < bytes.count {
      start += escape(bytes, at: start)
      reserve(bytes.count - start)
      let place = count
      let plain = buffer.withUnsafeMutableBytes { buffer in
        Self.copyPlain(bytes, from: start, to: buffer, at: place)
      }
      count += plain
      start += plain
    }
    append(UInt8(ascii: "\""))
    if isKey { append(style == .pretty ? ": " : ":") }
  }

  /// Writes the bytes from an index up to the next character that needs an escape, or to the end, and
  /// returns how many there are; `place` is that of the first.
  ///
  /// Eight bytes at a time while none of them may need one; the last eight may overlap those before.
  @inline(__always)
  private static func copyPlain(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int,
    to buffer: UnsafeMutableRawBufferPointer, at place: Int
  ) -> Int {
    let source = UnsafeRawBufferPointer(bytes)
    // The place in the buffer that the byte at index 0 would have.
    let origin = place - start
    var index = start
    while index < bytes.count {
      let first = min(index, bytes.count - 8)
      if first >= start {
        let word = source.loadUnaligned(fromByteOffset: first, as: UInt64.self)
        if !mayNeedEscape(word) {
          buffer.storeBytes(of: word, toByteOffset: origin + first, as: UInt64.self)
          index = first + 8
          continue
        }
      }
      let byte = bytes[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F { break }
      if byte == 0xC2, bytes[index + 1] < 0xA0 { break }
      buffer[origin + index] = byte
      index &+= 1
    }
    return index - start
  }

  /// Whether one of eight bytes is a control character, a quotation mark, a backslash, DEL, or C2, with
  /// which C1 begins. See Sean Eron Anderson, "Bit Twiddling Hacks", "Determine if a word has a byte
  /// less than n".
  @inline(__always)
  private static func mayNeedEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    func below(_ limit: UInt64, _ word: UInt64) -> UInt64 { (word &- ones &* limit) & ~word }
    let found =
      below(0x20, word) | below(1, word ^ ones &* 0x22) | below(1, word ^ ones &* 0x5C)
      | below(1, word ^ ones &* 0x7F) | below(1, word ^ ones &* 0xC2)
    return found & (ones &* 0x80) != 0
  }

  /// Escapes the character at an index and returns how many bytes it has.
  private mutating func escape(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let byte = bytes[index]
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      // A C1 control character is C2 and its own number in UTF-8.
      let isC1 = byte == 0xC2
      append(utf8: "u00" + Hex.encode([isC1 ? bytes[index + 1] : byte]))
      return isC1 ? 2 : 1
    }
    return 1
  }
}
