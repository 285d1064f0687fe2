import CapsuleCore
import TestSupport
import Testing

@testable import capsule

@Suite struct SyncEndingTests {
  private func failures(_ kinds: [Fault.Code]) -> [Fault] {
    kinds.map { Fault($0, "it failed") }
  }

  @Test(
    arguments: [
      ([], .ok), ([.io, .damaged], .damaged), ([.damaged, .io], .damaged),
      ([.key, .version], .version),
    ] as [([Fault.Code], ExitCode)])
  func `a sync ends with the worst of its failures, in whatever order they came`(
    kinds: [Fault.Code], code: ExitCode
  ) {
    expect(SyncReport().ending(failures(kinds)), is: code)
    expect(SyncReport().ending(failures(kinds.reversed())), is: code)
  }
}
