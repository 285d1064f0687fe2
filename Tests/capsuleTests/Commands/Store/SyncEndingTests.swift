import CapsuleCore
import TestSupport
import Testing

@testable import capsule

@Suite struct SyncEndingTests {
  private func failures(_ kinds: [FailureKind]) -> [Failure] {
    kinds.map { Failure($0, "it failed") }
  }

  @Test(
    arguments: [
      ([], .ok), ([.io, .damaged], .damaged), ([.damaged, .io], .damaged),
      ([.key, .version], .version),
    ] as [([FailureKind], ExitCode)])
  func `a sync ends with the worst of its failures, in whatever order they came`(
    kinds: [FailureKind], code: ExitCode
  ) {
    expect(SyncReport().ending(failures(kinds)), is: code)
    expect(SyncReport().ending(failures(kinds.reversed())), is: code)
  }
}
