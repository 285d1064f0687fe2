import CapsuleCore

/// `capsule help`.
enum HelpCommand {
  static let topic = Parameter.operands(
    "TOPIC", .text(completing: .topic), "A command, a noun or a topic")

  static let all = Parameter.flag("all", "List every command and topic")

  static let command = Command(
    "help", summary: "Show help on a command or a topic",
    operands: [topic], options: [all],
    outputs: .json,
    examples: [
      Example("capsule help create", "Learn how to use a command"),
      Example("capsule help exit-codes", "Look up the exit statuses"),
    ],
    run: { invocation, session in
      let words = invocation[topic]
      let subject =
        words.isEmpty && invocation[all]
        ? .everything : try subject(words, invocation.table)
      return show(subject, invocation.table)
    })

  static func show(_ subject: HelpSubject, _ table: CommandTable) -> Answer {
    Answer(table.members(subject)) { out in
      let columns = min(out.width ?? 80, 100)
      let lines =
        if case .overview = subject {
          FirstScreen.lines(table, columns: columns)
        } else {
          ReferencePage(subject, in: table).lines(columns: columns)
        }
      for line in lines { out.row(line) }
    }.paged()
  }

  static func subject(
    _ words: [String], _ table: CommandTable
  ) throws -> HelpSubject {
    guard let first = words.first else { return .overview }
    if let real = table.realName(of: words) { return try subject(real, table) }
    if let command = table.command(words) { return .command(command) }
    if words.count == 1, let noun = table.noun(first) { return .noun(noun) }
    if words.count == 1, let topic = table.topic(first) { return .topic(topic) }
    let name = words.joined(separator: " ")
    let names = table.visibleCommands.map(\.name) + table.firstWords + table.topics.map(\.name)
    throw Fault(
      UsageProblem.unknownTopic(name, suggestion: Suggestion.nearest(to: name, in: names)))
  }
}

extension ReferencePage {
  /// The page about a subject.
  init(_ subject: HelpSubject, in table: CommandTable) {
    switch subject {
    case .overview, .everything: self.init(overviewOf: table)
    case .noun(let group): self.init(noun: group)
    case .command(let command): self.init(command)
    case .topic(let topic): self.init(topic)
    }
  }
}

/// `capsule man`.
enum ManCommand {
  static let topic = Parameter.operands(
    "TOPIC", .text(completing: .topic), "A command or a noun; without it, the program's own page")

  static let command = Command(
    "man", summary: "Print a man page",
    discussion: """
      Shows the page at a terminal. Elsewhere it prints the source form, for a directory of man pages.
      """,
    operands: [topic],
    examples: [
      Example("capsule man create", "Read the manual of a command"),
      Example("capsule man > capsule.1", "Write the program's page to a file"),
    ],
    run: { invocation, session in
      let subject = try HelpCommand.subject(invocation[topic], invocation.table)
      let page = ManualPage.about(subject, invocation.table)
      let text = page.text(version: Version.text)
      guard session.console.out.isTerminal else {
        return Answer { $0.bytes(text.utf8) }
      }
      if try isShown(text, session) { return .done }
      return Answer { out in
        for line in page.page.lines(columns: min(out.width ?? 80, 100)) { out.row(line) }
      }.paged()
    })

  /// Shows a page of the manual by `man`.
  ///
  /// - Returns: whether it did: not where there is no `man`, or one that reads no page from standard input.
  private static func isShown(_ text: String, _ session: Session) throws -> Bool {
    let outcome = try session.pager.run("man -l - 2>/dev/null", with: Array(text.utf8))
    if case .exited(0) = outcome.end { return true }
    return outcome.interruption != nil
  }
}

/// `capsule version`.
enum VersionCommand {
  static let command = Command(
    "version", summary: "Show the version",
    outputs: .json,
    examples: [Example("capsule version --json", "Read the version in a script")],
    run: { _, session in show(session) })

  static func show(_ session: Session) -> Answer {
    Answer(["version": Version.text.json]) { $0.line("capsule \(Version.text)") }
  }
}

/// `capsule completions`.
enum CompletionsCommand {
  static let shell = Parameter.operand("SHELL", ValueType<Shell>.choice, "The shell")

  static let command = Command(
    "completions", summary: "Print the completion script for a shell",
    discussion: """
      The script completes commands, options, paths, ids and titles. For bash, add this line to \
      `~/.bashrc`:

        source <(capsule completions bash)

      For zsh, save the script as `_capsule` in a directory of `$fpath`. For fish:

        capsule completions fish > ~/.config/fish/completions/capsule.fish
      """,
    operands: [shell],
    examples: [
      Example("capsule completions zsh > _capsule", "Save the script for zsh")
    ],
    run: { invocation, session in
      let script = invocation[shell].script
      return Answer { $0.bytes(script.utf8) }
    })
}

/// `capsule __complete`, which the completion scripts of the shells call.
///
/// The first line names the kind of the words: `words`, `paths` or `directories`; each line after it
/// is a word, a tab, and the word's meaning.
enum CompleteCommand {
  static let words = Parameter.operands("WORD", .bytes, "The command line so far")

  static let command = Command(
    "__complete", summary: "Offer words to a shell",
    operands: [words],
    isHidden: true,
    run: { invocation, session in
      let line = invocation[words]
      let lines = offer(line, invocation.table, session)
      return Answer { out in
        for line in lines { out.row(line) }
      }
    })

  private static func offer(_ words: [[UInt8]], _ table: CommandTable, _ session: Session)
    -> [StyledText]
  {
    let completer = Completer(table, words)
    switch completer.offer {
    case .paths: return ["paths"]
    case .directories: return ["directories"]
    case .candidates(let candidates): return lines(candidates)
    case .dynamic(let source, let prefix, let lead):
      var options = session.options
      options.takesInput = false
      options.store = completer.store ?? options.store
      var host = session.host
      host.errorOutput.write = { _ throws(Fault) in }
      let inner = Session(host: host, options: options)
      let found = try? inner.stores.existing().map {
        StoreWords(store: $0, prefix: prefix, session: inner).candidates(source)
      }
      return lines((found ?? []).map { Completer.Candidate(lead + $0.value, $0.meaning) })
    }
  }

  private static func lines(_ candidates: [Completer.Candidate]) -> [StyledText] {
    ["words"] + candidates.map { "\($0.value)\t\($0.meaning)" }
  }
}

/// `capsule __generate`, for `Scripts/generate`: the files of the repository that are made from the
/// table; their paths without an operand, the content of one with its path.
enum GenerateCommand {
  static let path = Parameter.optionalOperand("PATH", .text, "One of the files")

  static let command = Command(
    "__generate", summary: "Print the repository's generated files",
    operands: [path],
    isHidden: true,
    run: { invocation, session in
      let files = GeneratedFiles(invocation.table)
      guard let path = invocation[path] else {
        return Answer { out in
          for path in files.paths { out.row("\(path)") }
        }
      }
      guard let content = files.content(path) else {
        throw Fault(.notFound, "no file '\(path)' is made from the table")
      }
      return Answer { $0.bytes(content.utf8) }
    })
}
