import CapsuleCore

/// A page of the reference, before it is text for a terminal, a man page or Markdown.
struct ReferencePage: Sendable {
  /// The words after `capsule`: `event add`; empty for the overview.
  var name: String
  /// The summary, without a full stop.
  var summary: String
  /// The ways to write it.
  var usage: [String]
  var sections: [Section]
  /// The manual pages to see also, with their sections: `capsule-event(1)`.
  var related: [String] = []

  typealias Definition = (term: String, text: String)

  struct Section: Sendable {
    /// The heading; `nil` for the section behind the summary.
    var title: String?
    /// Whether it is a part of the section before it.
    var isNested = false
    var blocks: [Block]

    init(_ title: String?, isNested: Bool = false, _ blocks: [Block]) {
      self.title = title
      self.isNested = isNested
      self.blocks = blocks
    }

    /// A paragraph behind all sections.
    static func note(_ text: String) -> Section { Section(nil, [.prose(.paragraph(text))]) }

    var isEmpty: Bool {
      blocks.allSatisfy { block in
        switch block {
        case .prose: false
        case .definitions(let entries): entries.isEmpty
        case .examples(let examples): examples.isEmpty
        }
      }
    }
  }

  enum Block: Sendable {
    case prose(ProseBlock)
    /// Terms and their meanings.
    case definitions([Definition])
    /// Command lines and their purposes.
    case examples([Example])

    /// Reads a discussion.
    static func prose(of text: String) -> [Block] { ProseBlock.blocks(of: text).map { .prose($0) } }
  }
}

extension ReferencePage {
  /// The page of a command.
  init(_ command: Command) {
    name = command.name
    summary = command.summary
    usage = [
      (["capsule", command.name, "[OPTION…]"] + command.operands.map(\.synopsis))
        .joined(separator: " ")
    ]
    let forms = [(Outputs.json, "`--json`"), (.ndjson, "`--ndjson`")]
      .filter { command.outputs.contains($0.0) }.map(\.1).joined(separator: " and ")
    sections = [
      Section("Examples", [.examples(command.examples)]),
      Section("Operands", [.definitions(command.operands.map(\.definition))]),
      Section("Options", [.definitions(command.options.map(\.definition))]),
      Section("Details", Block.prose(of: command.discussion)),
      Section("Exit status", [.definitions(Self.codes(command.exitCodes))]),
      .note(
        "Common options\(forms.isEmpty ? "" : ", with " + forms): see `capsule help options`. "
          + "Exit statuses of all commands: see `capsule help exit-codes`."),
    ].filter { !$0.isEmpty }
  }

  /// The page of a noun.
  init(noun group: CommandGroup) {
    let noun = group.noun ?? ""
    name = noun
    summary = group.summary
    usage = ["capsule \(noun) COMMAND [OPTION…]"]
    let alone = group.defaultVerb.map { "`capsule \(noun)` alone is `capsule \(noun) \($0)`. " }
    let commands = group.visibleCommands.map { ($0.path.last ?? "", Self.sentence($0.summary)) }
    sections = [
      Section("Commands", [.definitions(commands)]),
      .note((alone ?? "") + "`capsule help \(noun) COMMAND` explains a command."),
    ]
  }

  /// The page of a topic.
  init(_ topic: HelpTopic) {
    name = topic.name
    summary = topic.summary
    usage = []
    sections = [Section(nil, topic.blocks)]
  }

  /// The page of the whole program.
  init(overviewOf table: CommandTable) {
    name = ""
    summary = "Seal letters, photos and files until a date"
    usage = ["capsule COMMAND [OPTION…] [OPERAND…]"]
    let groups = table.visibleGroups.map { group in
      Section(
        group.title,
        [.definitions(group.visibleCommands.map { ($0.name, Self.sentence($0.summary)) })])
    }
    let topics = table.topics.map { ($0.name, Self.sentence($0.summary)) }
    let others = [
      Section("Common options", [.definitions(GlobalOptions.leading.map(\.definition))]),
      Section("Topics", [.definitions(topics)]),
      .note(
        "`capsule help COMMAND` and `capsule help TOPIC` explain one of them. `capsule` alone, at a "
          + "terminal, shows what is due, what can be opened and what comes next."),
    ]
    sections = groups + others.filter { !$0.isEmpty }
  }

