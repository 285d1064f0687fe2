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

  struct Section: Sendable {
    /// The heading; `nil` for the section behind the summary.
    var title: String?
    /// Whether it is a part of the section before it.
    var isNested = false
    var blocks: [Block]
  }

  enum Block: Sendable {
    case prose(ProseBlock)
    /// Terms and their meanings.
    case definitions([(term: String, text: String)])
    /// Command lines and their purposes.
    case examples([Example])
  }
}

extension ReferencePage {
  /// The page of a command.
  init(_ command: Command) {
    name = command.name
    summary = command.summary
    let operands = command.operands.map(\.synopsis)
    usage = [(["capsule", command.name] + ["[OPTION…]"] + operands).joined(separator: " ")]
    sections = [
      Section(title: "Examples", blocks: [.examples(command.examples)]),
      Section(title: "Operands", blocks: [.definitions(Self.operands(of: command))]),
      Section(title: "Options", blocks: [.definitions(Self.options(of: command))]),
      Section(title: "Details", blocks: Self.details(of: command)),
      Section(title: "Exit status", blocks: [.definitions(Self.codes(command.exitCodes))]),
      Section(
        title: nil,
        blocks: [.prose(.paragraph(Self.commonOptions(of: command) + " " + Self.commonStatuses))]),
    ].filter { !$0.isEmpty }
  }

  static func operands(of command: Command) -> [(term: String, text: String)] {
    command.operands.map { ($0.synopsis, sentence($0.help)) }
  }

  static func options(of command: Command) -> [(term: String, text: String)] {
    command.options.map(definition)
  }

  static func details(of command: Command) -> [Block] {
    ProseBlock.blocks(of: command.discussion).map { .prose($0) }
  }

  private static func commonOptions(of command: Command) -> String {
    let forms = [(Outputs.json, "`--json`"), (.ndjson, "`--ndjson`")]
      .filter { command.outputs.contains($0.0) }.map(\.1)
    return "Common options" + (forms.isEmpty ? "" : ", with " + forms.joined(separator: " and "))
      + ": see `capsule help options`."
  }

  private static let commonStatuses =
    "Exit statuses of all commands: see `capsule help exit-codes`."

  /// The page of a noun.
  init(noun group: CommandGroup) {
    let noun = group.noun ?? ""
    let shown = group.commands.filter { !$0.isHidden }
    name = noun
    summary = group.summary
    usage = ["capsule \(noun) COMMAND [OPTION…]"]
    let alone = group.defaultVerb.map { "`capsule \(noun)` alone is `capsule \(noun) \($0)`. " }
    sections = [
      Section(
        title: "Commands",
        blocks: [.definitions(shown.map { ($0.path.last ?? "", Self.sentence($0.summary)) })]),
      Section(
        title: nil,
        blocks: [
          .prose(
            .paragraph((alone ?? "") + "`capsule help \(noun) COMMAND` explains a command."))
        ]),
    ]
  }

  /// The page of a topic.
  init(_ topic: HelpTopic) {
    name = topic.name
    summary = topic.summary
    usage = []
    sections = [Section(title: nil, blocks: topic.blocks)]
  }

  /// The page of the whole program.
  init(overviewOf table: CommandTable) {
    name = ""
    summary = "Seal letters, photos and files until a date"
    usage = ["capsule COMMAND [OPTION…] [OPERAND…]"]
    var sections = table.visibleGroups.map { group, commands in
      Section(
        title: group.title,
        blocks: [.definitions(commands.map { ($0.name, Self.sentence($0.summary)) })])
    }
    let common = GlobalOptions.leading
    sections.append(
      Section(title: "Common options", blocks: [.definitions(common.map(Self.definition))]))
    let topics = table.topics.map { ($0.name, Self.sentence($0.summary)) }
    if !topics.isEmpty {
      sections.append(Section(title: "Topics", blocks: [.definitions(topics)]))
    }
    sections.append(
      Section(
        title: nil,
        blocks: [
          .prose(
            .paragraph(
              "`capsule help COMMAND` and `capsule help TOPIC` explain one of them. `capsule` alone, at a "
                + "terminal, shows what is due, what can be opened and what comes next."))
        ]))
    self.sections = sections
  }

  /// Returns codes and their sentences, smallest first, each once.
  static func codes(_ codes: [ExitCode]) -> [(term: String, text: String)] {
    Set(codes).sorted { $0.rawValue < $1.rawValue }.map { (String($0.rawValue), $0.meaning) }
  }

  static func definition(
    _ option: any ParameterDeclaration
  ) -> (term: String, text: String) {
    var text = sentence(option.help)
    if case .choices(let choices) = option.completion {
      text += " One of \(choices.map { "`\($0)`" }.joined(separator: ", "))."
    }
    if option.isRepeatable { text += " May be given several times." }
    if let fallback = option.fallback { text += " Default: `\(fallback)`." }
    return (option.synopsis, text)
  }

  static func sentence(_ text: String) -> String {
    text.hasSuffix(".") ? text : text + "."
  }
}

extension ParameterDeclaration {
  /// Its form in help: `-n, --limit N` of an option; `REF`, `[REF]`, `REF…` or `[REF…]` of an operand.
  fileprivate var synopsis: String {
    guard valueName == nil, arity != .flag else {
      let long = "--" + name + (valueName.map { " " + $0 } ?? "")
      return short.map { "-\($0), \(long)" } ?? long
    }
    let core = isRepeatable ? name + "…" : name
    return minimum == 0 ? "[\(core)]" : core
  }
}

extension ReferencePage.Section {
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

extension HelpTopic {
  /// The blocks of the topic's page.
  var blocks: [ReferencePage.Block] {
    let prose = ProseBlock.blocks(of: body).map { ReferencePage.Block.prose($0) }
    return prose + (definitions.isEmpty ? [] : [.definitions(definitions)])
  }
}
