import CapsuleCore

/// Records as commands answer with them: in lists, and after a change.
struct Answers {
  let session: Session

  /// Answers with a list of one kind's records, streamed.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none, which answers as an empty one does.
  ///   - columns: The columns of the table; asked for when it is written.
  func list<Query: RecordQuery, View: RecordView>(
    _ query: Query, in store: Store?, _ invocation: Invocation, _ remarks: ListRemarks,
    columns: @autoclosure @escaping () -> [RowColumn<View>],
    view: @escaping (Query.Row) -> View
  ) -> Answer {
    if let store { session.stores.warnOfFindings(in: store) }
    var index = store?.index.open(Query.kind, now: session.now, look: .filesOfFew(256))
    var isPartial = false
    if var known = index.take() {
      isPartial = session.records.warn(of: &known, remarks)
      index = known
    }
    var isEmpty = true
    var problems: Set<IndexProblem> = []
    func each(_ body: (View) -> Bool) {
      // The index is taken out while it is used, so that it is not copied.
      guard let store, var known = index.take() else { return }
      query.forEach(in: &known, of: store) { row in
        let record = view(row)
        isEmpty = false
        problems.insert(record.problem)
        return body(record)
      }
      index = known
    }
    let isPlain = invocation[ListOptions.plain]
    let answer = Answer(
      each: each, ending: isEmpty && invocation[ListOptions.exitCode] ? .none : .ok,
      writingJSON: { view, writer in view.write(to: &writer) }
    ) { out in
      let shown = columns()
      out.table(shown.map(\.head), plain: isPlain) { body in
        each { body($0.cells(shown)) }
      }
    }
    return (isPlain ? answer : answer.paged())
      .noting(isEmpty && !isPartial ? remarks.whenEmpty : nil)
      .then { code in
        let isDamaged =
          remarks.areOfListedOnly && session.records.warn(of: problems, remarks.noun)
        return isDamaged || isPartial ? .partial : code
      }
  }

  /// Returns the columns of a list: on a terminal those that a setting names, in its order.
  ///
  /// - Parameters:
  ///   - columns: Those of the list where nothing was set.
  ///   - more: Others that may be named.
  func columns<View: RecordView>(
    _ columns: [RowColumn<View>], more: [RowColumn<View>], _ key: Setting,
    _ settings: StoreSettings
  ) -> [RowColumn<View>] {
    guard settings.isSet(key), session.isForPeople else { return columns }
    let all = columns + more
    let named = settings.columns(key).compactMap { name in all.first { $0.name == name } }
    // The columns beneath each thing are asked for by a setting of their own.
    let beneath = columns.filter { column in
      column.head.room == .beneath && !named.contains { $0.name == column.name }
    }
    return named.map(\.inRow.kept) + beneath
  }

  /// Returns the settings that shape output: those of the store for a person, and none for a program.
  func inUse(_ settings: StoreSettings) -> StoreSettings {
    session.isForPeople ? settings : StoreSettings()
  }

  /// Whether the settings ask for the details of each thing in a list.
  func showsDetails(_ settings: StoreSettings) -> Bool {
    settings.showsDetails && session.isForPeople
  }

  /// Notes as a list shows them: programs get all of them, a person their first line, with a sign where there
  /// are more.
  func shown(notes: String) -> String {
    guard session.isForPeople else { return notes }
    let lines = notes.split(whereSeparator: \.isNewline)
    return notes.firstLine + (lines.count > 1 ? " …" : "")
  }

  /// The id as a list shows it: programs get all of it; eight digits are enough for a person.
  func shown(_ id: RecordID) -> StyledText {
    let text = id.description
    return StyledText(session.isForPeople ? String(text.prefix(8)) : text, .dim)
  }
}

/// The change of one field of a record: the answer of the `edit` commands.
struct FieldChange: Sendable {
  let field: String
  let from: String
  let to: String

  /// Finds the fields that differ, in the order given.
  ///
  /// - Parameter fields: each field's name, and a function that shows its value.
  static func between<Model>(
    _ old: Model, _ new: Model, _ fields: [(String, (Model) -> String)]
  ) -> [FieldChange] {
    fields.compactMap { field, text in
      let (from, to) = (text(old), text(new))
      if isSame(from, to) { return nil }
      return FieldChange(field: field, from: from, to: to)
    }
  }

  var members: JSONObject {
    ["field": field.json, "from": from.json, "to": to.json]
  }

  /// The change in one line for people: of several lines those that went and came; an empty text is
  /// `none`.
  var line: StyledText {
    let (old, new) = (Self.lines(from), Self.lines(to))
    let before = zip(old, new).prefix { Self.isSame($0, $1) }.count
    let most = min(old.count, new.count) - before
    let after = zip(old.reversed(), new.reversed()).prefix(most).prefix { Self.isSame($0, $1) }
      .count
    let gone = old[before..<(old.count - after)]
    let come = new[before..<(new.count - after)]
    let change: String
    if from.isEmpty || to.isEmpty || !(gone.isEmpty || come.isEmpty) {
      change =
        "\(from.isEmpty ? "none" : Self.text(gone)) → \(to.isEmpty ? "none" : Self.text(come))"
    } else {
      change = come.isEmpty ? "removed: \(Self.text(gone))" : "added: \(Self.text(come))"
    }
    return "  \(Self.words(of: field), .dim)  \(change)"
  }

  /// The most lines that are shown of each side.
  private static let mostLines = 4

  /// Returns a text in one line.
  static func shortened(_ text: String) -> String { Self.text(lines(text)[...]) }

  private static func text(_ lines: ArraySlice<String>) -> String {
    let shown = lines.prefix(mostLines).map { line in
      RecipientText.isMarkedHybrid(line) ? RecipientText.shortened(line) : line
    }
    let rest = lines.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  /// The name of a member as people read it: `replacement value` for `replacementValue`, `card UID` for
  /// `cardUID`.
  static func words(of field: String) -> String {
    let scalars = Array(field.unicodeScalars)
    func isCapital(_ place: Int) -> Bool {
      scalars.indices.contains(place) && scalars[place].properties.isUppercase
    }
    return scalars.indices.reduce(into: "") { words, place in
      if isCapital(place), !isCapital(place - 1) { words += " " }
      let scalar = scalars[place]
      let isOfAbbreviation = isCapital(place - 1) || isCapital(place + 1)
      words += isOfAbbreviation ? String(scalar) : scalar.properties.lowercaseMapping
    }
  }

  /// Whether two texts have the same bytes: two spellings of a character are equal as strings.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }
}

extension Invocation {
  /// Refuses an edit that names nothing to be changed.
  func requireAny(of options: Parameters, _ session: Session) throws {
    guard options.contains(where: has) else {
      throw Fault.usage(
        "no changes given", hint: "list the options: capsule help \(session.verb)")
    }
  }
}