  /// Returns codes and their sentences, smallest first, each once.
  static func codes(_ codes: [ExitCode]) -> [Definition] {
    Set(codes).sorted { $0.rawValue < $1.rawValue }.map { (String($0.rawValue), $0.meaning) }
  }

  static func sentence(_ text: String) -> String {
    text.hasSuffix(".") ? text : text + "."
  }
}

extension ParameterDeclaration {
  /// Its form in help: `-n, --limit N` of an option; `REF`, `[REF]`, `REF…` or `[REF…]` of an operand.
  var synopsis: String {
    if isOperand {
      let core = isRepeatable ? name + "…" : name
      return minimum == 0 ? "[\(core)]" : core
    }
    let long = term + (valueName.map { " " + $0 } ?? "")
    return short.map { "-\($0), \(long)" } ?? long
  }

  /// Its form in help, and its effect.
  var definition: ReferencePage.Definition {
    var text = ReferencePage.sentence(help)
    if isOperand { return (synopsis, text) }
    if case .choices(let choices) = completion {
      text += " One of \(choices.map { "`\($0)`" }.joined(separator: ", "))."
    }
    if isRepeatable { text += " May be given several times." }
    if let fallback { text += " Default: `\(fallback)`." }
    return (synopsis, text)
  }
}

extension HelpTopic {
  /// The blocks of the topic's page.
  var blocks: [ReferencePage.Block] {
    ReferencePage.Block.prose(of: body) + (definitions.isEmpty ? [] : [.definitions(definitions)])
  }
}

/// The blocks of a discussion: paragraphs, lists, and lines that are shown as they stand.
///
/// An empty line ends a block; a line that starts with `- ` begins an item of a list; lines that start with
/// two spaces stand as they are; words in backquotes are code.
enum ProseBlock: Hashable, Sendable {
  case paragraph(String)
  case list([String])
  case verbatim([String])

  /// Reads a discussion.
  static func blocks(of text: String) -> [ProseBlock] {
    var blocks: [ProseBlock] = []
    var words: [Substring] = []
    var items: [String] = []
    var lines: [String] = []
    func end() {
      if !words.isEmpty { blocks.append(.paragraph(words.joined(separator: " "))) }
      if !items.isEmpty { blocks.append(.list(items)) }
      if !lines.isEmpty { blocks.append(.verbatim(lines)) }
      words = []
      items = []
      lines = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        if !words.isEmpty || !items.isEmpty { end() }
        lines.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("- ") {
        if !words.isEmpty || !lines.isEmpty { end() }
        items.append(String(line.dropFirst(2)))
      } else if line.isEmpty {
        end()
      } else if let last = items.indices.last {
        items[last] += " " + line
      } else {
        if !lines.isEmpty { end() }
        words.append(line)
      }
    }
    end()
    return blocks
  }

  /// Breaks a paragraph into lines of at most so many columns, at spaces outside of code.
  static func wrap(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(of: text) {
      if !line.isEmpty, TextWidth.of(line) + 1 + width(word) > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  private static func width(_ word: String) -> Int {
    TextWidth.of(word.filter { $0 != "`" })
  }

  /// Returns the words of a text; code with spaces is one.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isCode = false
    for character in text {
      if character == "`" { isCode.toggle() }
      if character == " ", !isCode {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// Returns the pieces of a text, each code or not.
  static func pieces(of text: String) -> [(text: String, isCode: Bool)] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { (String($0.element), !$0.offset.isMultiple(of: 2)) }
      .filter { !$0.text.isEmpty }
  }
}
