import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Making, renewing and replacing the key of a group: the pages, the record, and what is left after a fault.
@Suite struct StoreTrusteesTests {
  private static let now = StoreScenario.now
  private static let pages = FilePath("/pages")

  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Self.now)
  }

  private func holders(_ names: [String]) throws -> [TrusteeHolder] {
    try names.map { try TrusteeHolder($0, in: store, now: Self.now) }
  }

  private func terms(_ names: [String], _ threshold: Int) throws -> TrusteeTerms {
    try TrusteeTerms(holders: try holders(names), threshold: threshold, sealsPages: false)
  }

  private func handout(_ names: [String] = ["Mia", "Ben", "Cy"]) throws -> TrusteeHandout {
    try store.trustees.new(
      "family", try terms(names, 2), StoreSettings(), in: .utc, now: Self.now)
  }

  private func keep(
    _ handout: TrusteeHandout, at path: FilePath = pages, pagesStay: () -> Void = {}
  ) throws -> TrusteeGroup {
    try store.trustees.keep(
      handout, in: try TrusteeFolder(path, in: files), now: Self.now, pagesStay: pagesStay)
  }

  /// The shares on the pages in plain text of a folder, by their names.
  private func shares(in folder: FilePath = pages) throws -> [Share] {
    let texts = files.files(under: folder.text).filter { $0.key.hasSuffix(".txt") }
    return try texts.sorted { $0.key < $1.key }
      .map { try Share(text: SecretBytes(copying: $0.value)) }
  }

  private func recipients(joining shares: ArraySlice<Share>) throws -> [String] {
    var set = ShareSet()
    for share in shares { try set.add(share) }
    return try TrusteeGroup.identities(joining: set).map(\.recipient.description)
  }

  private func record() throws -> StoredRecord<TrusteeGroup> {
    let group = try require(store.trustees.groups(now: Self.now).first)
    return try store.read(TrusteeGroup.self, group.header.id)
  }

  // MARK: Terms

  @Test func `a group has 2 to 16 holders, each once, and some of them together`() throws {
    func fault(_ names: [String], _ threshold: Int) throws -> String {
      let holders = try holders(names)
      do throws(Fault) {
        _ = try TrusteeTerms(holders: holders, threshold: threshold, sealsPages: false)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    try expect(fault(["Mia", "Ben"], 2), is: "none")
    try expect(fault(["Mia"], 2), is: "a group of trustees has 2 to 16 holders, not 1")
    try expect(fault((1...16).map { "T\($0)" }, 16), is: "none")
    try expect(
      fault((1...17).map { "T\($0)" }, 2), is: "a group of trustees has 2 to 16 holders, not 17")
    try expect(fault(["A", "B", "C"], 1), is: "invalid threshold 1 for 3 holders")
    try expect(fault(["A", "B", "C"], 4), is: "invalid threshold 4 for 3 holders")
    try expect(
      fault(["Mía", "Ben", "MÍA"], 2),
      is: "the holder 'MÍA' is given twice")
  }

  @Test func `pages are sealed only to holders of whom a recipient is known`() throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    var mia = Beneficiary(header: try store.newHeader(now: Self.now), name: "Mia")
    mia.recipient = identity.recipient.description
    _ = try store.insert(mia)
    let both = try holders(["mia", "Ben"])
    expect(both[0].person?.id == mia.id && both[0].name == "Mia" && both[1].person == nil)
    let fault = expect(throws: Fault.self) {
      try TrusteeTerms(holders: both, threshold: 2, sealsPages: true)
    }
    expect(fault.map { "\($0)" }, is: "'Ben' has no age recipient, so no page can be sealed")
  }

  // MARK: Keys

  @Test func `two of three pages give the key that the record names`() throws {
    let made = try handout()
    let group = try keep(made)
    expect(group.recipient, is: made.recipient.description)
    expect(group.shares.map(\.holder) == ["Mia", "Ben", "Cy"] && group.threshold == 2)
    let shares = try shares()
    expect(shares.count, is: 3)
    expect(shares.map { group.place(of: $0) }, is: [0, 1, 2])
    expect(try recipients(joining: shares[1...]).contains(group.recipient))
    try expect(record().model, is: group)
  }

  @Test func `renewed shares are of the same key, and do not join with those before`() throws {
    let first = try keep(try handout())
    let old = try shares()
    var set = ShareSet()
    for share in old[..<2] { try set.add(share) }
    let found = try TrusteeGroup.identities(joining: set, of: [first])
    let renewed = try store.trustees.renewed(
      try record(), found.identities[0], try terms(["Mia", "Dov"], 2), StoreSettings(), in: .utc,
      now: Self.now)
    let group = try keep(renewed, at: FilePath("/more"))
    expect(group.recipient, is: first.recipient)
    expect(group.earlierIdentifiers, is: [first.identifier])
    let new = try shares(in: FilePath("/more"))
    expect(try recipients(joining: new[...]).contains(group.recipient))
    expect(throws: ShareSet.Problem.self) { try recipients(joining: [old[0], new[1]]) }
  }

  @Test func `another key has another recipient, and who held the one before is kept`() throws {
    let first = try keep(try handout())
    let other = try store.trustees.withOtherKey(
      try record(), try terms(["Mia", "Dov"], 2), StoreSettings(), in: .utc, now: Self.now)
    let group = try keep(other, at: FilePath("/more"))
    expect(group.recipient != first.recipient)
    expect(group.withFormer.map(\.recipient), is: [group.recipient, first.recipient])
    let new = try shares(in: FilePath("/more"))
    expect(try recipients(joining: new[...]).contains(group.recipient))
  }

  @Test func `a name is had by one group`() throws {
    _ = try keep(try handout())
    expect(throws: Fault.self) { try handout() }
    expect(files.files(under: "/").keys.filter { $0.hasPrefix("/pages") }.count, is: 6)
  }

  @Test func `a group says when and how often it was written`() throws {
    let group: some Record = try keep(try handout())
    expect(group.createdAt == Self.now && group.updatedAt == Self.now && group.revision == 1)
    expect(group.id, is: try record().model.header.id)
  }

  @Test func `shares of a wallet's shorter secret are refused with its length`() throws {
    let secret = SecretBytes(copying: [UInt8](repeating: 7, count: 16))
    let shares = try ShareSet.split(
      secret, threshold: 2, count: 2, identifier: 1, random: .system)
    let fault = expect(throws: Fault.self) { try recipients(joining: shares[...]) }
    expect(fault?.description, is: "the shares hold a secret of 128 bits instead of 256")
    expect(fault?.hint, is: "use shares that capsule made; these may be from a wallet")
  }

  @Test func `shares that give another key than their group's record says are refused`() throws {
    var fields = try keep(try handout()).fields
    let other = try AgeIdentity(isPostQuantum: true, random: .system).recipient
    fields["recipient"] = .string(other.description)
    let group = try TrusteeGroup(fields: fields)
    var set = ShareSet()
    for share in try shares().prefix(2) { try set.add(share) }
    let fault = expect(throws: Fault.self) {
      try TrusteeGroup.identities(joining: set, of: [group])
    }
    expect(fault, is: .otherIdentity(group: "family"))
  }

  @Test func `two groups with the name in the setting are refused with what to delete`() {
    let fault = Fault.severalGroups("family")
    expect(fault.code, is: .ambiguous)
    expect(
      fault.description,
      is: "the setting 'trustees' names 'family', and several groups have that name")
    expect(
      fault.hint,
      is: "delete all but one of them: capsule trustees list; capsule trustees delete ID")
  }

  @Test func `a directory that appears while pages are written is not replaced`() throws {
    let made = try handout()
    let folder = try TrusteeFolder(Self.pages, in: files)
    try files.createDirectory(Self.pages, mode: 0o700)
    let fault = expect(throws: Fault.self) {
      try store.trustees.keep(made, in: folder, now: Self.now, pagesStay: {})
    }
    expect(fault?.code, is: .exists)
    expect(store.trustees.groups(now: Self.now).isEmpty)
    expect(files.files(under: "/").keys.filter { $0.hasPrefix("/pages") }, is: [])
  }

  // MARK: Faults

  @Test func `where a call fails, there are pages with every record, and none left over without`()
    throws
  {
    let made = try handout(["Mia", "Ben"])
    let base = files.after(.everything).withDisk { $0 }
    var calls = 0
    var kept = 0
    while calls < 500 {
      calls += 1
      let files = SimulatedFileSystem(disk: base)
      let store = try require(try StoreScenario.open(files, seed: 7))
      files.plan([.at(calls, .fail(5))])
      var haveStayed = false
      let isDone: Bool
      do {
        _ = try store.trustees.keep(
          made, in: try TrusteeFolder(Self.pages, in: files), now: Self.now,
          pagesStay: { haveStayed = true })
        isDone = true
      } catch {
        isDone = false
      }
      let isOver = files.calls.count < calls
      let call = isOver ? "" : "\(files.calls[calls - 1])"
      files.plan()
      let pages = files.files(under: "/").keys.filter { $0.hasPrefix("/pages") }
      let groups = try require(try StoreScenario.open(files, seed: 8)).trustees.groups(
        now: Self.now)
      if !groups.isEmpty { kept += 1 }
      expect(groups.isEmpty || pages.count == 4, "a record without pages, at call \(calls)")
      expect(!isDone || !groups.isEmpty, "done without a record, at call \(calls)")
      expect(
        !groups.isEmpty || haveStayed || pages.isEmpty || isDone,
        "pages are left over, at call \(calls): \(call)")
      if isOver { break }
    }
    expect(calls > 20 && calls < 500 && kept > 0)
  }

  @Test func `pages that are kept are on the disk, and no file of them stays open`() throws {
    _ = try keep(handout(["Mia", "Ben"]), at: FilePath("/pages//"))
    expect(files.openCount, is: 0)
    let pages = files.files(under: "/pages")
    expect(pages.count, is: 4)
    expect(files.after(.onlySynchronized).files(under: "/pages"), is: pages)
  }

  @Test func `the pages of a key that the store has stay, though its record cannot be written`()
    throws
  {
    let made = try handout(["Mia", "Ben"])
    _ = try keep(made)
    var haveStayed = false
    expect(throws: Fault.self) {
      try keep(made, at: FilePath("/more")) { haveStayed = true }
    }
    expect(haveStayed)
    expect(files.files(under: "/more").count, is: 4)
  }
}
