import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A file system that refuses some calls for good, as a share of a network or of a virtual machine's host does.
private struct PoorFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem
  /// The calls that are refused, each with its `errno`.
  var refused: [FileRefusal.Operation: Int32]
  let passed: PassedRefusals? = PassedRefusals()

  private func refuse(
    _ operation: FileRefusal.Operation, _ file: FileDescriptor
  ) throws(Fault) {
    if let code = refused[operation] { throw Fault(operation, file.path, code: code) }
  }

  func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {
    if try files.status(file).kind == .directory { try refuse(.synchronize, file) }
    try files.synchronizeOnce(file)
  }

  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Fault) {
    try refuse(.setMode, file)
    try files.setMode(file, mode)
  }

  func setModified(_ file: FileDescriptor, _ time: FileTime) throws(Fault) {
    try refuse(.setModified, file)
    try files.setModified(file, time)
  }

  func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    try refuse(.lock, file)
    return try files.lockOnce(file, wait: wait)
  }
}

@Suite struct PoorFileSystemTests {
  private let simulated = SimulatedFileSystem()

  private func environment(_ files: PoorFileSystem) -> StoreEnvironment {
    StoreEnvironment(
      fileSystem: files, random: StoreScenario.environment(simulated, seed: 1).random,
      patience: LockPatience(limit: 0) { _ in }, cacheHome: FilePath("/cache"),
      stateHome: FilePath("/state"), holder: "test", clock: StoreClock { StoreScenario.now })
  }

  private func store(_ files: PoorFileSystem) throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root, environment: environment(files), now: StoreScenario.now)
  }

  /// The kinds of problems, but that the lock of the scenario's capsule is none.
  private func kinds(_ report: Verification) -> [Finding.Kind] {
    report.problems.map(\.kind).filter { $0 != .lock }
  }

  @Test(arguments: [EINVAL, ENOTSUP, ENOTTY, ENOSYS])
  func `a store works where directories cannot be synchronized, and verify says so`(
    code: Int32
  ) throws {
    let files = PoorFileSystem(files: simulated, refused: [.synchronize: code])
    let store = try store(files)
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(1, blob: blob), blobs: [blob])
    let report = try store.care.verifyAll(now: StoreScenario.now)
    expect(kinds(report), is: [.weakFileSystem])
    expect(files.passed?[.synchronize]?.errno, is: code)
    let backup = try store.care.backUp(
      to: FilePath("/backup"), keeping: nil, now: StoreScenario.now)
    expect(backup.isSound)
  }

  @Test func `a disk that fails to synchronize a directory is an error`() throws {
    let files = PoorFileSystem(files: simulated, refused: [.synchronize: EIO])
    let fault = expect(throws: Fault.self) { try store(files) }
    expect(fault?.errno, is: EIO)
  }

  @Test(arguments: [EPERM, EACCES, EOPNOTSUPP, EINVAL])
  func `modes that cannot be set keep nothing from being written`(code: Int32) throws {
    let files = PoorFileSystem(files: simulated, refused: [.setMode: code])
    let store = try store(files)
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(1, blob: blob), blobs: [blob])
    expect(kinds(try store.care.verifyAll(now: StoreScenario.now)), is: [])
    expect(files.passed?[.setMode] != nil)
  }

  @Test(arguments: [EPERM, EACCES, ENOTSUP])
  func `a file stays whose time cannot be set`(code: Int32) throws {
    let files = PoorFileSystem(files: simulated, refused: [.setModified: code])
    try files.createDirectories(FilePath("/out"))
    let path = FilePath("/out/file")
    try files.writeBeside(
      path, replacing: false, modified: FileTime(seconds: 1, nanoseconds: 0),
      random: StoreScenario.environment(simulated, seed: 2).random
    ) { file in try Array("text".utf8).withUnsafeBytes { try file.write($0) } }
    expect(try files.readFile(path, limit: 10), is: Array("text".utf8))
    expect(files.passed?[.setModified]?.errno, is: code)
  }

  @Test(arguments: [ENOLCK, EOPNOTSUPP, EPERM])
  func `a store without locks is refused with the way out`(code: Int32) throws {
    let files = PoorFileSystem(files: simulated, refused: [.lock: code])
    let fault = expect(throws: Fault.self) { try store(files) }
    expect(fault?.errno, is: code)
    expect(fault?.hint?.contains("no locks") ?? false)
  }

  @Test func `a backup goes to a disk without locks, and from one`() throws {
    _ = try store(PoorFileSystem(files: simulated, refused: [:]))
    let files = PoorFileSystem(files: simulated, refused: [.lock: ENOLCK, .setMode: EPERM])
    let store = try require(
      try Store.open(at: StoreScenario.root, environment: environment(files)))
    let report = try store.care.backUp(
      to: FilePath("/backup"), keeping: 1, now: StoreScenario.now)
    expect(report.isSound)
    expect(files.passed?[.lock] != nil)
  }
}
