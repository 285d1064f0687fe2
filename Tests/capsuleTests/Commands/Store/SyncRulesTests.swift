import TestSupport
import Testing

@testable import CapsuleCore
@testable import ProgramTestHelpers
@testable import capsule

/// A machine of the store that moves an unlock time earlier, and takes the contents away.
@Suite struct SyncRulesTests {
  private let first: HostedStore
  private let second: HostedStore
  private let id: String

  init() throws {
    first = try HostedStore()
    second = try HostedStore()
    try first.write("the passphrase of both machines", as: "p")
    id = try first.create("Letter", "--unlock", "2039-01-01", "--text", "dear")
    try first.done(
      "sync", "add", "meet", first.path + "/carrier", "--passphrase-file", first.path + "/p")
    try first.done("sync")
    try second.done(
      "sync", "clone", first.path + "/carrier", "--passphrase-file", first.path + "/p")
  }

  /// Has the second machine publish a state that claims to have seen all others.
  private func attack() throws {
    let now = try require(Instant(rfc3339: second.now))
    let store = try second.openedStore()
    let subject = SyncSubject.record(RecordReference(.capsule, try require(RecordID(id))))
    let way = DirectoryCarrier(FilePath(first.path + "/carrier"), store.files, .system)
    try store.sync.hold(now: now) { work throws(Fault) in
      var listing = try way.list()
      let carrier = try work.header(of: way, listing).id
      guard var entry = work.state.entry(subject) else { return }
      let old = entry.state.vector
      let dot = old.next(work.actor)
      entry.state.cells = entry.state.cells.filter { $0.key.member != "contents" }
      let unlock: JSON = ["unlockAt": "2030-01-01T00:00:00Z", "unlockZone": "UTC"]
      entry.state.cells[CellKey("unlock")] = [dot: Sibling(stamp: 0, value: CellValue(unlock))]
      entry.state.vector.insert(dot)
      work.state.put(subject, entry, from: old)
      try work.putSegment([subject], to: way, carrier, &listing)
    }
  }

  @Test
  func `a record that a rule keeps is reported, and goes to the others when its owner says so`()
    throws
  {
    try attack()
    try first.done("item", "add", "Ring")
    let record = try first.record(id)
    let before = try first.bytes(of: record)
    let run = try first.run("sync")
    expect(run.code, is: .partial)
    expect(
      run.out.contains(
        "waiting  capsule/\(id): another device moved the unlock time earlier, which"), "\(run.out)"
    )
    expect(run.out.contains("capsule sync resolve \(id)"))
    let again = try first.run("sync", "--json")
    expect(again.code, is: .partial)
    let held = try JSON.parse(Array(again.out.utf8))["held"]
    expect(held, is: [["reason": "forbidden", "record": .string("capsule/\(id)")]])
    try expect(first.bytes(of: record), is: before)
    let answer = try first.done("sync", "resolve", "Letter")
    expect(answer.contains("After the next sync, the other devices have this version"))
    try first.done("sync")
    try second.done("sync")
    try expect(first.bytes(of: record), is: before)
    try expect(
      second.json("show", "Letter")["unlockAt"], is: first.json("show", "Letter")["unlockAt"])
    try first.refusal(.notFound, "sync", "resolve", "Letter")
  }
}
