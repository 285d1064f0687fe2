import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A repair on a machine that does not let it read everything: that is never damage.
@Suite struct RepairRefusalTests {
  enum Damage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case none, settings, unreadableSettings, header, identity, record, unreadableRecord

    var testDescription: String { rawValue }
  }

  private static let layout = StoreScenario.layout

  /// A store with settings, two records, a journal, and one thing that is wrong.
  private func disk(_ damage: Damage) throws -> SimulatedDisk {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    for number: UInt8 in [0x10, 0x11] { try store.insert(StoreScenario.capsule(number)) }
    try store.settings.change { settings throws(Fault) in
      settings = StoreSettings(["postQuantum": .bool(false)])
    }
    let record = Self.layout.record(.capsule, StoreScenario.id(0x10)).text
    func change(_ path: String, _ old: String, _ new: String) throws {
      let text = String(decoding: try require(files.bytes(path)), as: UTF8.self)
      try require(text.contains(old))
      try files.setBytes(path, Array(text.replacing(old, with: new).utf8))
    }
    switch damage {
    case .none: break
    case .settings: try change("/s/settings.json", "false", "true")
    case .unreadableSettings: try files.setBytes("/s/settings.json", Array("{".utf8))
    case .header: try change("/s/store.json", "\"format\"", "\"former\"")
    case .identity:
      let recipient = try require(store.header.identities.first?.recipient)
      try files.unlink(Self.layout.identity(recipient))
    case .record: try change(record, "Capsule 16", "By hand")
    case .unreadableRecord: try files.setBytes(record, Array("{".utf8))
    }
    return files.after(.everything).withDisk { $0 }
  }

  /// What the store holds, but for what only helps.
  private func state(_ files: SimulatedFileSystem) -> [String: [UInt8]] {
    let helping = ["/s/lock", "/s/journal/", "/s/backups/", "/s/tmp/"]
    return files.files(under: "/s").filter { path, _ in !helping.contains { path.hasPrefix($0) } }
  }

  private func repair(_ files: SimulatedFileSystem) throws {
    let store = try require(try StoreScenario.open(files, seed: 5))
    _ = try store.care.repair(now: StoreScenario.now) { _, _ in nil }
  }

  @Test(arguments: Damage.allCases)
  func `what the system refuses to read is acted upon by nobody`(damage: Damage) throws {
    let disk = try disk(damage)
    let rehearsal = SimulatedFileSystem(disk: disk)
    let before = state(rehearsal)
    rehearsal.plan()
    try repair(rehearsal)
    let after = state(rehearsal)
    let reading: Set<FileRefusal.Operation> = [.open, .read, .status, .listDirectory]
    let calls = rehearsal.calls.filter { reading.contains($0.operation) }
    expect(calls.count > 50)
    for (place, call) in calls.enumerated() where TestScale.isFull || place % 12 == 2 {
      let codes = [EMFILE, EIO, ENOMEM, EACCES]
      let files = SimulatedFileSystem(disk: disk)
      files.plan([.at(call.number, .fail(codes[place % codes.count]))])
      _ = try? repair(files)
      for (path, bytes) in state(files) {
        expect(
          bytes == before[path] || bytes == after[path],
          "\(call): \(path) is \(String(decoding: bytes, as: UTF8.self))")
      }
      for path in before.keys where after[path] != nil {
        expect(files.bytes(path) != nil, "\(call): \(path) is gone")
      }
    }
  }
}
