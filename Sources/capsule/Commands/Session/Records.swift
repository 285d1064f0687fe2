import CapsuleCore

/// The records that the words of a command line mean, and what is said of those that are damaged.
struct Records {
  let session: Session

  /// Finds the one record that a word means.
  ///
  /// - Parameter kinds: the kinds that it may be of.
  func find(
    _ reference: String, among kinds: [RecordKind], in store: Store
  ) throws -> FoundRecord {
    try find(reference, inTurn: [kinds], in: store)
  }

  /// Finds the one record that a word means among some kinds, among the next only where none of these
  /// has it, and so on.
  func find(
    _ reference: String, inTurn turns: [[RecordKind]], in store: Store
  ) throws -> FoundRecord {
    var finder = RecordFinder(store, now: session.now)
    return try find(reference, inTurn: turns, by: &finder, in: store)
  }

  /// Finds the one record that each word means.
  func find(
    _ references: [String], among kinds: [RecordKind], in store: Store
  ) throws -> [FoundRecord] {
    try find(references, inTurn: [kinds], in: store)
  }

  /// Finds the one record that each word means among some kinds, among the next only where none of these
  /// has it, and so on.
  func find(
    _ references: [String], inTurn turns: [[RecordKind]], in store: Store
  ) throws -> [FoundRecord] {
    var finder = RecordFinder(store, now: session.now)
    return try references.map { try find($0, inTurn: turns, by: &finder, in: store) }
  }

  private func find(
    _ reference: String, inTurn turns: [[RecordKind]], by finder: inout RecordFinder,
    in store: Store
  ) throws -> FoundRecord {
    do {
      return try finder.find(reference, inTurn: turns)
    } catch {
      let kinds = turns.flatMap(\.self)
      if let missing = error.cause as? Fault.NoSuchRecord,
        let found = try partly(reference, missing, among: kinds, by: &finder, in: store)
      {
        return found
      }
      throw failure(error, of: reference, besides: kinds, in: store)
    }
  }

  /// Finds the one record whose title holds a word that no record has as its title. To change a record somebody
  /// at the terminal says that it is the one; elsewhere only whole words are enough, and what may be an id of a
  /// record that is gone never is.
  private func partly(
    _ word: String, _ missing: Fault.NoSuchRecord, among kinds: [RecordKind],
    by finder: inout RecordFinder, in store: Store
  ) throws -> FoundRecord? {
    let part = word.trimmed
    guard !part.isEmpty, RecordID(part.lowercased()) == nil else { return nil }
    let asks = session.ask.isInteractive && session.options.form == .text
    let takesParts = session.isReading || asks
    let mayBeID =
      part.utf8.count >= RecordID.shortestPrefix
      && part.allSatisfy { $0 == "-" || $0.isHexDigit }
    guard takesParts || !missing.hasUnreadable && !mayBeID else { return nil }
    let (words, parts) = finder.find(part: part, among: kinds)
    let found = words.isEmpty && takesParts ? parts : words
    guard let only = found.first else { return nil }
    guard found.count == 1 else {
      var fault = Fault.severalRecords(word, found)
      fault.list = candidates(found, in: store, areShort: true)
      throw fault
    }
    guard !session.isReading else { return only }
    if asks {
      let isMeant = try session.ask.isYes(
        "'\(only.title)'?", isYesByDefault: true, unanswered: .noSuchRecord(word, among: kinds),
        ended: .canceled())
      guard isMeant else { throw Fault.canceled() }
    }
    return only
  }

