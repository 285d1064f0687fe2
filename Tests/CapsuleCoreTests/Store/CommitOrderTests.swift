import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// The order in which a file is replaced, and what each of its steps is for: with one left out, the
/// simulated power cuts find a state that is neither the old file nor the new one.
@Suite struct CommitOrderTests {
  enum Step: String, CaseIterable, Sendable {
    case synchronizeFile, rename, synchronizeDirectory
  }

  private let old = Array("old old old old".utf8)
  private let new = Array("new new new new new".utf8)

  /// Replaces `/s/record` by way of `/s/tmp/x`, with a step left out; returns once acknowledged.
  private func replace(_ files: SimulatedFileSystem, without step: Step?) throws {
    let (temporary, record) = (FilePath("/s/tmp/x"), FilePath("/s/record"))
    if step == .rename {
      try files.withFile(record, .readWriteCreate(mode: 0o600)) { file throws(Fault) in
        try files.truncate(file, to: 0)
        try files.writeAll(file, new)
        try files.synchronize(file)
      }
      try files.synchronizeDirectory(FilePath("/s"))
      return
    }
    try files.withFile(temporary, .createExclusive(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, new)
      if step != .synchronizeFile { try files.synchronize(file) }
    }
    try files.rename(temporary, to: record)
    if step != .synchronizeDirectory { try files.synchronizeDirectory(FilePath("/s")) }
  }

  private func start() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    try files.createDirectory(FilePath("/s"), mode: 0o700)
    try files.createDirectory(FilePath("/s/tmp"), mode: 0o700)
    try files.setBytes("/s/record", old)
    return files.copy()
  }

  /// The states of the record that some power cut leaves: cut at each call, and after the last.
  private func violations(without step: Step?, seeds: Int) throws -> Int {
    let rehearsal = try start()
    rehearsal.plan()
    try replace(rehearsal, without: step)
    let count = rehearsal.calls.count
    var violations = 0
    for cut in 1...(count + 1) {
      let files = try start()
      files.plan([.at(cut, .crash)])
      let isAcknowledged = (try? replace(files, without: step)) != nil
      expect(isAcknowledged == (cut > count))
      for seed in 0..<seeds {
        let left = files.after(.random(seed: UInt64(seed))).bytes("/s/record")
        let isRight = isAcknowledged ? left == new : left == old || left == new
        if !isRight { violations += 1 }
      }
    }
    return violations
  }

  @Test func `written, synchronised, renamed, synchronised: always the old file or the new`() throws
  {
    try expect(violations(without: nil, seeds: TestScale.count(full: 2000, debug: 100)), is: 0)
  }

  @Test(arguments: Step.allCases)
  func `without one of the steps some power cut leaves neither`(step: Step) throws {
    expect(try violations(without: step, seeds: 100) > 0)
  }
}
