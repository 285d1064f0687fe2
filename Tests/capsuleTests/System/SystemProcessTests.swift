import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct SystemProcessTests {
  init() throws {
    try require(BuiltProgram.ignoresSIGPIPE)
  }

  private func shell(
    _ line: String, input: [UInt8]? = [], environment: [String: [UInt8]?] = [:],
    seconds: Int64? = nil
  ) throws -> ProcessOutcome {
    try SystemProcess.run(
      .shell(
        Array(line.utf8), environment: environment, input: input, capturesOutput: true,
        timeLimit: seconds.map { $0 * 1_000_000_000 }))
  }

  @Test func `output and the code are kept`() throws {
    let outcome = try shell("echo out; echo err >&2; exit 7")
    expect(outcome.end, is: .exited(7))
    expect(outcome.output, is: Array("out\n".utf8))
    expect(outcome.errorOutput, is: Array("err\n".utf8))
  }

  @Test func `input much larger than a pipe goes through and back`() throws {
    let input = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let outcome = try shell("cat", input: input)
    expect(outcome.succeeded)
    expect(outcome.output, is: input)
  }

  @Test func `a program that does not read its input is fine`() throws {
    let input = [UInt8](repeating: 0, count: 1_000_000)
    expect(try shell("exit 0", input: input).succeeded)
  }

  @Test func `variables are set and taken away`() throws {
    let outcome = try shell(
      #"echo "$CAPSULE_ID,${PATH-none}""#,
      environment: ["CAPSULE_ID": Array("a b".utf8), "PATH": nil as [UInt8]?])
    expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("a b,"))
  }

  @Test func `a program that takes too long is killed with all that it started`() throws {
    let outcome = try shell("sleep 60 & sleep 60", seconds: 0)
    expect(outcome.end, is: .timedOut)
  }

  @Test(arguments: [nil, 60_000_000_000] as [Int64?])
  func `a program that writes without end is ended at the limit`(time: Int64?) throws {
    var request = ProcessRequest("yes", [], capturesOutput: true, timeLimit: time)
    request.outputLimit = 1_000
    request.endsAtOutputLimit = true
    let outcome = try SystemProcess.run(request)
    expect(outcome.end == .signalled(9) && outcome.output.count == 1_000)
  }

  @Test func `SIGPIPE is as usual for the program`() throws {
    expect(try shell("(yes; echo $? >&2) | head -1 >/dev/null").succeeded)
    try expect(shell("kill -PIPE $$").end, is: .signalled(13))
  }

  @Test func `a program that is not there is an error that names it`() {
    expect {
      try SystemProcess.run(ProcessRequest("no-such-program-at-all"))
    } throws: { error in
      ((error as? Fault)?.cause as? SystemRefusal)?.action == "run 'no-such-program-at-all'"
    }
  }
}
