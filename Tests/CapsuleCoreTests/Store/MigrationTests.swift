import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct MigrationTests {
  private let place: TestDirectory
  private let store: Store

  init() throws {
    place = try TestDirectory(.posix)
    store = try Store.open(
      directory: place.path.appending("store").text,
      clock: StoreClock { Instant(seconds: 1_800_000_000) })
  }

  /// A step that leaves a file of its own, as often as it runs.
  private func step(_ from: Int64, failing: Bool = false) -> MigrationStep {
    MigrationStep(from: from) { store throws(Fault) in
      let path = store.layout.root.appending("step-\(from)")
      try store.files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
        try store.files.writeAll(file, Array("x".utf8))
      }
      if failing { throw .recordTooLarge(bytes: 0) }
    }
  }

  private func header() throws -> StoreHeader {
    try require(try Store.open(at: store.layout.root, environment: store.environment)).header
  }

  private func runs(_ from: Int64) throws -> Int {
    try store.files.readFile(store.layout.root.appending("step-\(from)"), limit: 10).count
  }

  @Test func `the steps run in order, and the header names the last format`() throws {
    try store.care.migrate(by: [step(2), step(1)], to: 3)
    try expect(header().format, is: 3)
    try expect(runs(1), is: 1)
    try expect(runs(2), is: 1)
    let kept = try store.files.readFile(
      store.layout.backups.appending("format-1").appending("store.json"), limit: 1 << 20)
    expect(String(decoding: kept, as: UTF8.self).contains("\"format\": 1"))
    expect(RecordFile.integrity(of: kept) == nil)
  }

  @Test func `a step that fails leaves the store of the old format, and runs again`() throws {
    expect(throws: Fault.self) {
      try store.care.migrate(by: [step(1), step(2, failing: true)], to: 3)
    }
    try expect(header().format, is: 2)
    expect(throws: Fault.self) { try store.care.migrate(by: [step(2, failing: true)], to: 3) }
    try store.care.migrate(by: [step(2)], to: 3)
    try expect(header().format, is: 3)
    try expect(runs(1), is: 1)
    try expect(runs(2), is: 3)
  }

  @Test func `a format without a step is refused, and nothing is changed`() throws {
    expect(throws: Fault.self) { try store.care.migrate(by: [step(2)], to: 3) }
    try expect(header().format, is: 1)
  }

  @Test func `a store of this format runs no step`() throws {
    try store.care.migrate(by: [step(1)], to: 1)
    try expect(header().format, is: 1)
    expect((try? runs(1)) == nil)
  }

  @Test func `what this version does not know in the header stays there`() throws {
    var fields = store.header.fields
    var identity = try require(store.header.identities.first).fields
    identity["label"] = "of the attic"
    fields["identities"] = [.object(identity)]
    fields["other"] = [1]
    let raised = try StoreHeader(fields: fields).raised()
    fields["format"] = 2
    expect(raised.fields, is: fields)
  }
}
