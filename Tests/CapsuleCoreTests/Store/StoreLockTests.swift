import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The lock of a store, and those who move it away.
@Suite struct StoreLockTests {
  private let files = SimulatedFileSystem()
  private let path = FilePath("/s/lock")

  init() throws {
    try files.createDirectory(FilePath("/s"), mode: 0o700)
  }

  private func take(
    patience: Int = 0, pause: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws(Fault) -> HeldLock {
    try files.acquireLock(
      path, holder: Array("test".utf8), patience: LockPatience(limit: patience, pause: pause))
  }

  private func expectBusy(file: String = #fileID, line: Int = #line) {
    let error = expect(throws: Fault.self, sourceLocation: SourceLocation(file, line)) {
      try take()
    }
    guard error?.code == .storeBusy else {
      Issue.record("\(String(describing: error))", sourceLocation: SourceLocation(file, line))
      return
    }
  }

  @Test func `one has it at a time, and the next when it is given up`() throws {
    let first = try take()
    expectBusy()
    files.release(first)
    files.release(try take())
    expect(files.openCount, is: 0)
  }

  @Test(arguments: [false, true])
  func `moving or removing the file while it is held lets no second in`(removed: Bool) throws {
    let first = try take()
    if removed {
      try files.unlink(path)
    } else {
      try files.rename(path, to: FilePath("/s/x"))
    }
    expectBusy()
    files.release(first)
    files.release(try take())
    expect(files.openCount, is: 0)
  }

  @Test func `who waited for a file that was moved away takes the one in its place`() throws {
    let first = try take()
    let (files, path) = (files, path)
    let second = try take(patience: 100) { _ in
      // The holder goes, and its file has another name by then.
      try? files.rename(path, to: FilePath("/s/x"))
      files.release(first)
    }
    expect(try files.statusIfPresent(path) != nil)
    expectBusy()
    files.release(second)
    expect(files.openCount, is: 0)
  }

  @Test func `a file system that locks no directories does with the file`() throws {
    files.plan([.on(.lock, occurrence: 2, .fail(9))])
    let first = try take()
    expectBusy()
    files.release(first)
    expect(files.openCount, is: 0)
  }

  @Test func `the pauses grow from 1 to 8 ms, until the patience is at its end`() throws {
    let first = try take()
    let pauses = Mutex<[Int]>([])
    expect(throws: Fault.self) {
      try take(patience: 30) { pause in pauses.withLock { $0.append(pause) } }
    }
    expect(pauses.withLock { $0 }, is: [1, 2, 4, 8, 8, 8])
    files.release(first)
  }

  @Test func `who gives it up leaves no name behind`() throws {
    let files = SimulatedFileSystem()
    let path = FilePath("/lock")
    let patience = LockPatience(limit: 0, pause: { _ in })
    let lock = try files.acquireLock(path, holder: Array("one".utf8), patience: patience)
    expect(files.bytes(path.text), is: Array("one".utf8))
    files.release(lock)
    // Another program may hold the file without a word.
    let file = try files.open(path, .readWriteCreate(mode: 0o600))
    expect(try files.lock(file, wait: false))
    let error = expect(throws: Fault.self) {
      try files.acquireLock(path, holder: Array("two".utf8), patience: patience)
    }
    guard error == .busy(holder: nil) else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// A longer one would not be taken for a holder's by the next, who then could not write its own.
  @Test func `of who holds it 4096 bytes are written, which the next replaces`() throws {
    let holder = [UInt8](repeating: 1, count: 4096)
    let patience = LockPatience(limit: 0, pause: { _ in })
    let lock = try files.acquireLock(path, holder: holder + [2], patience: patience)
    expect(files.bytes(path.text), is: holder)
    files.release(lock)
    let next = try take()
    expect(files.bytes(path.text), is: Array("test".utf8))
    files.release(next)
  }
}
