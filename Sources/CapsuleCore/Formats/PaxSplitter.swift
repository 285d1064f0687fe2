/// Splits a tar archive that is written into it into its members (POSIX.1-2001 ustar and pax): files and
/// directories under relative paths, and nothing else.
///
/// Whatever could lead out of a directory, or means different things to different programs, is refused by
/// name: see ``PaxFault``. Memory: a block, and a pax header of at most 64 KiB.
package struct PaxSplitter<Receiver: PaxReceiver>: ByteSink {
  package private(set) var receiver: Receiver
  /// The block that is being filled, or the pax header.
  private var pending: [UInt8] = []
  private var state = State.header
  /// The blocks before the one that is read next.
  private var block: Int64 = 0
  /// The records of a pax header about the next member.
  private var records = PaxRecords()

  private enum State: Equatable {
    case header
    /// The bytes of a member that are still to come, and of its padding.
    case content(Int64, padding: Int)
    case padding(Int)
    /// The bytes of a pax header that are still to come, and of its padding.
    case records(Int, padding: Int)
    /// One block of zeros was read.
    case ending
    case ended
  }

  package init(_ receiver: Receiver) {
    self.receiver = receiver
    pending.reserveCapacity(PaxBlock.byteCount)
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count: Int
      switch state {
      case .header, .ending:
        count = min(PaxBlock.byteCount - pending.count, rest.count)
        pending.append(contentsOf: rest.prefix(count))
        if pending.count == PaxBlock.byteCount { try takeBlock() }
      case .content(let left, let padding):
        count = Int(min(left, Int64(rest.count)))
        try receiver.take(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
        if left == Int64(count) {
          try receiver.end()
          state = padding > 0 ? .padding(padding) : .header
        } else {
          state = .content(left - Int64(count), padding: padding)
        }
      case .padding(let left):
        count = min(left, rest.count)
        state = left == count ? .header : .padding(left - count)
      case .records(let left, let padding):
        count = min(left, rest.count)
        pending.append(contentsOf: rest.prefix(count))
        if left == count {
          try records.read(pending, block: block)
          pending.removeAll(keepingCapacity: true)
          state = padding > 0 ? .padding(padding) : .header
        } else {
          state = .records(left - count, padding: padding)
        }
      case .ended:
        count = rest.count
        guard rest.allSatisfy({ $0 == 0 }) else { throw Fault(PaxFault.trailing) }
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Sees to it that the archive ended where it says.
  ///
  /// - Throws: ``PaxFault/truncated``, ``PaxFault/notTar``, or the error of the receiver.
  package mutating func finish() throws {
    guard state == .ended else {
      throw Fault(state == .header && block == 0 ? PaxFault.notTar : .truncated)
    }
    try receiver.finish()
  }

  private mutating func takeBlock() throws {
    defer { pending.removeAll(keepingCapacity: true) }
    let header = PaxBlock(pending)
    if header.isZero {
      state = state == .ending ? .ended : .ending
      if state == .ending, !records.isEmpty { throw Fault(PaxFault.truncated) }
      block += 1
      return
    }
    guard state == .header else { throw Fault(PaxFault.trailing) }
    guard header.hasMagic else {
      throw Fault(block == 0 ? PaxFault.notTar : .checksum(block: block))
    }
    guard header.hasItsChecksum else { throw Fault(PaxFault.checksum(block: block)) }
    if header.type == UInt8(ascii: "x") {
      try beginRecords(header)
    } else {
      try beginMember(header)
    }
    block += 1
  }

  private mutating func beginRecords(_ header: PaxBlock) throws {
    guard let size = header.size else { throw Fault(PaxFault.number(header.path)) }
    guard size <= Int64(PaxRecords.limit) else { throw Fault(PaxFault.longHeader(block: block)) }
    guard records.isEmpty, size > 0 else { throw Fault(PaxFault.record(block: block)) }
    state = .records(Int(size), padding: PaxBlock.padding(of: size))
  }

  private mutating func beginMember(_ header: PaxBlock) throws {
    defer { records = PaxRecords() }
    let named = records.path ?? header.path
    if records.isSparse { throw Fault(PaxFault.sparse(named)) }
    let kind = try header.kind(of: named)
    guard var size = header.size else { throw Fault(PaxFault.number(named)) }
    if let larger = records.size {
      guard let larger = Int64(larger), larger >= 0 else { throw Fault(PaxFault.number(named)) }
      size = larger
    }
    // The limit leaves room for its padding, and for counting all of it.
    guard size <= Int64.max / 4 else { throw Fault(PaxFault.number(named)) }
    if kind == .directory, size != 0 { throw Fault(PaxFault.number(named)) }
    let member = PaxMember(path: try Self.checked(named), kind: kind, size: size)
    // The root itself, where a directory was packed as `.`.
    if member.path.isEmpty {
      guard kind == .directory else { throw Fault(PaxFault.path(named)) }
      return
    }
    try receiver.begin(member)
    if size == 0 {
      try receiver.end()
    } else {
      state = .content(size, padding: PaxBlock.padding(of: size))
    }
  }

  /// Returns a path without `.`, and without slashes that mean nothing.
  private static func checked(_ path: String) throws(Fault) -> String {
    guard !path.isEmpty, path.utf8.count <= 4096,
      !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { throw Fault(PaxFault.path(path)) }
    guard path.utf8.first != UInt8(ascii: "/") else { throw Fault(PaxFault.absolute(path)) }
    let parts = path.parts(at: "/").filter { !$0.isEmpty && $0 != "." }
    guard !parts.contains("..") else { throw Fault(PaxFault.upwards(path)) }
    return parts.joined(separator: "/")
  }
}

/// A block of 512 bytes as a ustar header.
private struct PaxBlock {
  static let byteCount = 512

  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func padding(of size: Int64) -> Int {
    Int((512 - size % 512) % 512)
  }

  var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
  var type: UInt8 { bytes[156] }

  /// `ustar` of POSIX, or of GNU tar, whose members are the same as long as they need no extension.
  var hasMagic: Bool {
    bytes[257..<263].elementsEqual("ustar\u{0}".utf8)
      || bytes[257..<265].elementsEqual("ustar  \u{0}".utf8)
  }

  private var isGNU: Bool { bytes[262] == UInt8(ascii: " ") }

  var hasItsChecksum: Bool {
    let spaces = 8 * Int64(UInt8(ascii: " "))
    let sum = bytes.indices.reduce(spaces) {
      $0 + ((148..<156).contains($1) ? 0 : Int64(bytes[$1]))
    }
    // Every writer ends the number so; with other bytes there it would not be the archive that was made.
    return bytes[154..<156].elementsEqual([0, UInt8(ascii: " ")]) && number(148..<154) == sum
  }

  var size: Int64? { number(124..<136) }

  var path: String {
    let name = text(0..<100)
    let prefix = isGNU ? "" : text(345..<500)
    return prefix.isEmpty ? name : prefix + "/" + name
  }

  func kind(of path: String) throws(Fault) -> PaxMember.Kind {
    switch type {
    case 0 where path.utf8.last == UInt8(ascii: "/"): .directory
    case 0, UInt8(ascii: "0"): .file
    case UInt8(ascii: "5"): .directory
    case UInt8(ascii: "1"), UInt8(ascii: "2"): throw Fault(PaxFault.link(path))
    case UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "6"):
      throw Fault(PaxFault.special(path))
    case UInt8(ascii: "S"): throw Fault(PaxFault.sparse(path))
    default: throw Fault(PaxFault.unknownKind(path, Unicode.Scalar(type)))
    }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Octal digits, spaces before them, and a space or NUL behind them; no other way to write numbers.
  private func number(_ range: Range<Int>) -> Int64? {
    var field = bytes[range].drop { $0 == UInt8(ascii: " ") }
    while let last = field.last, last == 0 || last == UInt8(ascii: " ") { field.removeLast() }
    guard !field.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in field {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
      value = value << 3 | Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }
}

/// The records of a pax header that a reader must know.
private struct PaxRecords {
  /// The largest header, in bytes.
  static let limit = 64 << 10

  private(set) var path: String?
  private(set) var size: String?
  private(set) var isSparse = false
  private(set) var isEmpty = true

  /// Reads `LENGTH KEYWORD=VALUE\n` records.
  mutating func read(_ bytes: [UInt8], block: Int64) throws(Fault) {
    isEmpty = false
    var rest = bytes[...]
    while !rest.isEmpty {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !digits.isEmpty, digits.count <= 6,
        let length = Int(String(decoding: digits, as: UTF8.self)), length <= rest.count,
        length > digits.count + 3
      else { throw Fault(PaxFault.record(block: block)) }
      let record = rest.prefix(length)
      rest = rest.dropFirst(length)
      let content = record.dropFirst(digits.count + 1).dropLast()
      guard record[record.startIndex + digits.count] == UInt8(ascii: " "),
        record.last == UInt8(ascii: "\n"),
        let equals = content.firstIndex(of: UInt8(ascii: "="))
      else { throw Fault(PaxFault.record(block: block)) }
      try take(
        String(decoding: content[..<equals], as: UTF8.self), content[(equals + 1)...],
        block: block)
    }
  }

  private mutating func take(
    _ keyword: String, _ value: ArraySlice<UInt8>, block: Int64
  ) throws(Fault) {
    switch keyword {
    case "path":
      guard path == nil, let text = String(validating: value, as: UTF8.self) else {
        throw Fault(PaxFault.record(block: block))
      }
      path = text
    case "size":
      let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard size == nil, isNumber, !value.isEmpty else {
        throw Fault(PaxFault.record(block: block))
      }
      size = String(decoding: value, as: UTF8.self)
    case _ where keyword.utf8.starts(with: "GNU.sparse".utf8): isSparse = true
    // Times, owners and comments say nothing that is needed.
    default: break
    }
  }
}
