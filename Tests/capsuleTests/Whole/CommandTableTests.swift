import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What every command must keep to, whoever wrote it.
@Suite struct CommandTableTests {
  static let commands = CommandTable.capsule.commands

  @Test func `no two commands have one name, and none has a noun's`() {
    let names = Self.commands.map(\.name)
    expect(Set(names).count, is: names.count)
    let nouns = CommandTable.capsule.groups.compactMap(\.noun)
    expect(Set(nouns).count, is: nouns.count)
    expect(Set(names).isDisjoint(with: nouns))
  }

  @Test func `the commands of a noun begin with it`() {
    for group in CommandTable.capsule.groups {
      for command in group.commands {
        expect(command.path.count == (group.noun == nil ? 1 : 2), "\(command.name)")
        if let noun = group.noun { expect(command.path.first, is: noun) }
      }
    }
  }

  @Test(arguments: commands.map(\.name))
  func `a summary is a short imperative without a full stop`(name: String) throws {
    let command = try require(Self.commands.first { $0.name == name })
    let summary = command.summary
    expect((1...60).contains(summary.count))
    expect(!summary.hasSuffix("."))
    expect(summary.first?.isUppercase, is: true)
    // `Shows` and `Showing` are no imperatives; `Address` and `Pass` are.
    let verb = summary.split(separator: " ")[0]
    expect(!verb.hasSuffix("ing") || verb == "Bring")
    expect(!verb.hasSuffix("s") || verb.hasSuffix("ss"), "\(verb)")
  }

  @Test(arguments: commands.map(\.name))
  func `options have one name each, a help and a short letter at most once`(name: String) throws {
    let command = try require(Self.commands.first { $0.name == name })
    let names = command.allOptions.map(\.name)
    let twice = names.filter { name in names.count { $0 == name } > 1 }
    expect(twice.isEmpty, "\(twice), perhaps a common option")
    let letters = command.allOptions.compactMap(\.short)
    expect(Set(letters).count, is: letters.count)
    for option in command.allOptions {
      expect(option.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
      expect(!option.help.isEmpty && !option.help.hasSuffix("."), "--\(option.name)")
      expect(option.help.first?.isUppercase, is: true, "--\(option.name)")
      if let value = option.valueName { expect(value, is: value.uppercased()) }
    }
  }

  @Test func `a letter means one option in all commands`() {
    var meanings: [Unicode.Scalar: String] = [:]
    for command in Self.commands {
      for option in command.allOptions {
        guard let letter = option.short else { continue }
        expect(
          meanings[letter, default: option.name], is: option.name, "\(command.name) -\(letter)")
        meanings[letter] = option.name
      }
    }
  }

  @Test(arguments: commands.map(\.name))
  func `operands have names in capitals, a help, and only the last is repeated or left out`(
    name: String
  ) throws {
    let command = try require(Self.commands.first { $0.name == name })
    for (index, operand) in command.operands.enumerated() {
      expect(operand.name, is: operand.name.uppercased())
      expect(!operand.help.isEmpty && !operand.help.hasSuffix("."), "\(operand.name)")
      let isLast = index == command.operands.count - 1
      if !isLast { expect(operand.minimum > 0 || !command.operands[index + 1].isRequired) }
    }
    expect(command.operands.filter(\.isRepeatable).count <= 1)
  }

  @Test(arguments: commands.filter { !$0.isHidden }.map(\.name))
  func `every command has an example, and every example is a line that it takes`(
    name: String
  ) throws {
    let command = try require(Self.commands.first { $0.name == name })
    expect(!command.examples.isEmpty)
    for example in command.examples {
      expect(!example.meaning.hasSuffix("."), "\(example.meaning)")
      expect(example.meaning.first?.isUppercase, is: true)
      let lines = ShellWords.commands(in: example.line).filter { $0.first == "capsule" }
      expect(!lines.isEmpty, "\(example.line)")
      for words in lines {
        do throws(Fault) {
          let outcome = try Parser(.capsule).parse(words.dropFirst().map { Array($0.utf8) })
          if words.count > 1, words[1] == command.path[0], case .help = outcome {
            Issue.record("\(example.line) only shows help")
          }
        } catch {
          Issue.record("\(example.line): \(error)")
        }
      }
    }
  }

  @Test(arguments: commands.map(\.name))
  func `exit codes are listed once, and those of every command are not listed again`(
    name: String
  ) throws {
    let command = try require(Self.commands.first { $0.name == name })
    expect(Set(command.exitCodes).count, is: command.exitCodes.count)
    expect(Set(command.exitCodes).isDisjoint(with: ExitCode.common))
    let asks = command.options.contains { $0.name == "exit-code" }
    expect(command.exitCodes.contains(.none), is: asks, "code 1 is for '--exit-code'")
    expect(Set(command.exitCodes).isDisjoint(with: [.interrupted, .brokenPipe, .terminated]))
  }

  @Test func `what is live or a list has both forms of JSON`() {
    for command in Self.commands where command.outputs.contains(.ndjson) {
      expect(command.outputs.contains(.json), "\(command.name)")
    }
  }

  @Test func `topics have names that no command has`() {
    let topics = CommandTable.capsule.topics
    let names = topics.map(\.name)
    expect(Set(names).count, is: names.count)
    expect(Set(names).isDisjoint(with: CommandTable.capsule.firstWords))
    for topic in topics {
      expect((1...60).contains(topic.summary.count))
      expect(!topic.summary.hasSuffix("."))
    }
  }
}

extension ParameterDeclaration {
  fileprivate var isRequired: Bool { minimum > 0 }
}

@Suite struct ExitCodeTests {
  @Test func `every kind of failure has a code, and every code a sentence`() {
    for kind in Fault.Kind.allCases {
      expect(kind.exitCode.rawValue > 1)
      if kind != .signal { expect(kind.exitCode.kinds.contains(kind.rawValue)) }
    }
    for code in ExitCode.allCases {
      expect(code.meaning.hasSuffix("."))
      expect(!code.kinds.isEmpty)
    }
  }

  @Test func `damage is worse than anything but a bug, and partial better than all but nothing`() {
    expect(ExitCode.worst(.partial, .damaged), is: .damaged)
    expect(ExitCode.worst(.damaged, .locked), is: .damaged)
    expect(ExitCode.worst(.ok, .partial), is: .partial)
    expect(ExitCode.worst(.none, .ok), is: .none)
  }
}
