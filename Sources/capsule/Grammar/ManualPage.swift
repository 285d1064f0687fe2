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
    ["deliver", "bequeath", "estate"], ["seal", "unseal", "keygen"], ["trash", "restore", "purge"],
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
      let isOfDates = [HelpTopic.dates.name, HelpTopic.repetition.name].contains(topic.name)
      return isOfDates ? pages.first { $0.section == 7 } ?? pages[0] : pages[0]
    }
  }

  private static func page(
    of commands: [Command], noun: String? = nil, summary: String? = nil
  ) -> ManualPage {
    typealias Section = ReferencePage.Section
    let first = commands.first
    var page = ReferencePage(
      name: noun ?? first?.name ?? "", summary: summary ?? first?.summary ?? "",
      usage: commands.flatMap { ReferencePage($0).usage }, sections: [])
    if noun == nil, commands.count == 1, let only = first {
      page.sections = ReferencePage(only).sections
      page.sections.removeLast()
      // A page of the manual has what a command does before its options.
      if let place = page.sections.firstIndex(where: { $0.title == "Details" }) {
        var details = page.sections.remove(at: place)
        details.title = "Description"
        page.sections.insert(details, at: 0)
      }
      page.sections.removeAll { $0.title == "Exit status" }
    } else {
      page.sections.append(Section(title: "Commands", blocks: []))
      page.sections += commands.map(ReferencePage.nested)
    }
    let codes = ReferencePage.codes(commands.flatMap(\.exitCodes))
    page.sections.append(
      Section(
        title: "Exit status",
        blocks: [
          .definitions(codes),
          .prose(.paragraph("`capsule`(1) has the options and exit statuses of all commands.")),
        ]))
    page.related = ["capsule(1)"]
    return ManualPage(page, commands)
  }

  private static func dates(_ commands: [Command]) -> ManualPage {
    var page = ReferencePage(
      name: "dates", summary: HelpTopic.dates.summary,
      usage: commands.flatMap { ReferencePage($0).usage }, sections: [])
    page.sections.append(.init(title: nil, blocks: HelpTopic.dates.blocks))
    page.sections.append(.init(title: "Repetition", blocks: HelpTopic.repetition.blocks))
    page.sections.append(.init(title: "Commands", blocks: []))
    page.sections += commands.map(ReferencePage.nested)
    page.related = ["capsule(1)"]
    return ManualPage(page, section: 7, commands)
  }
}

extension ReferencePage {
  /// A command as a part of a page.
  fileprivate static func nested(_ command: Command) -> Section {
    var blocks: [Block] = [.prose(.paragraph(sentence(command.summary)))]
    blocks += details(of: command)
    blocks.append(.definitions(operands(of: command) + options(of: command)))
    blocks.append(.examples(command.examples))
    return Section(title: "capsule " + command.name, isNested: true, blocks: blocks)
  }

  /// The page of the whole program.
  fileprivate init(programOf table: CommandTable, _ commands: [Command], _ pages: [String]) {
    let overview = ReferencePage(overviewOf: table)
    self.init(name: "", summary: overview.summary, usage: overview.usage, sections: [])
    sections.append(
      Section(
        title: "Description",
        blocks: Block.prose(of: HelpTopic.description)))
    sections.append(Section(title: "Commands", blocks: []))
    sections += overview.sections.prefix(table.visibleGroups.count).map { section in
      Section(title: section.title, isNested: true, blocks: section.blocks)
    }
    let titles = [
      (HelpTopic.options, "Options"), (.references, "Naming records"),
      (.json, "Output for scripts"),
      (.environment, "Environment"), (.files, "Files"), (.exitCodes, "Exit status"),
    ]
    sections += titles.map { topic, title in Section(title: title, blocks: topic.blocks) }
    sections.append(Section(title: "Commands of the program", blocks: []))
    sections += commands.map(Self.nested)
    sections.append(
      Section(
        title: "Examples",
        blocks: [
          .examples(
            ["create", "open", "check"].compactMap { table.command([$0])?.examples.first })
        ]))
    related = pages
  }

  /// The page about the files of a store.
  fileprivate static var store: ReferencePage {
    ReferencePage(
      name: "store", summary: "The files of a store and of this machine", usage: [],
      sections: [
        Section(
          title: "Description",
          blocks: Block.prose(
            of: """
              A store is a directory of JSON records and sealed files. Every record has a checksum. The \
              contents of capsules are files in the `age` format.

              Copy a store with `capsule backup`, or while no command changes it. Two machines exchange \
              changes with `capsule sync`.
              """
          )),
        Section(title: "Files of a store", blocks: [.definitions(HelpTopic.storeFiles)]),
        Section(title: "Files of this machine", blocks: HelpTopic.files.blocks),
      ], related: ["capsule(1)"])
  }
}
