/// A walk over the words of a command line: options and their values, operands, `--`.
struct Scanner {
  private let words: [[UInt8]]
  /// The commands, whose familiar names are looked into for a word that is refused.
  private let table: CommandTable
  private var position = 0
  private var optionsEnded = false
  /// Whether `-h` or `--help` stood where an option may.
  private(set) var wantsHelp = false
  /// The first problem; help that comes later still counts.
  private(set) var problem: UsageProblem?

  init(words: [[UInt8]], table: CommandTable) {
    self.words = words
    self.table = table
  }

  /// Keeps a problem unless there is one already.
  mutating func note(_ problem: UsageProblem) {
    self.problem = self.problem ?? problem
  }

  /// Takes the next word, whatever it is.
  mutating func next() -> [UInt8]? {
    guard position < words.count else { return nil }
    defer { position += 1 }
    return words[position]
  }

  /// Whether help is asked for in the remaining words, read without knowing which options take
  /// values.
  var helpFollows: Bool {
    if optionsEnded { return false }
    let rest = words[position...].prefix { $0 != Array("--".utf8) }
    return rest.contains(Array("--help".utf8)) || rest.contains(Array("-h".utf8))
  }

  /// Reads options and operands, up to the end or, where asked, up to the first operand.
  mutating func scan(
    _ options: [OptionSpec], command: String?, into invocation: inout Invocation,
    stopsAtOperand: Bool
  ) {
    let hyphen = UInt8(ascii: "-")
    while position < words.count {
      let word = words[position]
      let isOperand = optionsEnded || word.first != hyphen || word.count == 1
      if isOperand {
        if stopsAtOperand { return }
        position += 1
        invocation.append(.operand(word))
      } else if word == [hyphen, hyphen] {
        position += 1
        optionsEnded = true
      } else if word[1] == hyphen {
        position += 1
        scanLong(Array(word[2...]), options, command: command, into: &invocation)
      } else {
        position += 1
        scanCluster(word, options, command: command, into: &invocation)
      }
    }
  }

  private mutating func scanLong(
    _ body: [UInt8], _ options: [OptionSpec], command: String?, into invocation: inout Invocation
  ) {
    let equals = body.firstIndex(of: UInt8(ascii: "="))
    let name = String(decoding: body[..<(equals ?? body.endIndex)], as: UTF8.self)
    let attached = equals.map { Array(body[($0 + 1)...]) }
    guard
      let spec = options.first(where: { $0.name == name || name.count > 1 && $0.formerName == name }
      )
    else {
      let nearest =
        table.familiar.option(name, among: options)?.name
        ?? Suggestion.nearest(to: name, in: options.map(\.name))
      note(.unknownOption("--" + name, command: command, suggestion: nearest.map { "--" + $0 }))
      return
    }
    if spec.valueName == nil, attached != nil {
      note(.valueUnwanted(option: "--" + name))
      return
    }
    take(spec, as: "--" + name, attached: attached, options, into: &invocation)
  }

  private mutating func scanCluster(
    _ word: [UInt8], _ options: [OptionSpec], command: String?, into invocation: inout Invocation
  ) {
    for index in 1..<word.count {
      let letter = Unicode.Scalar(word[index])
      let shown = word[index] < 0x80 ? "-\(letter)" : String(decoding: word, as: UTF8.self)
      guard word[index] < 0x80,
        let spec = options.first(where: { $0.short == letter })
          ?? options.first(where: { $0.formerName == String(letter) })
      else {
        note(.unknownOption(shown, command: command, suggestion: nil))
        return
      }
      guard spec.valueName != nil else {
        take(spec, as: shown, attached: nil, options, into: &invocation)
        continue
      }
      let rest = Array(word[(index + 1)...])
      take(spec, as: shown, attached: rest.isEmpty ? nil : rest, options, into: &invocation)
      return
    }
  }

  private mutating func take(
    _ spec: OptionSpec, as shown: String, attached: [UInt8]?, _ options: [OptionSpec],
    into invocation: inout Invocation
  ) {
    guard let valueName = spec.valueName else {
      if spec.name == GlobalOptions.help.spec.name {
        wantsHelp = true
      } else {
        invocation.append(.flag(spec.name))
      }
      return
    }
    guard let value = attached ?? next() else {
      note(.valueMissing(option: shown, value: valueName))
      return
    }
    if !spec.isRepeatable, invocation.has(spec) {
      note(.givenTwice(option: shown))
    } else if let wrong = spec.check(value) {
      // A word that is no value of an option of all commands may be one of the command's own.
      let others = options.filter { $0.name != spec.name && $0.check(value) == nil }
      note(
        .wrongValue(
          option: shown, value: String(decoding: value, as: UTF8.self), problem: wrong,
          other: table.familiar.option(spec.name, among: others).map { "--" + $0.name }))
    }
    invocation.append(.option(spec.name, value))
  }
}
