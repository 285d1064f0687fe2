import CapsuleCore

/// A page of the manual: an everyday command, a noun with its commands, the program, its dates, or its store.
struct ManualPage: Sendable {
  let page: ReferencePage
  /// The section of the manual: 1 commands, 5 files, 7 conventions.
  let section: Int
  /// The commands that it explains.
  let commands: [String]

  /// `capsule-event`
  var name: String { page.name.isEmpty ? "capsule" : "capsule-" + page.name }
  /// `capsule-event.1`
  var fileName: String { "\(name).\(section)" }
  /// `capsule-event(1)`
  var reference: String { "\(name)(\(section))" }

  func text(version: String) -> String { page.manual(section: section, version: version) }

  private init(_ page: ReferencePage, section: Int = 1, _ commands: [Command]) {
    self.page = page
    self.section = section
    self.commands = commands.map(\.name)
  }

  /// Verbs without a noun that share a page, the one that names it first.
  private static let shared = [
    ["open", "view", "play"], ["agenda", "next", "on-this-day", "since"], ["check", "status"],
    ["deliver", "bequeath"], ["seal", "unseal", "keygen"], ["trash", "restore", "purge"],
    ["verify", "repair", "versions", "backup"],
  ]
  private static let ofProgram = ["help", "man", "completions", "version"]

  /// All pages, the program's own first.
  static func all(_ table: CommandTable) -> [ManualPage] {
    let verbs = table.visibleGroups.filter { $0.noun == nil }.flatMap(\.visibleCommands)
    func commands(_ names: [String]) -> [Command] {
      names.compactMap { name in verbs.first { $0.name == name } }
    }
    let elsewhere = Set(shared.flatMap { $0 } + ofProgram + ["date"])
    var pages = verbs.filter { !elsewhere.contains($0.name) }.map { page(of: [$0]) }
    pages += shared.map { page(of: commands($0)) }.filter { !$0.commands.isEmpty }
    pages += table.visibleGroups.compactMap { group in
      group.noun.map { page(of: group.visibleCommands, noun: $0, summary: group.summary) }
    }
    pages.append(dates(commands(["date"])))
    pages.append(
      ManualPage(
        ReferencePage(
          name: HelpTopic.tutorial.name, summary: HelpTopic.tutorial.summary, usage: [],
          sections: [.init("Description", HelpTopic.tutorial.blocks)], related: ["capsule(1)"]),
        section: 7, []))
    pages.append(ManualPage(.store, section: 5, []))
    pages.sort { $0.name < $1.name }
    let program = ManualPage(
      ReferencePage(programOf: table, commands(ofProgram), pages.map(\.reference)),
      commands(ofProgram))
    return [program] + pages
  }

  /// The page about what help was asked about.
  static func about(_ subject: HelpSubject, _ table: CommandTable) -> ManualPage {
    let pages = all(table)
    switch subject {
    case .overview, .everything: return pages[0]
    case .noun(let group): return pages.first { $0.page.name == group.noun } ?? pages[0]
    case .command(let command):
      return pages.first { $0.commands.contains(command.name) } ?? pages[0]
    case .topic(let topic):
      let name = topic.name == HelpTopic.repetition.name ? HelpTopic.dates.name : topic.name
      return pages.first { $0.section == 7 && $0.page.name == name } ?? pages[0]
    }
  }

  private static func page(
    of commands: [Command], noun: String? = nil, summary: String? = nil
  ) -> ManualPage {
    let first = commands.first
    var sections: [ReferencePage.Section]
    if noun == nil, commands.count == 1 {
      sections = ReferencePage(commands[0]).sections.filter { $0.title != nil }
      sections.removeAll { $0.title == "Exit status" }
      // A page of the manual has what a command does before its options.
      if let place = sections.firstIndex(where: { $0.title == "Details" }) {
        let details = sections.remove(at: place)
        sections.insert(.init("Description", details.blocks), at: 0)
      }
    } else {
      sections = [.init("Commands", [])] + commands.map(ReferencePage.nested)
    }
    let codes = ReferencePage.codes(commands.flatMap(\.exitCodes))
    let common = "`capsule`(1) has the options and exit statuses of all commands."
    sections.append(.init("Exit status", [.definitions(codes), .prose(.paragraph(common))]))
    return ManualPage(
      ReferencePage(
        name: noun ?? first?.name ?? "", summary: summary ?? first?.summary ?? "",
        usage: commands.flatMap { ReferencePage($0).usage }, sections: sections,
        related: ["capsule(1)"]), commands)
  }

  private static func dates(_ commands: [Command]) -> ManualPage {
    let page = ReferencePage(
      name: "dates", summary: HelpTopic.dates.summary,
      usage: commands.flatMap { ReferencePage($0).usage },
      sections: [
        .init(nil, HelpTopic.dates.blocks), .init("Repetition", HelpTopic.repetition.blocks),
        .init("Commands", []),
      ] + commands.map(ReferencePage.nested), related: ["capsule(1)"])
    return ManualPage(page, section: 7, commands)
  }
}

extension ReferencePage {
  /// A command as a part of a page.
  fileprivate static func nested(_ command: Command) -> Section {
    Section(
      "capsule " + command.name, isNested: true,
      [.prose(.paragraph(sentence(command.summary)))] + Block.prose(of: command.discussion)
        + [
          .definitions((command.operands + command.options).map(\.definition)),
          .examples(command.examples),
        ])
  }

  /// The page of the whole program.
  fileprivate init(programOf table: CommandTable, _ commands: [Command], _ pages: [String]) {
    let overview = ReferencePage(overviewOf: table)
    let groups = overview.sections.prefix(table.visibleGroups.count)
    let topics: [(HelpTopic, String)] = [
      (.options, "Options"), (.references, "Naming records"), (.json, "Output for scripts"),
      (.environment, "Environment"), (.files, "Files"), (.exitCodes, "Exit status"),
    ]
    let examples = ["create", "open", "check"].compactMap { table.command([$0])?.examples.first }
    self.init(name: "", summary: overview.summary, usage: overview.usage, sections: [])
    sections = [
      Section("Description", Block.prose(of: HelpTopic.description)), Section("Commands", []),
    ]
    sections += groups.map { Section($0.title, isNested: true, $0.blocks) }
    sections += topics.map { Section($1, $0.blocks) }
    sections += [Section("Commands of the program", [])] + commands.map(Self.nested)
    sections.append(Section("Examples", [.examples(examples)]))
    related = pages
  }

  /// The page about the files of a store.
  fileprivate static let store = ReferencePage(
    name: "store", summary: "The files of a store and of this device", usage: [],
    sections: [
      Section(
        "Description",
        Block.prose(
          of: """
            A store is a directory of JSON records and sealed files. Every record has a checksum. The \
            contents of capsules are files in the `age` format.

            Copy a store with `capsule backup`, or while no command changes it. Two machines exchange \
            changes with `capsule sync`.
            """)),
      Section("Files of a store", [.definitions(HelpTopic.storeFiles)]),
      Section("Files of this device", HelpTopic.files.blocks),
    ], related: ["capsule(1)"])
}
