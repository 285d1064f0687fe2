import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers

/// Archives are read by GNU tar, bsdtar and Python's tarfile, each of which shares no code with this
/// program.
@Suite(.enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"))
struct PaxInteropTests {
  private struct Member {
    let path: String
    let bytes: [UInt8]
    let modified: Int64
  }

  private static let members = [
    Member(path: "Mia/letter.txt", bytes: Array("hello\n".utf8), modified: 1_600_000_000),
    Member(path: "Mia/empty", bytes: [], modified: 0),
    Member(path: "Mia/exactly", bytes: [UInt8](repeating: 7, count: 1024), modified: 1),
    Member(path: "Mia/Größe 遺 👩‍👧.txt", bytes: [1], modified: 1_600_000_001),
    Member(path: "Mia/" + String(repeating: "n", count: 96), bytes: [2], modified: 2),
    Member(path: "Mia/" + String(repeating: "n", count: 97), bytes: [3], modified: 3),
    Member(
      path: "Mia/" + String(repeating: "deep/", count: 60) + String(repeating: "x", count: 200),
      bytes: [4], modified: 4),
    Member(path: "Mia/before 1970", bytes: [5], modified: -86_400),
    Member(path: "Mia/\u{e9} and = 12 path=x", bytes: [6], modified: 5),
  ]

  private func write(to path: String) throws {
    var writer = PaxWriter(MemorySink())
    try writer.directory("Mia", modified: 1_600_000_000)
    for member in Self.members {
      try writer.begin(member.path, size: Int64(member.bytes.count), modified: member.modified)
      try member.bytes.withUnsafeBytes { try writer.write($0) }
    }
    try writer.finish()
    try Data(writer.sink.bytes).write(to: URL(filePath: path))
  }

  @Test(
    arguments: [
      "tar -xf all.tar -C out",
      "if command -v bsdtar; then bsdtar -xf all.tar -C out; else tar -xf all.tar -C out; fi",
      "python3 -c 'import tarfile; tarfile.open(\"all.tar\").extractall(\"out\")'",
    ])
  func `every name, byte and time comes out`(extract: String) throws {
    let folder = try TemporaryFolder()
    try write(to: folder.path + "/all.tar")
    var run = ProgramRun(
      shell: "set -eu; mkdir out; \(extract) >&2", environment: ["LC_ALL": "C.UTF-8"])
    run.workingDirectory = folder.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    for member in Self.members {
      let path = folder.path + "/out/" + member.path
      try expect(Array(Data(contentsOf: URL(filePath: path))), is: member.bytes, "\(member.path)")
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let modified = try require(attributes[.modificationDate] as? Date)
      expect(Int64(modified.timeIntervalSince1970), is: member.modified, "\(member.path)")
    }
    let found = FileManager.default.enumerator(atPath: folder.path + "/out")?.compactMap {
      $0 as? String
    }
    expect(found?.filter { !$0.contains("deep") }.count, is: Self.members.count)
  }

  @Test(arguments: [8_589_934_591, 8_589_934_592, 20_000_000_000] as [Int64])
  func `a file of more than 8 GiB is as long as it says`(size: Int64) throws {
    let folder = try TemporaryFolder()
    var writer = PaxWriter(MemorySink())
    try writer.begin("big", size: size, modified: 0)
    let header = writer.sink.bytes
    var tail = PaxWriter(MemorySink())
    try tail.begin("after", size: 0, modified: 0)
    try tail.finish()
    let path = folder.path + "/big.tar"
    try Data(header).write(to: URL(filePath: path))
    // The bytes themselves are a hole.
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.seek(toOffset: UInt64(header.count) + UInt64((size + 511) / 512 * 512))
    try handle.write(contentsOf: Data(tail.sink.bytes))
    try handle.close()
    var run = ProgramRun(
      shell: """
        tar -tvf big.tar | awk '{ print $3, $NF }'
        if command -v bsdtar > /dev/null; then bsdtar -tvf big.tar | awk '{ print $5, $NF }'
        else echo "\(size) big"; echo 0 after; fi
        python3 -c 'import tarfile
        for member in tarfile.open("big.tar"): print(member.size, member.name)'
        """)
    run.workingDirectory = folder.path
    let result = try run.result()
    let one = "\(size) big\n0 after\n"
    expect(result.out, is: one + one + one, "\(result.err)")
  }
}
