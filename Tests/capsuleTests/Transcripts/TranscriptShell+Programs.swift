import CapsuleCore
import CapsulePlatform
import TestSupport

@testable import ProgramTestHelpers
@testable import capsule

/// Stand-ins for the programs that `capsule` runs. Their lines are those of a transcript, in which `"$1"`,
/// `"$@"` and variables are known too.
extension TranscriptShell {
  /// Another program's end, where it is none by itself.
  private enum Ended: Error {
    case signalled(Int32)
    case timedOut
  }

  /// The commands of a transcript that the lines of programs have.
  private static let commands: Set = [
    "capsule", "cat", "chmod", "cmp", "echo", "find", "grep", "jq", "ls", "mkdir", "printf", "rm",
    "sed", "stat", "true",
  ]

  /// Answers a run of another program: of a stand-in, or of a shell that runs one.
  func answer(
    _ request: ProcessRequest, _ run: Invocation
  ) throws(Fault) -> ProcessOutcome {
    let name = String(decoding: request.program, as: UTF8.self)
    let words = request.arguments.map { String(decoding: $0, as: UTF8.self) }
    var run = run
    run.input = request.input ?? []
    run.answers = []
    for (name, value) in request.environment {
      run.environment[name] = value.map { String(decoding: $0, as: UTF8.self) }
    }
    let isShell = name == "/bin/sh"
    guard isShell || programs[name] != nil else {
      throw Fault(system: ENOENT, action: "run '\(name)'")
    }
    request.whenStarted()
    do {
      let outcome =
        isShell
        ? try shell(words[2], Array(words.dropFirst(4)), run)
        : try program(programs[name] ?? [], words, run)
      var result = ProcessOutcome(end: .exited(outcome.status))
      for said in outcome.said {
        switch said {
        case .output(let bytes): result.output += bytes
        case .error(let bytes): result.errorOutput += bytes
        default: throw TestFault("a program asks nothing")
        }
      }
      return result
    } catch Ended.signalled(let signal) {
      return ProcessOutcome(end: .signalled(signal))
    } catch Ended.timedOut {
      return ProcessOutcome(end: .timedOut)
    } catch {
      programFault = error
      return ProcessOutcome(end: .exited(127))
    }
  }

  /// Runs a line of a shell: that of an option, of the configuration, or of a variable.
  private func shell(_ text: String, _ words: [String], _ run: Invocation) throws -> Outcome {
    // An editor's line is a group, with the terminal for its streams.
    let group = text.hasPrefix("{ ") ? text.dropFirst(2).prefix { $0 != ";" } : text[...]
    let line = try ShellLine(String(group), parameters(words, run))
    if let name = line.commands.map({ $0[0] }).first(where: {
      programs[$0] == nil && !Self.commands.contains($0)
    }) {
      return Outcome(said: [.error(Array("sh: \(name): not found\n".utf8))], status: 127)
    }
    do {
      return try self.run(line, run)
    } catch Ended.signalled(let signal) {
      return Outcome(status: 128 + signal)
    }
  }

  /// Runs the lines of a stand-in. The status is that of the last one, or of `exit`.
  func program(_ lines: [String], _ words: [String], _ run: Invocation) throws -> Outcome {
    var outcome = Outcome()
    for text in lines {
      if text.hasPrefix("kill -"), text.hasSuffix(" $$"),
        let signal = Int32(text.dropFirst(6).dropLast(3))
      {
        throw Ended.signalled(signal)
      }
      let line = try ShellLine(text, parameters(words, run))
      switch line.commands[0].first {
      case "exit":
        outcome.status = line.commands[0].last.flatMap { Int32($0) } ?? 0
        return outcome
      case "sleep": throw Ended.timedOut
      default: break
      }
      let part = try self.run(line, run)
      outcome.said += part.said
      outcome.status = part.status
    }
    return outcome
  }

  private func parameters(_ words: [String], _ run: Invocation) -> ShellLine.Parameters {
    ShellLine.Parameters(words: words, variables: run.environment)
  }
}
