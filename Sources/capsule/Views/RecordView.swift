import CapsuleCore

/// A record as lists and JSON show it.
protocol RecordView {
  var id: RecordID { get }
  /// The damage of the record.
  var problem: IndexProblem { get }
  /// Whether a list shows only its id and state, because nothing else of it can be read.
  var isBlank: Bool { get }

  /// Writes the members of the object, for all commands that have the record in their answer, in
  /// the order of their keys.
  func writeMembers(to writer: inout some MemberWriter)
}

extension RecordView {
  var isBlank: Bool { false }

  /// The members of the object.
  var members: JSONObject {
    var members = JSONObject()
    writeMembers(to: &members)
    return members
  }

  /// Writes the object, for long lists.
  func write(to writer: inout JSONTextWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  /// Returns the cells of its row in a list.
  func cells(_ columns: [RowColumn<Self>]) -> [StyledText] {
    guard isBlank else { return columns.map { $0.cell(self) } }
    let shown = columns.lastIndex { Self.isShownBlank($0) }.map { $0 + 1 } ?? 0
    return columns.prefix(shown).map { Self.isShownBlank($0) ? $0.cell(self) : "" }
  }

  /// Whether a column has something to show where nothing but the id can be read.
  private static func isShownBlank(_ column: RowColumn<Self>) -> Bool {
    ["id", "state"].contains(column.name)
  }
}

extension Session {
  /// Returns the columns of a list: on a terminal those that a setting names, in its order.
  ///
  /// - Parameters:
  ///   - columns: Those of the list where nothing was set.
  ///   - more: Others that may be named.
  func columns<View: RecordView>(
    _ columns: [RowColumn<View>], more: [RowColumn<View>], _ key: Setting,
    _ settings: StoreSettings
  ) -> [RowColumn<View>] {
    guard settings.isSet(key), isForPeople else { return columns }
    let all = columns + more
    let named = settings.columns(key).compactMap { name in all.first { $0.name == name } }
    // The columns beneath each thing are asked for by a setting of their own.
    let beneath = columns.filter { column in
      column.head.room == .beneath && !named.contains { $0.name == column.name }
    }
    return named.map(\.inRow) + beneath
  }
}

extension RowColumn where Row: RecordView {
  static func id(_ session: Session) -> RowColumn {
    RowColumn("ID") { session.shownID($0.id) }
  }
}

extension Session {
  /// Whether the settings ask for the details of each thing in a list.
  func showsDetails(_ settings: StoreSettings) -> Bool { settings.showsDetails && isForPeople }

  /// Notes as a list shows them: programs get all of them, a person their first line, with a sign where there
  /// are more.
  func shownNotes(_ notes: String) -> String {
    guard isForPeople else { return notes }
    let lines = notes.split(whereSeparator: \.isNewline)
    return notes.firstLine + (lines.count > 1 ? " …" : "")
  }

  /// The id as a list shows it: programs get all of it; eight digits are enough for a person.
  func shownID(_ id: RecordID) -> StyledText {
    let text = id.description
    return StyledText(isForPeople ? String(text.prefix(8)) : text, .dim)
  }

  /// Answers with a record that was made or changed: its object, with `--quiet` its id alone, or the
  /// lines that `text` writes.
  func answer(
    _ members: JSONObject, _ id: RecordID, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    try render(json: .object(members)) { out in
      if isQuiet { out.line("\(id.description)") } else { text(out) }
    }
  }
}

extension IndexProblem {
  /// The mark of a record in lists; `nil` for none.
  var mark: StyledText? {
    switch self {
    case .none: nil
    case .newer: StyledText("newer", .yellow)
    // What the system refuses to read is no damage.
    case .unreadable: StyledText("unreadable", .boldRed)
    default: StyledText("damaged", .boldRed)
    }
  }

  /// The name of the problem in JSON; `nil` for none.
  var jsonName: String? {
    switch self {
    case .none: nil
    case .notRegularFile: "notAFile"
    case .tooLarge: "tooLarge"
    case .unreadable: "unreadable"
    case .altered: "altered"
    case .newer: "newer"
    default: "damaged"
    }
  }
}
