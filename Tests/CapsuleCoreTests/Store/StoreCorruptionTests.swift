import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Each byte of a small store is changed in turn: it is found, named, and harms nothing else.
@Suite struct StoreCorruptionTests {
  private static let count: UInt8 = 20

  /// A store of twenty capsules, every third with a blob, and one deleted besides.
  private func build() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: StoreScenario.now)
    for number in 0...Self.count {
      guard number.isMultiple(of: 3) else {
        try store.insert(StoreScenario.capsule(number))
        continue
      }
      let bytes = StoreScenario.blobBytes.prefix(200).map { $0 &+ number }
      let blob = try StoreScenario.stage(store, bytes)
      try store.insert(StoreScenario.capsule(number, blob: blob), blobs: [blob])
    }
    try store.trash.delete(.capsule, StoreScenario.id(Self.count), now: StoreScenario.now)
    try store.settings.change { $0.set(.spanUnits, to: 3) }
    return files
  }

  /// A changed byte at an offset, in four ways; those that leave it as it was are left out.
  private func damages(_ byte: UInt8) -> [UInt8] {
    Set([byte ^ 0x10, byte ^ 1, 0, 0xFF]).subtracting([byte]).sorted()
  }

  @Test func `every changed byte is found, and the others are still listed`() throws {
    let files = try build()
    let originals = files.files(under: "/s").filter {
      $0.key != "/s/lock" && !$0.key.hasPrefix("/s/journal/")
    }
    let all = originals.sorted { $0.key < $1.key }
    let step = TestScale.count(full: 1, debug: 479)
    var turn = 0
    var missed: [String] = []
    for (path, bytes) in all {
      for offset in bytes.indices {
        for byte in damages(bytes[offset]) {
          turn += 1
          if turn % step != 0 { continue }
          var changed = bytes
          changed[offset] = byte
          try files.setBytes(path, changed)
          if !isFound(path, files), !isComment(path, bytes, changed) {
            missed.append("\(path) \(offset) \(bytes[offset]) -> \(byte)")
          }
          if turn % (step * 10) == 0 { try expectOthersListed(path, files) }
        }
      }
      try files.setBytes(path, bytes)
    }
    expect(missed.isEmpty, "\(missed.prefix(20))")
    expect(try StoreScenario.damage(files).isEmpty)
  }

  /// Whether the store, or its verification, says that something is wrong, and with which file.
  private func isFound(_ path: String, _ files: SimulatedFileSystem) -> Bool {
    let problems: [Finding]
    do {
      problems = try StoreScenario.damage(files)
    } catch {
      return path == "/s/store.json"
    }
    return problems.contains { problem in
      switch problem.kind {
      case .header: path == "/s/store.json"
      case .settings: path == "/s/settings.json"
      case .identity: path.hasPrefix("/s/identities/")
      case .record, .unreadable, .blob, .lock, .outdated, .clearIdentity, .otherSize:
        problem.path == path
      case .missing, .awaited, .noJournal, .weakFileSystem, .journal, .syncState, .untrusted: false
      case .foreign, .orphan, .versionBlob, .missingReference, .interruptedDeletion, .openToOthers,
        .away:
        false
      }
    }
  }

  /// An identity's comments say nothing that is used.
  private func isComment(_ path: String, _ old: [UInt8], _ new: [UInt8]) -> Bool {
    guard path.hasPrefix("/s/identities/") else { return false }
    func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
      bytes.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
    }
    return lines(old) == lines(new)
  }

  private func expectOthersListed(_ path: String, _ files: SimulatedFileSystem) throws {
    guard path != "/s/store.json", let store = try StoreScenario.open(files, seed: 5) else {
      return
    }
    var index = store.index.open(.capsule, now: StoreScenario.now)
    var sound = 0
    index.forEach(.ascending) { entry in
      sound += entry.problem == .none ? 1 : 0
      return true
    }
    expect(sound >= Int(Self.count) - 1, "\(path)")
    expect(index.count(), is: Int(Self.count), "\(path)")
  }

  @Test func `a file that is missing, empty, cut or swapped is found`() throws {
    let files = try build()
    let originals = files.files(under: "/s").filter {
      $0.key != "/s/lock" && !$0.key.hasPrefix("/s/journal/")
    }
    let other = originals["/s/capsules/01/\(StoreScenario.id(1)).json"] ?? []
    var perFolder: [Substring: Int] = [:]
    for (path, bytes) in originals.sorted(by: { $0.key < $1.key }) {
      let folder = path.split(separator: "/").dropFirst().first ?? ""
      perFolder[folder, default: 0] += 1
      // Of the first three capsules one has a blob.
      guard TestScale.isFull || perFolder[folder, default: 0] <= 3 else { continue }
      let half = Array(bytes.prefix(bytes.count / 2))
      let swapped = bytes == other ? Array("{}\n".utf8) : other
      for changed in [[], half, Array(bytes.dropLast()), bytes + [0], swapped] {
        try files.setBytes(path, changed)
        expect(isFound(path, files), "\(path) of \(changed.count) bytes")
        try expectOthersListed(path, files)
      }
      try files.setBytes(path, bytes)
      if path.hasPrefix("/s/blobs/") || path.hasPrefix("/s/identities/") {
        try files.unlink(FilePath(path))
        expect(isFound(path, files), "\(path) missing")
        try files.setBytes(path, bytes)
      }
    }
    expect(try StoreScenario.damage(files).isEmpty)
  }
}