  /// Finds a record of one kind and reads it.
  ///
  /// - Parameter intact: Whether its bytes must be those that were written, as for a change.
  func one<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store, intact: Bool = false
  ) throws -> StoredRecord<Model> {
    try read(type, find(reference, among: [Model.kind], in: store), in: store, intact: intact)
  }

  /// Finds records of one kind and reads them.
  ///
  /// - Parameter intact: Whether their bytes must be those that were written, as for a change.
  func all<Model: RecordModel>(
    _ type: Model.Type, _ references: [String], in store: Store, intact: Bool = false
  ) throws -> [StoredRecord<Model>] {
    try find(references, among: [Model.kind], in: store).map {
      try read(type, $0, in: store, intact: intact)
    }
  }

  private func read<Model: RecordModel>(
    _ type: Model.Type, _ found: FoundRecord, in store: Store, intact: Bool
  ) throws -> StoredRecord<Model> {
    let record = try store.read(type, found.id)
    if intact, let failure = failure(of: record, in: store) { throw failure }
    return record
  }

  /// Finds and reads a record, for a command that names it.
  func required<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, intact: Bool = false
  ) throws -> (store: Store, record: StoredRecord<Model>) {
    let store = try session.stores.required(for: reference, among: [Model.kind])
    return (store, try one(type, reference, in: store, intact: intact))
  }

  /// Returns what is wrong with a record that could be read although its bytes are not those that
  /// were written.
  func failure<Model: RecordModel>(
    of record: StoredRecord<Model>, in store: Store
  ) -> Fault? {
    record.integrity.map {
      .damaged($0, path: store.layout.record(Model.kind, record.model.header.id).text)
    }
  }

  /// Reports what is wrong with a record that is shown all the same.
  ///
  /// - Returns: the code that the command ends with.
  func report(damageOf record: StoredRecord<some RecordModel>, in store: Store) -> ExitCode {
    failure(of: record, in: store).map { session.console.report($0) } ?? .ok
  }

  /// Finds, changes and writes a record.
  ///
  /// - Parameter change: changes the model; it is called again where another process changed the record
  ///   meanwhile.
  func change<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store,
    _ change: (inout Model) throws -> Void
  ) throws -> RecordChange<Model> {
    let found = try find(reference, among: [Model.kind], in: store)
    return try store.change(type, found.id, now: session.now, change)
  }

  /// Does the same with blobs that the record names anew.
  ///
  /// - Parameter stage: takes the blobs in, and adds each to the array that it gets; it is called once.
  func change<Model: RecordModel, Staged>(
    _ type: Model.Type, _ reference: String, in store: Store,
    staging stage: (inout [StagedBlob]) throws -> Staged,
    _ change: (inout Model, Staged) throws -> Void
  ) throws -> RecordChange<Model> {
    let found = try find(reference, among: [Model.kind], in: store)
    return try store.change(type, found.id, now: session.now, staging: stage, change)
  }

  /// Reports what is wrong with an index, and warns of what lies between its records.
  ///
  /// - Returns: whether records are missing from the answer, or are not what was written.
  func warn(of index: inout RecordIndex, _ remarks: ListRemarks = ListRemarks()) -> Bool {
    for failure in index.failures { session.console.report(failure) }
    for stray in remarks.areOfStrays ? index.strays() : [] {
      session.console.warning(
        "'\(stray.text)' is not a record",
        hint: "move it away if it is a conflict copy of a sync program",
        details: ["path": stray.text.json])
    }
    let away = index.away()
    warn(ofAway: away)
    let problems = remarks.areOfListedOnly ? [] : index.problems().map(\.problem)
    return warn(of: problems, remarks.noun) || !index.failures.isEmpty || !away.isEmpty
  }

  /// Warns of records that iCloud has taken off this machine: they are in no answer.
  func warn(ofAway away: [FilePath]) {
    guard let first = away.first else { return }
    session.console.warning(
      away.count == 1
        ? "a record is only in iCloud, not on this machine: '\(first.text)'"
        : "\(away.count) records are only in iCloud, not on this machine, such as '\(first.text)'",
      hint: "download the folder of the store in Finder, and keep it downloaded",
      details: ["paths": away.map(\.text).json])
  }

  /// Warns where some records have a problem: they are not what was written, or the system does not let
  /// them be read.
  ///
  /// - Parameters:
  ///   - problems: those of the records, `.none` among them.
  ///   - noun: the word for the records.
  /// - Returns: whether some have one.
  func warn(of problems: some Sequence<IndexProblem>, _ noun: String) -> Bool {
    let problems = Set(problems).subtracting([.none])
    if problems.contains(.unreadable) {
      session.console.warning(
        "some \(noun) cannot be read",
        hint: "list them with the reason: capsule verify")
    }
    if !problems.isSubset(of: [.unreadable]) {
      session.console.warning(
        "some \(noun) are damaged",
        hint: "list the damage: capsule verify; then fix it: capsule repair")
    }
    return !problems.isEmpty
  }

  /// Warns of what is missing from a timeline.
  ///
  /// - Returns: whether anything is.
  func warn(of gaps: TimelineGaps?) -> Bool {
    guard let gaps, !gaps.isEmpty else { return false }
    for failure in gaps.failures { session.console.report(failure) }
    warn(ofAway: gaps.away)
    _ = warn(of: gaps.problems, "records")
    return true
  }

  /// Warns where some records of the trash have a problem.
  ///
  /// - Returns: whether some have.
  func warn(of entries: [TrashListing.Entry]) -> Bool {
    warn(of: entries.map(\.problem), "records")
  }

  /// Warns where too few holders are known to have their shares.
  func warn(of group: TrusteeGroup) {
    if group.leftCount < group.threshold {
      session.console.warning(
        "the trustees '\(group.name)' can no longer open anything: "
          + "\(String.counting(group.leftCount, "share is", "shares are")) left, and "
          + "\(group.threshold) are needed",
        hint: "make a new key: capsule trustees replace \(group.name.shellWord) --output DIR"
      )
      return
    }
    let wanted = group.confirmationsWanted
    guard group.leftCount >= wanted else {
      session.console.warning(
        "\(group.leftCount) of the \(group.shares.count) shares of '\(group.name)' are left; \(wanted) "
          + "are recommended",
        hint:
          "print new ones: capsule trustees renew \(group.name.shellWord) --output DIR; if somebody may have "
          + "found the lost one: capsule trustees replace \(group.name.shellWord) --output DIR")
      return
    }
    guard group.confirmedCount < wanted else { return }
    session.console.warning(
      "\(group.confirmedCount) of the \(group.shares.count) shares of '\(group.name)' "
        + "\(group.confirmedCount == 1 ? "is" : "are") confirmed; \(wanted) are recommended",
      hint:
        "ask the holders whether they have their shares, then note their answers: "
        + "capsule trustees confirm '\(group.name.quotedForShell)' HOLDER")
  }

  /// The groups of trustees that can be read, with each of the keys that they ever had.
  func trusteeKeys(in store: Store?) -> [TrusteeGroup] {
    trusteeGroups(in: store).flatMap(\.withFormer)
  }

  /// The groups of trustees that can be read.
  func trusteeGroups(in store: Store?) -> [TrusteeGroup] {
    store?.trustees.groups(now: session.now) ?? []
  }

  /// The people of a name, whatever its case.
  func beneficiaries(named name: String, in store: Store) -> [Brief<Beneficiary>] {
    var index = store.index.open(.beneficiary, now: session.now)
    let key = NameKey(name)
    return index.entries(nameHash: key.hash).compactMap { entry in
      Brief<Beneficiary>(entry)
    }
    .filter { NameKey($0.record.name) == key }
  }

  /// Returns a failure that says of a word that means no record, or several, what is there instead:
  /// the same name among other kinds, names that are near, or the records that it may mean, a line
  /// each. A record of another kind is never taken for it.
  ///
  /// - Parameter kinds: the kinds that were looked at.
  func failure(
    _ fault: Fault, of word: String, besides kinds: [RecordKind], in store: Store
  ) -> Fault {
    var failure = fault
    switch fault.code {
    case .noSuchRecord:
      let others = RecordKind.allCases.filter { !kinds.contains($0) }
      if let kind = others.first(where: { isMeant(word, $0, store) }) {
        failure.hint =
          "it is \(kind.wordWithArticle): \(kind.command(like: session.verb)) \(word.shellWord)"
        return failure
      }
      let near = store.queries.near(word, among: kinds, limit: 3, now: session.now)
      var titles: [String] = []
      for title in near.map({ "'\($0.title)'" }) where !titles.contains(title) {
        titles.append(title)
      }
      if titles.isEmpty { break }
      failure.hint = "did you mean \(titles.listed("or"))?"
      failure.details["near"] = near.map(\.members).json
    case .severalRecords:
      failure.list = candidates(fault.cause as? [FoundRecord] ?? [], in: store)
    default: break
    }
    return failure
  }

  /// Whether a word means a record of a kind, or several.
  private func isMeant(_ word: String, _ kind: RecordKind, _ store: Store) -> Bool {
    do {
      var finder = RecordFinder(store, now: session.now)
      _ = try finder.find(word, among: [kind])
      return true
    } catch {
      if error.code == .severalRecords { return true }
      return false
    }
  }

  /// The lines of what a word may mean: kind, title, date, id.
  ///
  /// - Parameter areShort: whether the starts of the ids are enough.
  private func candidates(
    _ found: [FoundRecord], in store: Store, areShort: Bool = false
  ) -> [String] {
    let shown = found.prefix(20)
    var table = Table([.init("KIND"), .init("TITLE"), .init("DATE"), .init("ID")], header: false)
    for record in shown {
      table.row(
        StyledText(record.kind.word), StyledText("'\(record.title)'"),
        StyledText(date(of: record, in: store)),
        StyledText(String(record.id.description.prefix(areShort ? 8 : .max))))
    }
    let more = found.count - shown.count
    return table.lines(width: .max).map(\.plain) + (more > 0 ? ["and \(more) more"] : [])
  }

  /// Returns the date by which a person can tell a record from another: when it unlocks, when it
  /// is, or when it was added.
  private func date(of record: FoundRecord, in store: Store) -> String {
    var index = store.index.open(record.kind, now: session.now)
    guard let entry = index.entry(record.id) else { return "" }
    switch record.kind {
    case .capsule:
      return Brief<Capsule>(entry).map {
        session.dates.text($0.digest.unlockAt)
      }
        ?? ""
    case .event:
      let calendar = session.dates.calendar(session.stores.settings(of: store))
      return Brief<Event>(entry)
        .map {
          session.dates.text(
            $0.record.timing.schedule(in: calendar).current(at: session.now)?.moment
              ?? $0.record.timing.moment)
        } ?? ""
    case .item, .beneficiary, .bequest, .trustees:
      return createdAt(of: entry, as: record.kind.model).map { session.dates.text($0) } ?? ""
    }
  }

  private func createdAt<Model: RecordModel>(
    of entry: IndexEntry, as type: Model.Type
  ) -> Instant? {
    Brief<Model>(entry)?.record.header.createdAt
  }
}

extension FoundRecord {
  /// The record in JSON, as answers and failures name it.
  var members: JSONObject { ["id": id.json, "kind": kind.rawValue.json, "title": title.json] }
}

/// The remarks of a list on standard error.
struct ListRemarks {
  /// Said where there is nothing, and nothing was left out.
  var whenEmpty: StyledText?
  /// The word for its records.
  var noun = "records"
  /// Whether it warns of files that are no records.
  var areOfStrays = true
  /// Whether it warns of damaged records only where they are in the list.
  var areOfListedOnly = false
}
