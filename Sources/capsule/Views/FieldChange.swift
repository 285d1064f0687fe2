import CapsuleCore

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
    ["field": .string(field), "from": .string(from), "to": .string(to)]
  }

  /// The change in one line for people, with the first line that differs; an empty text is `none`.
  var line: StyledText {
    let (old, new) = (Self.lines(from), Self.lines(to))
    let place = zip(old, new).prefix { Self.isSame($0, $1) }.count
    func shown(_ lines: [String]) -> String {
      if lines == [""] { return "none" }
      let line = place < lines.count ? lines[place] : ""
      return RecipientText.isMarkedHybrid(line) ? RecipientText.shortened(line) : line
    }
    return "  \(Self.words(of: field), .dim)  \(shown(old)) → \(shown(new))"
  }

  /// The name of a member as people read it: `replacement value` for `replacementValue`, `card UID` for
  /// `cardUID`.
  private static func words(of field: String) -> String {
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
  func requireAny(of options: [any OptionDeclaration], _ session: Session) throws {
    guard options.contains(where: has) else {
      throw Failure.usage(
        "nothing is named to be changed", hint: "'capsule help \(session.verb)' shows what can be")
    }
  }
}

extension Session {
  /// Answers with a record that was edited, and with what changed.
  func answer(
    _ members: JSONObject, _ id: RecordID, _ title: StyledText, with changes: [FieldChange]
  ) throws -> ExitCode {
    if changes.isEmpty { console.note("Nothing changed.") }
    var members = members
    members["changes"] = .array(changes.map { .object($0.members) })
    return try answer(members, id) { out in
      if changes.isEmpty { return }
      out.line("Changed '\(title)' \(id.description)")
      for change in changes { out.line(change.line) }
    }
  }
}
