import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A file system in which some paths cannot be read for lack of permission.
private struct DenyingFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem
  let denied: FilePath

  func openOnce(_ path: FilePath, _ access: FileAccess) throws(Fault) -> FileDescriptor {
    if path.text.hasPrefix(denied.text) { throw Fault(.open, path, code: EACCES) }
    return try files.openOnce(path, access)
  }

  func status(_ path: FilePath) throws(Fault) -> FileStatus {
    if path.text.hasPrefix(denied.text + "/") { throw Fault(.status, path, code: EACCES) }
    return try files.status(path)
  }
}

@Suite struct FilesOfRootTests {
  @Test(.enabled(if: geteuid() == 0))
  func `what root makes in a directory of somebody else belongs to them`() throws {
    let folder = try TemporaryFolder()
    let files = POSIXFileSystem()
    let home = FilePath(folder.path).appending("home")
    try files.createDirectory(home, mode: 0o700)
    try #require(chown(home.text, 12345, 12346) == 0)
    let directory = home.appending("a/b")
    try files.createDirectories(directory)
    for access in [
      FileAccess.createExclusive(mode: 0o600), .append(mode: 0o600), .readWriteCreate(mode: 0o600),
    ] {
      let path = directory.appending("\(access)".prefix(3) + ".txt")
      try files.close(files.open(path, access))
      expect(try files.status(path).owner, is: 12345)
    }
    expect(try files.status(directory).owner, is: 12345)
    expect(try files.status(home.appending("a")).owner, is: 12345)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a file of root with a second name stays root's`() throws {
    let folder = try TemporaryFolder()
    let files = POSIXFileSystem()
    let home = FilePath(folder.path).appending("home")
    try files.createDirectory(home, mode: 0o700)
    let own = FilePath(folder.path).appending("own")
    try files.close(files.open(own, .createExclusive(mode: 0o600)))
    try #require(chown(home.text, 12345, 12346) == 0)
    try files.link(own, to: home.appending("log"))
    try files.close(files.open(home.appending("log"), .append(mode: 0o600)))
    expect(try files.status(own).owner, is: 0)
  }

  @Test(arguments: [false, true])
  func `what cannot be read for lack of permission is no damage, and nothing is called whole`(
    isFolder: Bool
  ) throws {
    let simulated = SimulatedFileSystem()
    let environment = StoreScenario.environment(simulated, seed: 1)
    let made = try Store.openOrCreate(
      at: StoreScenario.root, environment: environment, now: StoreScenario.now)
    let blob = try StoreScenario.stage(made, StoreScenario.blobBytes)
    let capsule = StoreScenario.capsule(1, blob: blob)
    try made.insert(capsule, blobs: [blob])
    let layout = made.layout
    let denied = isFolder ? layout.folder(.capsule) : layout.record(.capsule, capsule.header.id)
    let other = StoreEnvironment(
      fileSystem: DenyingFileSystem(files: simulated, denied: denied),
      random: environment.random, patience: LockPatience(limit: 0) { _ in },
      cacheHome: FilePath("/cache"), stateHome: FilePath("/state"), holder: "test",
      clock: StoreClock { StoreScenario.now })
    let store = try require(try Store.open(at: StoreScenario.root, environment: other))
    let report = try store.care.verifyAll(now: StoreScenario.now)
    expect(report.problems.contains(where: \.isDenied))
    expect(report.problems.filter(\.isDamage), is: [])
    expect(!report.isSound)
    expect(LastVerification(of: store).findings.isEmpty)
    expect(LastVerification(of: store).whole == nil)
  }
}

@Suite struct AwayFileTests {
  @Test func `a record that iCloud has put away is away, not foreign and not missing`() throws {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: StoreScenario.now)
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    let capsule = StoreScenario.capsule(1, blob: blob)
    try store.insert(capsule, blobs: [blob])
    let path = store.layout.record(.capsule, capsule.header.id)
    try files.rename(path, to: AwayName.placeholder(of: path))
    let report = try store.care.verifyAll(now: StoreScenario.now)
    expect(report.problems.filter { $0.kind != .orphan }.map(\.kind), is: [.away])
    expect(report.isSound)
    var index = store.index.open(.capsule, now: StoreScenario.now)
    expect(index.away(), is: [AwayName.placeholder(of: path)])
    expect(index.strays(), is: [])
  }

  @Test(arguments: [".a.icloud": "a", "a.icloud": nil, ".icloud": nil, "..icloud": nil])
  func `a placeholder names its file`(name: String, original: String?) {
    expect(AwayName.original(of: Array(name.utf8)), is: original.map { Array($0.utf8) })
  }
}
