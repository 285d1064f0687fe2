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

  private static func text(_ lines: ArraySlice<String>) -> String {
    let shown = lines.prefix(mostLines).map { line in
      RecipientText.isMarkedHybrid(line) ? RecipientText.shortened(line) : line
    }
    let rest = lines.count - shown.count
    return shown.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
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
  func requireAny(of options: Parameters, _ session: Session) throws {
    guard options.contains(where: has) else {
      throw Failure.usage(
        "nothing is named to be changed", hint: "'capsule help \(session.verb)' shows what can be")
    }
  }
}
