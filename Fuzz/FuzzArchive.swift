import CapsuleCore

/// A tar archive of any bytes is split into members with names that stay inside, or refused; however the bytes
/// come.
func fuzzArchive(_ input: [UInt8]) {
  let whole = members(of: input, piece: input.count + 1)
  require(whole == members(of: input, piece: 97), "pieces make no difference")
  for path in whole?.map(\.path) ?? [] {
    require(!path.isEmpty && path.utf8.first != UInt8(ascii: "/"), "a path is relative")
    require(!path.parts(at: "/").contains(".."), "a path leads nowhere else")
  }
  // The same bytes as an archive of a store, behind its description.
  var writer = PaxWriter(MemorySink())
  let first = RecordFile.encode([
    "archive": 1, "store": .string(RecordID.zero.description),
    "createdAt": "2026-01-01T00:00:00Z", "whole": false,
  ])
  guard (try? writer.begin("archive.json", size: Int64(first.count), modified: 0)) != nil,
    (try? first.withUnsafeBytes { try writer.write($0) }) != nil
  else { return require(false, "a description is written") }
  let padding = [UInt8](repeating: 0, count: (512 - first.count % 512) % 512)
  let bytes = writer.sink.bytes + padding + input
  _ = try? ArchiveReport.check { sink in try bytes.withUnsafeBytes { try sink.write($0) } }
}

/// Lines of an identity that were read are an identity, of which the lines are read again.
func fuzzIdentityLines(_ input: [UInt8]) {
  guard let identities = try? IdentityLines.read(String(decoding: input, as: UTF8.self)) else {
    return
  }
  for identity in identities {
    let lines = IdentityLines(identity).lines.enumerated().map { place, line in
      "\(place + 1) \(IdentityLines.grouped(line, place + 1)) \(IdentityLines.check(line, place + 1))"
    }
    let again = try? IdentityLines.read(lines.joined(separator: "\n"))
    require(again?.map(\.secretText) == [identity.secretText], "lines that were written are read")
  }
}

private struct MemberKeeper: PaxReceiver {
  var members: [PaxMember] = []
  var left: Int64 = 0

  mutating func begin(_ member: PaxMember) {
    require(left == 0, "a member ends before the next begins")
    members.append(member)
    left = member.size
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer) { left -= Int64(bytes.count) }
  mutating func end() { require(left == 0, "a member has as many bytes as it says") }
  mutating func finish() {}
}

/// The members of a whole archive; `nil` for bytes that are none.
private func members(of input: [UInt8], piece: Int) -> [PaxMember]? {
  var splitter = PaxSplitter(MemberKeeper())
  var rest = input[...]
  while !rest.isEmpty {
    let part = Array(rest.prefix(piece))
    guard (try? part.withUnsafeBytes({ try splitter.write($0) })) != nil else { return nil }
    rest = rest.dropFirst(part.count)
  }
  return (try? splitter.finish()) == nil ? nil : splitter.receiver.members
}
