/// A member of a tar archive, as its header says.
package struct PaxMember: Hashable, Sendable {
  /// The kinds of members that are read.
  package enum Kind: Hashable, Sendable {
    case file, directory
  }

  /// The path, relative and without `.`, `..`, doubled slashes or a slash at its end.
  package let path: String
  package let kind: Kind
  /// The bytes of a file; 0 for a directory.
  package let size: Int64
}

/// The reason why a tar archive is not read any further. Paths are as the archive has them.
package enum PaxFault: Hashable, Sendable {
  /// The bytes are no tar archive.
  case notTar
  /// A header's checksum is wrong.
  case checksum(block: Int64)
  /// A number in a header is none, or larger than can be: the member's path.
  case number(String)
  /// A record of a pax header is malformed: the header's block.
  case record(block: Int64)
  /// A pax header is larger than 64 KiB.
  case longHeader(block: Int64)
  /// The member is a link.
  case link(String)
  /// The member is a device, a pipe or another special file.
  case special(String)
  /// The member leaves holes out.
  case sparse(String)
  /// The member is of a kind that only one program knows.
  case unknownKind(String, Unicode.Scalar)
  /// The path begins at the root.
  case absolute(String)
  /// The path leads upwards.
  case upwards(String)
  /// The path is empty, is no UTF-8, or holds a control character.
  case path(String)
  /// The archive ends within a member, or without the blocks of zeros at its end.
  case truncated
  /// Something other than zeros follows the end.
  case trailing
}

/// A receiver of the members of a tar archive, in their order.
package protocol PaxReceiver {
  mutating func begin(_ member: PaxMember) throws
  /// Takes bytes of the file that was begun.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the file or the directory that was begun.
  mutating func end() throws
  /// Takes note that the archive ended where it says.
  mutating func finish() throws
}

/// Writes a tar archive in the pax format (POSIX.1-2001, IEEE Std 1003.1 pax, "pax Interchange
/// Format"): members in order, streamed, owned by nobody in particular.
///
///     var writer = PaxWriter(sink)
///     try writer.directory("Mia", modified: time)
///     try writer.begin("Mia/letter.txt", size: 12, modified: time)
///     try writer.write(bytes)
///     try writer.finish()
package struct PaxWriter<Sink: ByteSink> {
  package private(set) var sink: Sink
  /// The bytes that the member has by its header.
  private var size: Int64 = 0
  /// The bytes that are still to be written into the member.
  private var owed: Int64 = 0
  /// The bytes to the end of its last block.
  private var padding = 0

  package init(_ sink: Sink) {
    self.sink = sink
  }

  /// Adds a directory.
  package mutating func directory(
    _ path: String, modified: Int64, mode: Int64 = 0o755
  ) throws {
    try end()
    try put(
      PaxHeader(path: path + "/", size: 0, modified: modified, mode: mode, isDirectory: true).blocks
    )
  }

  /// Begins a regular file, whose bytes are written next.
  package mutating func begin(
    _ path: String, size: Int64, modified: Int64, mode: Int64 = 0o644
  ) throws {
    try end()
    try put(
      PaxHeader(path: path, size: size, modified: modified, mode: mode, isDirectory: false).blocks)
    self.size = size
    owed = size
    padding = Int((512 - size % 512) % 512)
  }

  /// Ends the archive with two blocks of zeros.
  package mutating func finish() throws {
    try end()
    try put([UInt8](repeating: 0, count: Int(Self.endByteCount)))
  }

  /// The bytes at the end of an archive.
  package static var endByteCount: Int64 { 1024 }

  /// The bytes that a directory takes.
  package static func byteCount(ofDirectory path: String, modified: Int64) -> Int64 {
    Int64(
      PaxHeader(path: path + "/", size: 0, modified: modified, mode: 0o755, isDirectory: true)
        .blocks.count)
  }

  /// The bytes that a file of a size takes.
  package static func byteCount(of path: String, size: Int64, modified: Int64) -> Int64 {
    let header = PaxHeader(
      path: path, size: size, modified: modified, mode: 0o644, isDirectory: false)
    return Int64(header.blocks.count) + size + (512 - size % 512) % 512
  }

  /// The fault of a member that gets another number of bytes than its header says.
  private var wrongSize: Fault {
    Fault(.damaged, "the size is not \(size) bytes", hint: "restore the file from a backup")
  }

  private mutating func end() throws {
    guard owed == 0 else { throw wrongSize }
    try put([UInt8](repeating: 0, count: padding))
    padding = 0
  }

  private mutating func put(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try sink.write($0) }
  }
}

extension PaxWriter: ByteSink {
  /// Writes bytes of the file that was begun.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard Int64(bytes.count) <= owed else { throw wrongSize }
    try sink.write(bytes)
    owed -= Int64(bytes.count)
  }
}

/// The blocks before a member: a ustar header, and before it records of what that cannot say.
struct PaxHeader {
  let path: String
  let size: Int64
  /// The time of the last change, in seconds since the epoch.
  let modified: Int64
  /// The permission bits.
  let mode: Int64
  let isDirectory: Bool

