import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Carriers in which something is that no machine put there so.
struct CarrierContentTests {
  private func verify(
    _ world: inout SyncWorld, _ carrier: (any Carrier)? = nil, repairs: Bool = false
  ) throws -> (found: CarrierVerification, mended: CarrierMending) {
    let now = world.tick()
    let way = carrier ?? world.way()
    return try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.verify(way, reads: false, repairs: repairs) { _, _ in }
    }
  }

  /// The only file of a blob in the carrier.
  private func blob(_ world: SyncWorld) throws -> (path: String, bytes: [UInt8]) {
    let file = try require(world.files.files().first { $0.key.hasPrefix("/c/blobs/") })
    return (file.key, file.value)
  }

  // MARK: Links

  @Test(arguments: ["blobs", "heads", "blobs/00", "heads/\(String(repeating: "7", count: 32))"])
  func `nothing is put through a link in a carrier, which is named`(_ place: String) throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring", blob: [1, 2, 3])
    let link = FilePath("/c/\(place)")
    try world.files.createDirectories(link.parent)
    try world.files.createDirectories(FilePath("/out"))
    try world.files.makeSymbolicLink(link.text, to: "/out")
    expect {
      try world.sync("a")
    } throws: { error in
      error as? Fault == .notDirectory(link.text)
    }
    expect(world.files.files(under: "/out").isEmpty)
  }

  @Test func `what a link in a carrier leads to is neither read nor removed`() throws {
    let world = try SyncWorld()
    let name = CarrierName.blob(String(repeating: "0", count: 64))
    try world.files.createDirectories(FilePath("/out/00"))
    let path = "/out/00/\(String(repeating: "0", count: 64))"
    try world.files.setBytes(path, [1, 2, 3])
    try world.files.makeSymbolicLink("/c/blobs", to: "/out")
    for body in [
      { () throws in try world.way().put([name], from: FilePath("/here")) },
      { () throws in try world.way().get([CarrierFetch(name, limit: 9)], into: FilePath("/here")) },
      { () throws in try world.way().drop([name], by: FilePath("/here")) },
    ] {
      expect(body) { error in
        error as? Fault == .notDirectory("/c/blobs")
      }
    }
    expect(world.files.bytes(path), is: [1, 2, 3])
    expect(world.files.bytes("/here/\(name.path)") == nil)
  }

  // MARK: Sizes

  /// A carrier with segments that are said to be of that size.
  private struct Swollen: Carrier {
    let carrier: DirectoryCarrier
    let size: Int64

    func make(by empty: FilePath) throws(Fault) { try carrier.make(by: empty) }
    func list() throws(Fault) -> CarrierListing {
      var listing = try carrier.list()
      for case .segment(let name) in listing.keys { listing[.segment(name)] = size }
      return listing
    }
    func get(_ files: [CarrierFetch], into directory: FilePath) throws(Fault) {
      for case .segment(let name) in files.map(\.name) { Issue.record("\(name) was fetched") }
      try carrier.get(files, into: directory)
    }
    func put(_ names: [CarrierName], from directory: FilePath) throws(Fault) {
      try carrier.put(names, from: directory)
    }
    func drop(_ names: [CarrierName], by empty: FilePath) throws(Fault) {
      try carrier.drop(names, by: empty)
    }
  }

  @Test func `a segment that is larger than any is named, and not fetched`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("b", "Ring")
    try world.sync("b")
    let names = world.segments().map { String($0.dropFirst(3)) }
    let carrier = Swollen(carrier: world.way(), size: Segment.sizeLimit + 1)
    let now = world.tick()
    let report = try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.sync(carrier)
    }
    expect(report.damaged.map(\.path), is: names)
    try expect(verify(&world, carrier).found.damaged.map(\.path).sorted(), is: names.sorted())
  }

  @Test(arguments: [1, 250, 140_000])
  func `a file that is cut off is named without being read, and put again`(_ missing: Int) throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring", blob: [UInt8](repeating: 7, count: 140_000))
    try world.sync("a")
    let whole = try blob(world)
    expect(try verify(&world).found.isSound)
    try world.files.setBytes(whole.path, Array(whole.bytes.dropLast(missing)))
    try expect(verify(&world).found.damaged.map(\.path), is: [String(whole.path.dropFirst(3))])
    let mended = try verify(&world, repairs: true)
    expect(mended.found.isSound)
    expect(mended.mended.files, is: 1)
    try expect(blob(world) == whole)
  }

  @Test func `a file that is damaged here takes none away from the carrier`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.sync("a")
    let whole = try blob(world)
    let media = try require(try world.item("a", id)?.media.first)
    let path = try world.store("a").layout.blob(media.file.blob).text
    try world.files.setBytes(path, [UInt8](repeating: 0, count: 9000))
    try expect(verify(&world, repairs: true).mended.files, is: 0)
    try expect(blob(world) == whole)
  }

  @Test func `a header that is too large is not what was written`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.files.setBytes("/c/carrier.json", [UInt8](repeating: 32, count: 70_000))
    expect {
      try world.sync("a")
    } throws: { error in
      (error as? Fault)?.code == .remoteDamaged
    }
  }

  /// A carrier that notes what is fetched from it, and may say other sizes than its files have.
  private struct Watched: Carrier {
    final class Fetched {
      var names: [CarrierName] = []
    }

    let carrier: DirectoryCarrier
    var said: [String: Int64] = [:]
    /// Whether it has gone away when files are fetched from it, as a disk that is pulled out.
    var isGone = false
    nonisolated(unsafe) let fetched = Fetched()

    func make(by empty: FilePath) throws(Fault) { try carrier.make(by: empty) }
    func list() throws(Fault) -> CarrierListing {
      var listing = try carrier.list()
      for (path, size) in said {
        guard let name = CarrierName(path: path) else { continue }
        listing.note(name, size: size, modified: "then")
      }
      return listing
    }
    func get(_ files: [CarrierFetch], into directory: FilePath) throws(Fault) {
      fetched.names += files.map(\.name)
      let names = files.filter { file in if case .blob = file.name { !isGone } else { true } }
      try carrier.get(names, into: directory)
    }
    func put(_ names: [CarrierName], from directory: FilePath) throws(Fault) {
      try carrier.put(names, from: directory)
    }
    func drop(_ names: [CarrierName], by empty: FilePath) throws(Fault) {
      try carrier.drop(names, by: empty)
    }
  }

  private func sync(
    _ world: inout SyncWorld, _ machine: String, saying said: [String: Int64] = [:],
    gone isGone: Bool = false
  ) throws -> (report: SyncReport, fetched: [String]) {
    let now = world.tick()
    let way = Watched(carrier: world.way(), said: said, isGone: isGone)
    let report = try world.store(machine).sync.hold(now: now) { work throws(Fault) in
      try work.sync(way)
    }
    return (report, way.fetched.names.map(\.path).filter { $0 != "carrier.json" })
  }

  @Test func `a file that is larger than its record says is named, and not fetched`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.sync("a")
    let path = try blob(world).path
    let name = String(path.dropFirst(3))
    try world.files.setBytes(path, [UInt8](repeating: 0, count: 100_000))
    let (report, fetched) = try sync(&world, "b")
    expect(report.damaged.map(\.path), is: [name])
    expect(report.held, is: [.record(RecordReference(.item, id)): .missingFile])
    expect(!fetched.contains(name))
    try expect(verify(&world).found.damaged.map(\.path), is: [name])
  }

  @Test(arguments: ["heads/", "blobs/"])
  func `what was found damaged is named each time, and fetched again when it is another file`(
    _ folder: String
  ) throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.sync("a")
    let (path, whole) = try require(
      world.files.files().first { $0.key.hasPrefix("/c/\(folder)") })
    let name = String(path.dropFirst(3))
    for filler in [UInt8(0), 1] {
      try world.files.setBytes(path, [UInt8](repeating: filler, count: whole.count))
      for round in 1...3 {
        let (report, fetched) = try sync(&world, "b")
        expect(report.damaged.map(\.path), is: [name])
        expect(fetched.contains(name) == (round == 1), "round \(round)")
      }
    }
    try world.files.setBytes(path, whole)
    expect(try sync(&world, "b").report.damaged.isEmpty)
    try expect(world.item("b", id)?.name, is: "Ring")
  }

  @Test func `a file that did not come is not damaged, and comes with the next sync`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.sync("a")
    expect(try sync(&world, "b", gone: true).report.damaged.isEmpty)
    expect(try sync(&world, "b").report.damaged.isEmpty)
    try expect(world.item("b", id)?.name, is: "Ring")
  }

  @Test func `a segment that has grown since it was listed is not copied beyond that`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.sync("a")
    let path = try require(world.segments().first)
    let size = Int64(try require(world.files.bytes(path)).count)
    try world.files.setBytes(path, [UInt8](repeating: 0, count: 2_000_000))
    world.files.plan()
    let name = String(path.dropFirst(3))
    try expect(sync(&world, "b", saying: [name: size]).report.damaged.map(\.path), is: [name])
    let written = world.files.calls.filter {
      $0.operation == .write && $0.path.text.contains("/incoming/heads/")
    }
    expect(written.isEmpty)
  }

  @Test(arguments: [Int64(1 << 18), 300_000])
  func `a copy ends at the limit, and nothing is left of it`(_ limit: Int64) throws {
    let world = try SyncWorld()
    let name = CarrierName.blob(String(repeating: "0", count: 64))
    let path = "/c/\(name.path)"
    try world.files.createDirectories(FilePath(path).parent)
    try world.files.setBytes(path, [UInt8](repeating: 7, count: 300_000))
    try world.way().get([CarrierFetch(name, limit: limit)], into: FilePath("/here"))
    let copied = world.files.bytes("/here/\(name.path)")
    expect(limit < 300_000 ? copied == nil : copied?.count == 300_000)
  }

  @Test func `identities that are too large are not fetched by a machine that joins`() throws {
    var world = try SyncWorld()
    _ = world.tick()
    let path = "/c/identities.age"
    try world.files.setBytes(path, [UInt8](repeating: 0, count: SealedStoreHeader.limit + 1))
    world.files.plan()
    expect {
      _ = try SealedStoreHeader.read(
        from: world.way(), through: FilePath("/here"), world.files)
    } throws: { error in
      error as? Fault == .identitiesDamaged
    }
    expect(
      !world.files.calls.contains {
        $0.operation == .write && $0.path.text.hasSuffix("identities.age")
      })
  }
}
