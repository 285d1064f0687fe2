/// A person as a vCard describes them, as far as a beneficiary has a place for it.
package struct ContactCard: Hashable, Sendable {
  /// The physical line of its `BEGIN:VCARD`.
  package let line: Int
  package let uid: String?
  /// `FN`, else made of `N`, else the organisation's; on one line.
  package let name: String
  /// The preferred address, else the first; empty for none that can be one.
  package let email: String
  /// The preferred number, else the first; empty for none. A fax or a pager is none.
  package let phone: String
  /// Every other way to reach the person, and the facts that distinguish two of one name: a line
  /// each.
  package let contact: String
  /// An age recipient: from `X-AGE-RECIPIENT`, or a `KEY` that is one.
  package let recipient: String
  package let notes: String
  /// Whether the card's recipient is none, and was left out.
  package let hasUnusableRecipient: Bool

  /// The properties that are asked for.
  static let properties: Set<String> = Set(
    ["FN", "N", "ORG", "TITLE", "ROLE", "EMAIL", "TEL", "ADR", "LABEL", "URL", "IMPP", "NOTE"]
      + ["BDAY", "UID", "KEY", "X-AGE-RECIPIENT", "X-ABLABEL", "SOCIALPROFILE"]
      + ["X-SOCIALPROFILE"] + Array(ContactLines.chatServices.keys))

  init(_ card: VCardProperties) throws(VCardFault.Cause) {
    let reading = CardReading(card)
    line = card.line
    name = try Self.limited(try reading.name(), "FN", Beneficiary.nameLimit)
    guard !name.isEmpty else { throw .noName }
    let uid = try Self.limited(try reading.first("UID"), "UID", Beneficiary.cardUIDLimit)
    self.uid = uid.isEmpty ? nil : uid
    var lines = ContactLines(reading)
    email = try lines.takeEmail()
    phone = try lines.takePhone()
    contact = try lines.text()
    notes = try reading.all("NOTE").joined(separator: "\n")
    let keys = try reading.all("X-AGE-RECIPIENT")
    let recipients = keys + (try reading.all("KEY")).filter { $0.behind("age1") != nil }
    recipient = recipients.first(where: RecipientText.isUsable)?.lowercased() ?? ""
    hasUnusableRecipient = recipient.isEmpty && !recipients.isEmpty
  }

  private static func limited(
    _ text: String, _ property: String, _ limit: Int
  ) throws(VCardFault.Cause) -> String {
    let text = text.onOneLine
    guard text.utf8.count <= limit else { throw .tooLong(property: property, limit: limit) }
    return text
  }
}

/// The texts of a card's properties.
struct CardReading {
  let card: VCardProperties
  /// Apple's labels, by their group.
  private let labels: [String: ContentProperty]

  init(_ card: VCardProperties) {
    self.card = card
    var labels: [String: ContentProperty] = [:]
    for property in card.all where property.name == "X-ABLABEL" {
      labels[property.group] = property
    }
    self.labels = labels
  }

  func properties(_ name: String) -> [ContentProperty] {
    card.all.filter { $0.name == name }
  }

  func text(_ property: ContentProperty) throws(VCardFault.Cause) -> String {
    do throws(UnknownCharset) {
      return try property.text(card.escapes).trimmed
    } catch {
      throw .charset(error.name, line: error.line)
    }
  }

  /// Returns the parts of a structured value, with `joint` between the elements of one.
  func components(
    _ property: ContentProperty, joint: String
  ) throws(VCardFault.Cause) -> [String] {
    do throws(UnknownCharset) {
      return try property.components(card.escapes, joint: joint)
    } catch {
      throw .charset(error.name, line: error.line)
    }
  }

  /// Returns the texts that are not empty, the preferred one first, otherwise in the card's order.
  func all(_ name: String) throws(VCardFault.Cause) -> [String] {
    let ordered = properties(name).enumerated().sorted {
      ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset)
    }
    var texts: [String] = []
    for (_, property) in ordered {
      let text = try text(property)
      if !text.isEmpty { texts.append(text) }
    }
    return texts
  }

  func first(_ name: String) throws(VCardFault.Cause) -> String {
    try all(name).first ?? ""
  }

  /// Returns the person's name, or the organisation's; empty where there is none.
  func name() throws(VCardFault.Cause) -> String {
    let formatted = try first("FN")
    if !formatted.isEmpty { return formatted }
    if let property = properties("N").first {
      let parts = try components(property, joint: " ")
      // Family, given, additional, prefixes, suffixes, as people say them.
      let spoken = [3, 1, 2, 0, 4].compactMap { parts.indices.contains($0) ? parts[$0] : nil }
        .filter { !$0.isEmpty }
      if !spoken.isEmpty { return spoken.joined(separator: " ") }
    }
    return try organization()
  }

  func organization() throws(VCardFault.Cause) -> String {
    guard let property = properties("ORG").first else { return "" }
    return try components(property, joint: ", ").filter { !$0.isEmpty }
      .joined(separator: ", ").onOneLine
  }

  /// Returns the words for the kind of an address, `home` or the user's own; empty for none.
  func label(of property: ContentProperty) throws(VCardFault.Cause) -> String {
    if !property.group.isEmpty, let own = labels[property.group] {
      let label = try text(own).onOneLine
      // Apple's own words stand in brackets.
      if let word = label.behind("_$!<"), word.utf8.suffix(4).elementsEqual(">!$_".utf8) {
        return String(decoding: word.utf8.dropLast(4), as: UTF8.self).lowercased()
      }
      if !label.isEmpty { return label }
    }
    var words: [String] = []
    for type in property.types where !Self.silentTypes.contains(type) {
      let isFax = type.utf8.suffix(3).elementsEqual("fax".utf8)
      let word =
        type == "cell"
        ? "mobile" : isFax ? String(decoding: type.utf8.dropLast(3), as: UTF8.self) : type
      if words.count < 6, !words.contains(word) { words.append(word) }
    }
    return words.joined(separator: " ")
  }

  /// Types that mean nothing to a reader.
  private static let silentTypes: Set = [
    "pref", "internet", "voice", "x400", "dom", "intl", "postal", "parcel", "text", "fax", "",
  ]
}
