import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Frames and logs, whatever happens to their bytes.
@Suite struct JournalLogTests {
  private let files = SimulatedFileSystem()
  private let log: JournalLog

  init() throws {
    try files.createDirectory(FilePath("/j"), mode: 0o700)
    log = JournalLog(files, FilePath("/j/00.log"))
  }

  private func frame(_ number: Int, _ event: JournalFrame.Event = .put) -> JournalFrame {
    JournalFrame(
      event, .person, .item, StoreScenario.id(UInt8(number)), revision: Int64(number),
      at: Instant(seconds: 1_700_000_000 + Int64(number)), name: Array("name\(number)".utf8),
      body: Array(String(repeating: "body \(number) ", count: number).utf8))
  }

  private func found() throws -> [JournalFrame] {
    var frames: [JournalFrame] = []
    try log.forEachEntry { frames.append($0.frame) }
    return frames
  }

  @Test func `frames are read as they were written, in order`() throws {
    let frames =
      (1...5).map { frame($0) } + [frame(6, .trash), frame(7, .restore), frame(8, .purge)]
    try log.append(Array(frames.prefix(3)), synchronising: false)
    try log.append(Array(frames.dropFirst(3)), synchronising: true)
    try expect(found(), is: frames)
  }

  @Test func `a frame with the longest name and one longer than what is read at once are found`()
    throws
  {
    var named = frame(1)
    named.name = [UInt8](repeating: 0x61, count: JournalFrame.nameLimit)
    var long = frame(2)
    long.body = [UInt8](repeating: 0x62, count: 300_000)
    try log.append([named, frame(3), long, frame(4)], synchronising: false)
    try expect(found(), is: [named, frame(3), long, frame(4)])
  }

  @Test func `a log without a whole frame is begun anew`() throws {
    try files.setBytes("/j/00.log", Array(repeating: 0x63, count: 100))
    try log.append([frame(1)], synchronising: false)
    expect(files.bytes("/j/00.log"), is: frame(1).encoded)
  }

  @Test(arguments: [[1, 2], [2, 1]])
  func `the name in the trash is that of the last change, whichever machine made it`(
    order: [Int]
  ) throws {
    var roster = JournalRoster(own: "1")
    for machine in order {
      let log = JournalLog(files, FilePath("/j/\(machine).log"))
      var trash = frame(7, .trash)
      trash.name = Array("trash \(machine)".utf8)
      trash.time = Instant(seconds: 1_700_000_000 + Int64(machine))
      try log.append([trash], synchronising: false)
      roster.read(log, of: "\(machine)")
    }
    expect(roster.known().values.map(\.trashName), is: [Array("trash 2".utf8)])
  }

  @Test func `a changed byte costs the one frame that it stands in`() throws {
    let frames = (1...4).map { frame($0) }
    try log.append(frames, synchronising: false)
    let bytes = try require(files.bytes("/j/00.log"))
    for offset in stride(from: 0, to: bytes.count, by: TestScale.count(full: 1, debug: 5)) {
      var changed = bytes
      changed[offset] ^= 0x20
      try files.setBytes("/j/00.log", changed)
      let left = try found()
      expect(left.count == 3 && frames.filter(left.contains).count == 3, "\(offset)")
    }
  }

  @Test func `wherever the last frame ends too early, the others are there, and the next is added`()
    throws
  {
    let frames = (1...3).map { frame($0) }
    try log.append(frames, synchronising: false)
    let bytes = try require(files.bytes("/j/00.log"))
    let whole = bytes.count - frames[2].encoded.count
    for length in stride(from: whole, to: bytes.count, by: TestScale.count(full: 1, debug: 7)) {
      try files.setBytes("/j/00.log", Array(bytes.prefix(length)))
      try log.append([frame(9)], synchronising: false)
      try expect(found(), is: [frames[0], frames[1], frame(9)], "\(length)")
    }
  }

  @Test func `a log that another name has too is not written`() throws {
    try files.setBytes("/j/other", [1, 2, 3])
    try files.link(FilePath("/j/other"), to: FilePath("/j/00.log"))
    expect(throws: Fault.self) { try log.append([frame(1)], synchronising: false) }
    expect(files.bytes("/j/other"), is: [1, 2, 3])
  }

