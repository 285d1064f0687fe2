import CapsuleCore

/// A field that options of a kind's commands set.
struct KindField<Record: RecordModel>: Sendable {
  /// The options of `add`, and those of `edit`.
  let adding: Parameters
  let editing: Parameters
  /// The name of the member, and its text, by which a change is told; `nil` where it is not.
  let told: (name: String, text: @Sendable (Record) -> String)?
  /// Puts what was given into a record, or refuses it.
  let set: @Sendable (Invocation, Session, inout Record) throws -> Void
  /// The words of a record, each of which has a line in the editor.
  private(set) var words: (@Sendable (Record) -> [String])?
  /// Its label on the page of a record, and its lines there; empty ones are left out. `nil` where the page shows it in
  /// another way.
  private(set) var row: (label: String, lines: @Sendable (Record, Session) -> [String])?

  /// The field with a row on the page that has the text by which changes are told.
  func row(_ label: String) -> KindField {
    row(label) { record, _ in [told?.text(record) ?? ""] }
  }

  /// The field with a row on the page.
  func row(
    _ label: String, _ lines: @escaping @Sendable (Record, Session) -> [String]
  ) -> KindField {
    var field = self
    field.row = (label, lines)
    return field
  }

  /// Returns its line for the editor; `nil` where only options set it.
  func line(of record: Record) -> EditSheet.Field? {
    guard let option = editing.first, option.valueName != nil else { return nil }
    if let words { return .init(option, .words(words(record), removing: editing[1])) }
    return told.map { .init(option, .value($0.text(record))) }
  }

  /// - Parameters:
  ///   - option: its option, in `add` and in `edit`.
  ///   - more: the options that only `edit` has.
  init(
    _ option: (any ParameterDeclaration)?, editing more: Parameters = [],
    told: (name: String, text: @Sendable (Record) -> String)? = nil,
    _ set: @escaping @Sendable (Invocation, inout Record) throws -> Void
  ) {
    adding = [option].compactMap(\.self)
    editing = adding + more
    self.told = told
    self.set = { invocation, _, record in try set(invocation, &record) }
  }

  /// - Parameters:
  ///   - option: its option, in `add` and in `edit`.
  ///   - set: is given the session too, for what the settings say of it.
  init(
    inSession option: any ParameterDeclaration,
    told: (name: String, text: @Sendable (Record) -> String)? = nil,
    _ set: @escaping @Sendable (Invocation, Session, inout Record) throws -> Void
  ) {
    (adding, editing) = ([option], [option])
    self.told = told
    self.set = set
  }

  /// A date, as people write it; an empty text and `none` are no date.
  ///
  /// - Parameter preference: the side of today on which a date without a year is.
  init(
    date option: Parameter<String?>, member: String, preferring preference: WhenParser.Preference,
    _ path: any (WritableKeyPath<Record, CivilDate?> & Sendable)
  ) {
    adding = [option]
    editing = [option]
    told = (member, { $0[keyPath: path]?.description ?? "" })
    set = { invocation, session, record in
      guard let text = invocation[option] else { return }
      if text.isEmpty || text == "none" { return record[keyPath: path] = nil }
      let when = try session.dates.read(text, option: option.term, preferring: preference)
      record[keyPath: path] = when.date ?? session.zone.civil(at: when.instant).date
    }
  }

  /// A text.
  ///
  /// - Parameters:
  ///   - option: its option; that of `edit` alone with `isEditedOnly`.
  ///   - keep: returns the text as it is kept, or refuses it.
  static func text(
    _ option: Parameter<String?>, member: String? = nil, isEditedOnly: Bool = false,
    _ path: any (WritableKeyPath<Record, String> & Sendable),
    _ keep: @escaping @Sendable (String) throws -> String = { $0.trimmed }
  ) -> KindField {
    KindField(
      isEditedOnly ? nil : option, editing: isEditedOnly ? [option] : [],
      told: (member ?? option.name, { $0[keyPath: path] })
    ) { invocation, record in
      if let text = invocation[option] { record[keyPath: path] = try keep(text) }
    }
  }

  /// Words, of which one option adds one and another one, of `edit`, takes one away, whatever its case.
  static func words(
    _ adding: Parameter<[String]>, removing: Parameter<[String]>, member: String,
    _ path: any (WritableKeyPath<Record, [String]> & Sendable)
  ) -> KindField {
    var field = KindField(
      adding, editing: [removing],
      told: (member, { $0[keyPath: path].joined(separator: ", ") })
    ) { invocation, record in
      for word in invocation[adding] where !record[keyPath: path].contains(word) {
        record[keyPath: path].append(word)
      }
      let removed = invocation[removing].map { NameKey($0) }
      record[keyPath: path].removeAll { removed.contains(NameKey($0)) }
    }
    field.words = { $0[keyPath: path] }
    return field
  }
}
