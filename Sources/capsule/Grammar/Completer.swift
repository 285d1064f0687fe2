import CapsuleCore

/// A finder of the words that may stand at the end of a command line that is being typed: the parser's walk over the
/// words before has come to what may follow.
struct Completer: Sendable {
  private let table: CommandTable
  private let scanner: Scanner
  /// The word that is being typed.
  private let typed: [UInt8]

  /// - Parameter words: the words after `capsule`; the last one is being typed and may be empty.
  init(_ table: CommandTable, _ words: [[UInt8]]) {
    self.table = table
    typed = words.last ?? []
    var scanner = Scanner(words.dropLast(), table)
    repeat { scanner.scan() } while scanner.enter() != nil
    self.scanner = scanner
  }

  /// The store that the words before name.
  var store: FilePath? { scanner.invocation[GlobalOptions.store] }

  /// One word that may stand there.
  struct Candidate: Hashable, Sendable {
    var value: String
    var meaning: String

    init(_ value: String, _ meaning: String = "") {
      self.value = value
      self.meaning = meaning
    }
  }

  /// The words that a shell is to offer.
  enum Offer: Hashable, Sendable {
    case candidates([Candidate])
    case paths
    case directories
    /// Words of the store, each of them behind `lead` (`--option=` or nothing).
    case dynamic(Completion.Source, prefix: String, lead: String)
  }

  /// The words that may stand at the place of the one that is being typed.
  var offer: Offer {
    let current = String(decoding: typed, as: UTF8.self)
    if let owed = scanner.owed {
      return offer(owed.completion, prefix: current, lead: "", help: owed.help)
    }
    if !scanner.optionsEnded, typed.first == UInt8(ascii: "-") { return offerOption(current) }
    guard let command = scanner.command else {
      let candidates = scanner.noun.map(verbs) ?? firstWords
      return .candidates(candidates.filter { $0.value.hasPrefix(current) })
    }
    let before = scanner.invocation.words
    let operands = command.operands
    let last = operands.last.flatMap { $0.isRepeatable ? $0 : nil }
    guard let operand = before.count < operands.count ? operands[before.count] : last else {
      return .candidates([])
    }
    if operand.completion == .dynamic(.settingValue) {
      let name = before.last.map { String(decoding: $0, as: UTF8.self) }
      let key = Setting.all.first { $0.name == name }
      if key == .trustees {
        return offer(.dynamic(.trustees), prefix: current, lead: "", help: operand.help)
      }
      return .candidates(key.map { values(of: $0, current) } ?? [])
    }
    return offer(operand.completion, prefix: current, lead: "", help: operand.help)
  }

  private func offerOption(_ current: String) -> Offer {
    if case (let name, let value?)? = Scanner.longOption(typed) {
      guard let option = scanner.option(name), option.valueName != nil else {
        return .candidates([])
      }
      return offer(
        option.completion, prefix: String(decoding: value, as: UTF8.self), lead: "--\(name)=",
        help: option.help)
    }
    return .candidates(
      scanner.options.filter { $0.isRepeatable || !scanner.invocation.has($0) }
        .map { Candidate("--" + $0.name, $0.help) }.filter { $0.value.hasPrefix(current) })
  }

  private func offer(
    _ completion: Completion, prefix: String, lead: String, help: String
  ) -> Offer {
    switch completion {
    case .nothing: .candidates([])
    case .path: .paths
    case .directory: .directories
    case .choices(let choices):
      .candidates(choices.filter { $0.hasPrefix(prefix) }.map { Candidate(lead + $0, help) })
    case .dynamic(.topic):
      .candidates(
        (firstWords + table.topics.map { Candidate($0.name, $0.summary) })
          .filter { $0.value.hasPrefix(prefix) })
    case .dynamic(let source): .dynamic(source, prefix: prefix, lead: lead)
    }
  }

  /// Returns the values of a setting; of columns those that are not named yet, behind those that are.
  private func values(of key: Setting, _ current: String) -> [Candidate] {
    let named = key.isOfColumns ? current.parts(at: ",").dropLast() : []
    let lead = named.map { $0 + "," }.joined()
    return key.choices.filter { !named.contains($0) && (lead + $0).hasPrefix(current) }
      .map { Candidate(lead + $0, key.summary) }
  }

  private var firstWords: [Candidate] {
    table.firstWords.map { word in
      Candidate(word, table.command([word])?.summary ?? table.noun(word)?.summary ?? "")
    }
  }

  private func verbs(of noun: CommandGroup) -> [Candidate] {
    noun.visibleCommands.map { Candidate($0.path.last ?? "", $0.summary) }
      + [Candidate("help", "Show help on these commands")]
  }
}

/// The words that only a run of the program can offer a shell: those of the store.
struct StoreWords {
  let store: Store
  /// The words begin with this, in capitals or not.
  let prefix: String
  let session: Session