  @Test func `whatever bytes a log has, reading it ends`() throws {
    var random = SeededGenerator(seed: 12)
    let whole = (1...6).flatMap { frame($0).encoded }
    for _ in 0..<TestScale.count(full: 20_000, debug: 300) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.insert(contentsOf: JournalFrame.magic, at: index)
        case 2: bytes.removeSubrange(index..<min(index + 40, bytes.count))
        default: bytes += bytes[index...].prefix(200)
        }
      }
      try files.setBytes("/j/00.log", bytes)
      for frame in try found() { expect((1...6).map { self.frame($0) }.contains(frame)) }
    }
  }

  @Test func `a header that names more than there is makes no work without end`() throws {
    var header = frame(1).encoded
    header.replaceSubrange(16..<20, with: [0, 0, 0, 4])
    header.replaceSubrange(
      52..<56, with: withUnsafeBytes(of: CRC32.of(header[..<52])) { Array($0) })
    let bytes = Array(repeatElement(header.prefix(56), count: 2_000).joined())
    try files.setBytes("/j/00.log", bytes)
    expect(try found().isEmpty)
  }

  @Test func `a frame is added behind a log that would take too long to read`() throws {
    var header = frame(1).encoded
    header.replaceSubrange(16..<20, with: [0, 0x40, 0, 0])
    header.replaceSubrange(
      52..<56, with: withUnsafeBytes(of: CRC32.of(header[..<52])) { Array($0) })
    let bytes = Array(repeatElement(header.prefix(56), count: 2_000).joined())
    try files.setBytes("/j/00.log", bytes)
    try log.append([frame(9)], synchronising: false)
    expect(files.bytes("/j/00.log"), is: bytes + frame(9).encoded)
  }

  @Test func `a purge leaves nothing of what stands before it`() throws {
    let versions = (1...3).map { revision in
      JournalFrame(
        .put, .person, .item, StoreScenario.id(1), revision: Int64(revision),
        at: Instant(seconds: 1_700_000_000), body: Array("version \(revision)".utf8))
    }
    let purge = JournalFrame(
      .purge, .person, .item, StoreScenario.id(1), revision: 3, at: Instant(seconds: 1_700_000_001))
    try log.append(versions + [frame(2), purge], synchronising: true)
    var keeping = JournalKeeping()
    var number = 0
    try log.forEachEntry { entry in
      keeping.add(entry, number: number)
      number += 1
    }
    let kept = keeping.kept(now: Instant(seconds: 1_700_000_002), purged: [:], forgetting: [])
    try log.compact(
      keeping: kept.contains, at: Instant(seconds: 1_700_000_002), by: FilePath("/j/new"))
    try expect(found().filter { $0.event != .compaction }, is: [frame(2), purge])
    expect(!String(decoding: files.bytes("/j/00.log") ?? [], as: UTF8.self).contains("version"))
  }

  @Test func `a log is shortened on a full disk too`() throws {
    let frames = (1...5).map { frame($0) }
    try log.append(frames, synchronising: true)
    files.withDisk { $0.capacity = $0.used }
    try log.compact(
      keeping: { [0, 4].contains($0) }, at: Instant(seconds: 1_700_000_009), by: FilePath("/j/new"))
    try expect(found().filter { $0.event != .compaction }, is: [frames[0], frames[4]])
    expect(files.bytes("/j/new") == nil)
  }

  @Test func `a log that cannot be written anew stays as it was`() throws {
    let frames = (1...5).map { frame($0) }
    try log.append(frames, synchronising: true)
    files.withDisk { $0.isReadOnly = true }
    let fault = expect(throws: Fault.self) {
      try log.compact(keeping: { _ in false }, at: .epoch, by: FilePath("/j/new"))
    }
    expect(fault?.condition, is: .readOnly)
    try expect(found(), is: frames)
  }

  @Test func `older versions are kept for a year, up to their limits`() throws {
    var keeping = JournalKeeping()
    let now = Instant(seconds: 1_700_000_000)
    for number in 0..<150 {
      let frame = JournalFrame(
        .put, .person, .item, StoreScenario.id(1), revision: Int64(number),
        at: Instant(seconds: now.seconds - Int64(150 - number) * 86_400), body: [UInt8(number)])
      keeping.add(
        JournalEntry(frame: frame, offset: 0, byteCount: 150, bodyDigest: []), number: number)
    }
    let kept = keeping.kept(now: now, purged: [:], forgetting: [])
    expect(kept, is: Set(49..<150))
    let later = Instant(seconds: now.seconds + 300 * 86_400)
    expect(keeping.kept(now: later, purged: [:], forgetting: []), is: Set(85..<150))
    expect(keeping.kept(now: now, purged: [:], forgetting: [StoreScenario.id(1)]), is: [149])
    expect(keeping.kept(now: now, purged: [StoreScenario.id(1): 149], forgetting: []), is: [])
  }

  @Test(arguments: [false, true])
  func `a log that was shortened begins with how much was kept`(isDiskFull: Bool) throws {
    let frames = (1...5).map { frame($0) }
    try log.append(frames, synchronising: true)
    if isDiskFull { files.withDisk { $0.capacity = $0.used } }
    let time = Instant(seconds: 1_700_000_009)
    try log.compact(keeping: { [0, 4].contains($0) }, at: time, by: FilePath("/j/new"))
    let kept = frames[0].encoded + frames[4].encoded
    var first = JournalFrame(.compaction, .person, .capsule, .zero, revision: 0, at: time)
    first.body = withUnsafeBytes(of: Int64(kept.count).littleEndian) { Array($0) }
    expect(files.bytes("/j/00.log"), is: first.encoded + kept)
    try expect(
      log.append([frame(1)], synchronising: false).kept, is: Int64(kept.count))
  }

  @Test
  func `damaged frames that touch are one part of the log, and others are parts of their own`()
    throws
  {
    let frames = (1...5).map { frame($0) }
    var ends: [Int] = []
    for frame in frames { ends.append((ends.last ?? 0) + frame.encoded.count) }
    var bytes = frames.flatMap(\.encoded)
    for number in [1, 2, 4] { bytes[ends[number] - 1] ^= 1 }
    try files.setBytes("/j/00.log", bytes)
    try expect(
      log.forEachEntry { _ in },
      is: [Int64(ends[0])..<Int64(ends[2]), Int64(ends[3])..<Int64(ends[4])])
  }
}
