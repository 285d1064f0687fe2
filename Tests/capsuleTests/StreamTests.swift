import Testing

@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Streams and descriptors, with the real program.
@Suite struct StreamTests {
  @Test func `the version goes to standard output and nothing to standard error`() throws {
    let run = try ProgramRun("--version").result()
    #expect(run.end == .exited(0))
    #expect(run.out == "capsule \(Version.text)\n")
    #expect(run.err.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a closed pipe ends the program by SIGPIPE without a word`(ignored: Bool) throws {
    var run = ProgramRun("help")
    run.outputIsClosedPipe = true
    run.ignoresSIGPIPE = ignored
    let result = try run.result()
    #expect(result.end == .signalled(SIGPIPE))
    #expect(result.err.isEmpty)
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0))
  func `a full disk under standard output is exit 10`() throws {
    var run = ProgramRun("version")
    run.outputFile = "/dev/full"
    let result = try run.result()
    #expect(result.end == .exited(10))
    #expect(
      result.err
        == "capsule: error: cannot write to standard output: no space left on device\n")
  }

  @Test(arguments: [[0], [1], [2], [0, 1], [0, 1, 2]] as [Set<Int32>])
  func `closed descriptors do not crash it, and a closed output is told`(closed: Set<Int32>) throws
  {
    var run = ProgramRun("version")
    run.closed = closed
    #expect(try run.result().end == .exited(closed.contains(1) ? 10 : 0))
  }
}
