import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Tar archives as anybody may make them.
@Suite struct PaxSplitterTests {
  /// Keeps what an archive holds.
  private struct Keeper: PaxReceiver {
    var members: [PaxMember] = []
    var contents: [[UInt8]] = []
    var isFinished = false

    mutating func begin(_ member: PaxMember) {
      members.append(member)
      contents.append([])
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
      contents[contents.count - 1] += bytes
    }

    mutating func end() {}
    mutating func finish() { isFinished = true }
  }

  private func split(_ bytes: [UInt8], piece: Int = .max) throws -> Keeper {
    var splitter = PaxSplitter(Keeper())
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(piece))
      try part.withUnsafeBytes { try splitter.write($0) }
      rest = rest.dropFirst(part.count)
    }
    try splitter.finish()
    return splitter.receiver
  }

  private func archive(_ members: [(String, [UInt8])]) throws -> [UInt8] {
    var writer = PaxWriter(MemorySink())
    try writer.directory("folder", modified: 0)
    for (path, bytes) in members {
      try writer.begin(path, size: Int64(bytes.count), modified: 0)
      try bytes.withUnsafeBytes { try writer.write($0) }
    }
    try writer.finish()
    return writer.sink.bytes
  }

  /// An archive of one file `name`, of which a change was made and the checksum put right.
  private func changed(_ change: (inout [UInt8]) -> Void) throws -> [UInt8] {
    var bytes = try archive([("name", [1, 2, 3])])
    change(&bytes)
    var block = Array(bytes[512..<1024])
    block.replaceSubrange(148..<156, with: repeatElement(32, count: 8))
    let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    let digits = String(repeating: "0", count: 6 - sum.utf8.count) + sum
    bytes.replaceSubrange(660..<668, with: Array(digits.utf8) + [0, 32])
    return bytes
  }

  private static func put(_ text: String, at offset: Int, in bytes: inout [UInt8]) {
    bytes.replaceSubrange((512 + offset)..<(512 + offset + text.utf8.count), with: text.utf8)
  }

  @Test(arguments: [1, 7, 511, 513, Int.max])
  func `what was written is read, however the bytes come`(piece: Int) throws {
    let long = "folder/" + String(repeating: "n", count: 200)
    let members: [(String, [UInt8])] = [
      ("folder/a", [1, 2, 3]), (long, [UInt8](repeating: 9, count: 1024)), ("ü", []),
    ]
    let keeper = try split(try archive(members), piece: piece)
    expect(keeper.isFinished)
    expect(keeper.members.map(\.path), is: ["folder", "folder/a", long, "ü"])
    expect(keeper.members.map(\.kind), is: [.directory, .file, .file, .file])
    expect(keeper.contents, is: [[], [1, 2, 3], [UInt8](repeating: 9, count: 1024), []])
  }

  @Test func `an archive that was packed as a folder has the same names`() throws {
    let keeper = try split(
      try changed { bytes in
        Self.put("./a/./b\u{0}", at: 0, in: &bytes)
      })
    expect(keeper.members.map(\.path), is: ["folder", "a/b"])
  }

  private static let hostile: [(String, PaxFault, @Sendable (inout [UInt8]) -> Void)] = [
    ("a hard link", .link("name"), { put("1", at: 156, in: &$0) }),
    ("a symbolic link", .link("name"), { put("2", at: 156, in: &$0) }),
    ("a device", .special("name"), { put("3", at: 156, in: &$0) }),
    ("a block device", .special("name"), { put("4", at: 156, in: &$0) }),
    ("a pipe", .special("name"), { put("6", at: 156, in: &$0) }),
    ("a sparse file", .sparse("name"), { put("S", at: 156, in: &$0) }),
    ("a global header", .unknownKind("name", "g"), { put("g", at: 156, in: &$0) }),
    ("a long name of GNU tar", .unknownKind("name", "L"), { put("L", at: 156, in: &$0) }),
    ("a path from the root", .absolute("/etc/x"), { put("/etc/x\u{0}", at: 0, in: &$0) }),
    ("a path upwards", .upwards("a/../../x"), { put("a/../../x\u{0}", at: 0, in: &$0) }),
    ("a path upwards alone", .upwards(".."), { put("..\u{0}", at: 0, in: &$0) }),
    ("a control character", .path("a\u{1b}b"), { put("a\u{1b}b\u{0}", at: 0, in: &$0) }),
    ("a file without a name", .path("."), { put(".\u{0}\u{0}\u{0}", at: 0, in: &$0) }),
    (
      "a number in base 256", .number("name"),
      { $0.replaceSubrange(636..<648, with: [0x80] + repeatElement(0xff, count: 11)) }
    ),
    ("a number that is none", .number("name"), { put("0000000009x", at: 124, in: &$0) }),
    ("a size without digits", .number("name"), { put("           \u{0}", at: 124, in: &$0) }),
    (
      "a directory with bytes", .number("name"), { put("5", at: 156, in: &$0) }
    ),
    ("another magic", .checksum(block: 1), { put("other", at: 257, in: &$0) }),
  ]

  @Test(arguments: hostile.indices)
  func `what could lead elsewhere is refused by name`(place: Int) throws {
    let (name, fault, change) = Self.hostile[place]
    let bytes = try changed(change)
    expect(throws: fault, "\(name)") { try split(bytes) }
  }

  @Test(
    arguments: [
      "20 size=99999999999\n", "30 size=9999999999999999999\n", "12 size=-1\n", "9 size=\n",
      "11 path=é\n11 path=é\n", "7 path=x\n", "99 path=x\n", "0 path=x\n", "path=x\n",
      "19 GNU.sparse.major=1\n", "x",
    ])
  func `a pax header that is malformed or oversized is refused`(records: String) throws {
    var block = [UInt8](repeating: 0, count: 512)
    let size = String(records.utf8.count, radix: 8)
    for (text, offset) in [
      ("x", 0), (String(repeating: "0", count: 11 - size.utf8.count) + size, 124), ("x", 156),
      ("ustar\u{0}00", 257), ("        ", 148),
    ] {
      block.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
    }
    let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    block.replaceSubrange(
      148..<156,
      with: Array((String(repeating: "0", count: 6 - sum.utf8.count) + sum).utf8) + [0, 32])
    var body = Array(records.utf8)
    body += [UInt8](repeating: 0, count: 512 - body.count)
    let rest = try archive([("name", [1])])
    // The header is before the file: that of the folder is left out.
    expect(throws: PaxFault.self) { try split(block + body + rest[512...]) }
  }

  @Test func `an archive that is cut anywhere is not whole`() throws {
    let bytes = try archive([("name", [UInt8](repeating: 7, count: 700))])
    for count in stride(from: 1, to: bytes.count, by: 97) {
      expect(throws: PaxFault.self, "\(count)") { try split(Array(bytes.prefix(count))) }
    }
    expect(throws: PaxFault.notTar) { try split([]) }
    expect(throws: PaxFault.trailing) { try split(bytes + [1]) }
    expect(try split(bytes + [UInt8](repeating: 0, count: 9000)).isFinished)
  }

  @Test func `a changed bit of a header is found`() throws {
    let bytes = try archive([("name", [1])])
    for bit in stride(from: 512 * 8, to: 1024 * 8, by: 13) {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      // The checksum's own last two bytes say nothing.
      if (666..<668).contains(bit / 8) { continue }
      expect(throws: PaxFault.self, "\(bit)") { try split(flipped) }
    }
  }
}