  /// The largest number of eleven octal digits.
  private static let largest: Int64 = 0o77_777_777_777
  private static let nameByteCount = 100

  var blocks: [UInt8] {
    var records: [UInt8] = []
    let fitsName = path.utf8.count <= Self.nameByteCount && path.utf8.allSatisfy { $0 < 0x80 }
    if !fitsName { records += Self.record("path", path) }
    if size > Self.largest { records += Self.record("size", String(size)) }
    let fitsTime = (0...Self.largest).contains(modified)
    if !fitsTime { records += Self.record("mtime", String(modified)) }
    var blocks: [UInt8] = []
    if !records.isEmpty {
      blocks += Self.block(
        name: "./PaxHeaders/" + Self.plain(path, limit: 80), mode: 0o644,
        size: Int64(records.count),
        modified: fitsTime ? modified : 0, type: "x")
      blocks += records
      blocks += [UInt8](repeating: 0, count: (512 - records.count % 512) % 512)
    }
    blocks += Self.block(
      name: fitsName ? path : Self.plain(path, limit: Self.nameByteCount),
      mode: mode, size: size > Self.largest ? 0 : size,
      modified: fitsTime ? modified : 0, type: isDirectory ? "5" : "0")
    return blocks
  }

  /// Returns a name for readers that know no records: ASCII, and short enough.
  private static func plain(_ path: String, limit: Int) -> String {
    let slash = UInt8(ascii: "/")
    let ascii = path.unicodeScalars.map { scalar in
      scalar.isASCII && scalar.value >= 0x20 ? UInt8(scalar.value) : UInt8(ascii: "_")
    }
    let cut = ascii.prefix(limit)
    // The last character of a directory's name marks it as one.
    let name = ascii.last == slash && cut.count == limit ? cut.dropLast() + [slash] : cut
    return String(decoding: name, as: UTF8.self)
  }

  /// Returns `LENGTH KEYWORD=VALUE\n`, where the length counts itself.
  private static func record(_ keyword: String, _ value: String) -> [UInt8] {
    let rest = " \(keyword)=\(value)\n"
    var length = rest.utf8.count
    while length != rest.utf8.count + String(length).utf8.count {
      length = rest.utf8.count + String(length).utf8.count
    }
    return Array("\(length)\(rest)".utf8)
  }

  private static func block(
    name: String, mode: Int64, size: Int64, modified: Int64, type: Unicode.Scalar
  ) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    func put(_ number: Int64, digits: Int, at offset: Int) {
      let text = String(number, radix: 8)
      put(String(repeating: "0", count: digits - text.utf8.count) + text, at: offset)
    }
    put(name, at: 0)
    put(mode, digits: 7, at: 100)
    put(0, digits: 7, at: 108)
    put(0, digits: 7, at: 116)
    put(size, digits: 11, at: 124)
    put(modified, digits: 11, at: 136)
    put(String(type), at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    put(0, digits: 7, at: 329)
    put(0, digits: 7, at: 337)
    // The checksum is taken with spaces in its own place.
    put("        ", at: 148)
    put(block.reduce(0) { $0 + Int64($1) }, digits: 6, at: 148)
    block[154] = 0
    return block
  }
}

/// The message leaves the name of the archive open, which the caller quotes.
extension PaxFault: FaultCause {
  package var code: Fault.Code { .damaged }

  package var message: Fault.Message {
    switch self {
    case .notTar: "\(open: .name) is not a capsule archive"
    case .truncated: "\(open: .name) is incomplete"
    case .trailing: "\(open: .name) has extra bytes at its end"
    case .checksum(let block), .record(let block), .longHeader(let block):
      "\(open: .name) is damaged: block \(block) is not a tar header"
    case .number(let path):
      "invalid number in the tar header of '\(path)' in \(open: .name)"
    case .link(let path): "'\(path)' in \(open: .name) is a link, which archives never have"
    case .special(let path):
      "'\(path)' in \(open: .name) is a device or a pipe, which archives never have"
    case .sparse(let path):
      "'\(path)' in \(open: .name) is a sparse file, which archives never have"
    case .unknownKind(let path, let kind):
      "'\(path)' in \(open: .name) has the unknown kind '\(kind)'"
    case .absolute(let path):
      "'\(path)' in \(open: .name) has an absolute path"
    case .upwards(let path): "'\(path)' in \(open: .name) leads out of the archive"
    case .path(let path): "'\(path)' in \(open: .name) is not a valid path"
    }
  }

  package var hint: String? {
    switch self {
    case .notTar: "choose a file that was made by: capsule export archive"
    case .truncated, .trailing, .checksum, .record, .longHeader, .number:
      "export the archive again, or use another copy"
    case .link, .special, .sparse, .unknownKind, .absolute, .upwards, .path:
      "nothing was imported: the file was not made by 'capsule export archive'"
    }
  }
}