  /// Finds every word of the source that begins with the prefix.
  ///
  /// A failure is passed over in silence: a shell shows no errors.
  func candidates(_ source: Completion.Source) -> [Completer.Candidate] {
    switch source {
    case .topic, .settingValue: []
    case .capsule, .event, .record, .dated, .item, .beneficiary, .bequest, .trustees:
      records(source.kinds)
    case .bequeathable: records(source.kinds, saysWhen: false)
    case .trash: trash
    case .tag:
      words(of: .capsule) { entry in
        Brief<Capsule>(entry)?.record.tags ?? []
      }
    case .category:
      words(of: .item) { entry in
        [Brief<Item>(entry, through: "category")?.record.category ?? ""].filter { !$0.isEmpty }
      }
    }
  }

  /// Returns the titles of records of these kinds, and ids from the second digit on. A title that
  /// several have, that a shell could not give back, or that would be an option or somebody's home in
  /// its place is offered by its id.
  ///
  /// - Parameter saysWhen: Whether a capsule is shown with its unlock time instead of its kind.
  private func records(
    _ kinds: [RecordKind], saysWhen: Bool = true
  ) -> [Completer.Candidate] {
    let names = RecordNames(store, now: session.now)
    return kinds.flatMap { kind in
      var index = store.index.open(kind, now: session.now)
      var found: [(entry: IndexEntry, title: String)] = []
      walk(&index) { entry in
        let title = names.title(of: entry, kind)
        let isShown = kind != .capsule || !saysWhen || !entry.summary.isEmpty
        if isShown, begins(title) { found.append((entry, title)) }
        return found.count < Self.limit
      }
      var counts: [NameKey: Int] = [:]
      for record in found { counts[NameKey(record.title), default: 0] += 1 }
      var candidates = found.map { entry, title in
        guard isPlain(title), title.utf8.first != UInt8(ascii: "-"),
          title.utf8.first != UInt8(ascii: "~"), counts[NameKey(title)] == 1
        else { return Completer.Candidate(short(entry.id), title) }
        // Capsules are sorted by their unlock times.
        let when = kind == .capsule && saysWhen
        return Completer.Candidate(
          title, when ? session.dates.relative(Instant(seconds: entry.sortKey)) : kind.word)
      }
      guard prefix.utf8.count >= 2 else { return candidates }
      for entry in index.entries(idPrefix: prefix, limit: Self.limit) {
        let id = prefix.utf8.count > 8 ? entry.id.description : short(entry.id)
        candidates.append(Completer.Candidate(id, names.title(of: entry, kind)))
      }
      return candidates
    }
  }

  /// Returns words that records of a kind have, with how many of them have each.
  private func words(
    of kind: RecordKind, _ words: (IndexEntry) -> [String]
  ) -> [Completer.Candidate] {
    var index = store.index.open(kind, now: session.now)
    var counts: [String: Int] = [:]
    walk(&index) { entry in
      for word in words(entry) where isPlain(word) && begins(word) {
        counts[word, default: 0] += 1
      }
      return true
    }
    return counts.sorted { $0.key < $1.key }.map {
      Completer.Candidate($0.key, .counting($0.value, kind.word, kind.plural))
    }
  }

  private var trash: [Completer.Candidate] {
    let records = RecordKind.allCases.flatMap { (try? store.trash.records($0)) ?? [] }
    return records.filter { $0.id.description.hasPrefix(prefix.lowercased()) }.prefix(Self.limit)
      .map { record in
        let when = session.dates.relative(record.deletedAt)
        return Completer.Candidate(short(record.id), "\(record.kind.rawValue), deleted \(when)")
      }
  }

  /// The most words that a shell is offered.
  private static let limit = 200
  /// The longest search, in nanoseconds: a key press must not wait.
  private static let patience: Int64 = 30_000_000

  /// Hands over the entries, the last in the order first, until `body` has enough or time is up.
  private func walk(
    _ index: inout RecordIndex, _ body: (IndexEntry) -> Bool
  ) {
    let end = session.host.monotonicClock() + Self.patience
    var count = 0
    index.forEach(.descending) { entry in
      count += 1
      if count.isMultiple(of: 256), session.host.monotonicClock() > end { return false }
      return body(entry)
    }
  }

  private func begins(_ text: String) -> Bool {
    prefix.isEmpty || text.lowercased().hasPrefix(prefix.lowercased())
  }

  /// Whether a word is one line without characters that act or hide, which a shell gives back as it is.
  private func isPlain(_ word: String) -> Bool {
    !word.isEmpty && SafeText.line(word) == word
  }

  private func short(_ id: RecordID) -> String {
    String(id.description.prefix(8))
  }
}

extension Completion.Source {
  /// The kinds of the records that a word of it names; none where it names something else.
  var kinds: [RecordKind] {
    switch self {
    case .topic, .settingValue, .trash, .tag, .category: []
    case .capsule, .event, .item, .beneficiary, .bequest, .trustees:
      RecordKind(rawValue: rawValue).map { [$0] } ?? []
    case .record: RecordKind.allCases
    case .dated: [.capsule, .event, .item]
    case .bequeathable: Bequest.subjectKinds
    }
  }
}
