/// A person as a vCard describes them, as far as a beneficiary has a place for it.
package struct ContactCard: Hashable, Sendable {
  /// The physical line of its `BEGIN:VCARD`.
  package let line: Int
  package let uid: String?
  /// `FN`, else made of `N`, else the organisation's, else the nickname; on one line.
  package let name: String
  /// Whether it has no name, and is called by its address or number.
  package let isNamedByAddress: Bool
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
      + ["X-SOCIALPROFILE", "NICKNAME", "RELATED", "X-ABRELATEDNAMES", "X-ABDATE"]
      + Self.kinds + ContactLines.anniversaries + Array(ContactLines.relations.keys)
      + Array(ContactLines.chatServices.keys))

  /// The properties that say whether it is of a person or of several.
  private static let kinds = ["KIND", "X-ADDRESSBOOKSERVER-KIND"]

  init(_ card: VCardProperties) throws(Fault) {
    let reading = CardReading(card)
    line = card.line
    for kind in Self.kinds where try reading.first(kind).lowercased() == "group" {
      throw Fault(VCardFault.Cause.group)
    }
    let uid = try Self.limited(try reading.first("UID"), "UID", Beneficiary.cardUIDLimit)
    self.uid = uid.isEmpty ? nil : uid
    var lines = ContactLines(reading)
    email = try lines.takeEmail()
    phone = try lines.takePhone()
    let name = try reading.name()
    isNamedByAddress = name.isEmpty
    self.name = try Self.limited(
      name.isEmpty ? email.isEmpty ? phone : email : name, "FN", Beneficiary.nameLimit)
    guard !self.name.isEmpty else { throw Fault(VCardFault.Cause.noName) }
    contact = try lines.text()
    notes = try reading.all("NOTE").joined(separator: "\n")
    let keys = try reading.all("X-AGE-RECIPIENT")
    let recipients = keys + (try reading.all("KEY")).filter { $0.behind("age1") != nil }
    recipient = recipients.first(where: RecipientText.isUsable)?.lowercased() ?? ""
    hasUnusableRecipient = recipient.isEmpty && !recipients.isEmpty
  }

  private static func limited(
    _ text: String, _ property: String, _ limit: Int
  ) throws(Fault) -> String {
    let text = text.onOneLine
    guard text.utf8.count <= limit else {
      throw Fault(VCardFault.Cause.tooLong(property: property, limit: limit))
    }
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

  func text(_ property: ContentProperty) throws(Fault) -> String {
    guard let text = property.text(card.escapes) else { throw charset(of: property) }
    return text.trimmed
  }

  /// Returns the parts of a structured value, with `joint` between the elements of one.
  func components(
    _ property: ContentProperty, joint: String
  ) throws(Fault) -> [String] {
    guard let parts = property.components(card.escapes, joint: joint) else {
      throw charset(of: property)
    }
    return parts
  }

  private func charset(of property: ContentProperty) -> Fault {
    Fault(VCardFault.Cause.charset(property.charset ?? "", line: property.line))
  }

  /// Returns the texts that are not empty, the preferred one first, otherwise in the card's order.
  func all(_ name: String) throws(Fault) -> [String] {
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

  func first(_ name: String) throws(Fault) -> String {
    try all(name).first ?? ""
  }

  /// Returns the person's name, or the organisation's; empty where there is none.
  func name() throws(Fault) -> String {
    let formatted = try first("FN")
    if !formatted.isEmpty { return formatted }
    if let property = properties("N").first {
      let parts = try components(property, joint: " ")
      // Family, given, additional, prefixes, suffixes, as people say them.
      let spoken = [3, 1, 2, 0, 4].compactMap { parts.indices.contains($0) ? parts[$0] : nil }
        .filter { !$0.isEmpty }
      if !spoken.isEmpty { return spoken.joined(separator: " ") }
    }
    let organization = try organization()
    return organization.isEmpty ? try first("NICKNAME") : organization
  }

  func organization() throws(Fault) -> String {
    guard let property = properties("ORG").first else { return "" }
    return try components(property, joint: ", ").filter { !$0.isEmpty }
      .joined(separator: ", ").onOneLine
  }

  /// Returns the words for the kind of an address, `home` or the user's own; empty for none.
  func label(of property: ContentProperty) throws(Fault) -> String {
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

/// The ways to reach a person that a card names: one email address and one number of their own, all
/// else as lines that people can read.
struct ContactLines {
  private let reading: CardReading
  private var mainEmail: ContentProperty?
  private var mainPhone: ContentProperty?

  init(_ reading: CardReading) { self.reading = reading }

  /// The names of the services that have a property of their own, by that property.
  static let chatServices: [String: String] = [
    "X-AIM": "AIM", "X-ICQ": "ICQ", "X-JABBER": "Jabber", "X-MSN": "MSN", "X-YAHOO": "Yahoo",
    "X-SKYPE": "Skype", "X-SKYPE-USERNAME": "Skype", "X-GOOGLE-TALK": "Google Talk",
    "X-GTALK": "Google Talk", "X-QQ": "QQ", "X-GADUGADU": "Gadu-Gadu", "X-MATRIX": "Matrix",
    "X-TWITTER": "Twitter", "X-GROUPWISE": "GroupWise", "X-SIP": "SIP", "X-SIGNAL": "Signal",
    "X-TELEGRAM": "Telegram", "X-WHATSAPP": "WhatsApp", "X-EVOLUTION-VIDEO-URL": "Video",
  ]

  /// The properties that name a wedding day.
  static let anniversaries = [
    "ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-KADDRESSBOOK-X-ANNIVERSARY",
  ]
  /// How somebody else is related, by the property that names them.
  static let relations: [String: String] = [
    "X-SPOUSE": "spouse", "X-EVOLUTION-SPOUSE": "spouse",
    "X-KADDRESSBOOK-X-SPOUSESNAME": "spouse", "X-MANAGER": "manager",
    "X-EVOLUTION-MANAGER": "manager", "X-KADDRESSBOOK-X-MANAGERSNAME": "manager",
    "X-ASSISTANT": "assistant", "X-EVOLUTION-ASSISTANT": "assistant",
    "X-KADDRESSBOOK-X-ASSISTANTSNAME": "assistant",
  ]

  mutating func takeEmail() throws(Fault) -> String {
    mainEmail = try best("EMAIL") { property throws(Fault) in
      Beneficiary.isEmailAddress(try email(property))
    }
    guard let mainEmail else { return "" }
    return try email(mainEmail)
  }

  mutating func takePhone() throws(Fault) -> String {
    mainPhone = try best("TEL") { property throws(Fault) in
      guard !property.isFax, !property.types.contains("pager") else { return false }
      return Beneficiary.isPhoneNumber(try phone(property))
    }
    guard let mainPhone else { return "" }
    return try phone(mainPhone)
  }

  /// Returns all other ways, a line each behind its kind.
  func text() throws(Fault) -> String {
    var lines: [String] = []
    var seen: Set<String> = []
    func add(_ title: String, _ label: String, _ text: String) {
      let line = (label.isEmpty ? "\(title): " : "\(title) (\(label)): ") + text.onOneLine
      if !text.isEmpty, seen.insert(line).inserted { lines.append(line) }
    }
    for property in reading.properties("EMAIL") where property != mainEmail {
      add("Email", try reading.label(of: property), try email(property))
    }
    for property in reading.properties("TEL") where property != mainPhone {
      let title = property.isFax ? "Fax" : "Phone"
      add(title, try reading.label(of: property), try phone(property))
    }
    let addresses = reading.properties("ADR")
    for property in addresses {
      let parts = try reading.components(property, joint: ", ").prefix(7)
      let text = parts.filter { !$0.isEmpty }.map(Self.commaSeparated).joined(separator: ", ")
      let delivered = property.parameters["LABEL"]?.first.map(Self.commaSeparated) ?? ""
      add("Address", try reading.label(of: property), text.isEmpty ? delivered : text)
    }
    if addresses.isEmpty {
      for property in reading.properties("LABEL") {
        let text = Self.commaSeparated(try reading.text(property))
        add("Address", try reading.label(of: property), text)
      }
    }
    for property in reading.properties("URL") {
      add("Web", try reading.label(of: property), try reading.text(property))
    }
    for property in reading.card.all {
      switch property.name {
      case "IMPP":
        let service = property.parameters["X-SERVICE-TYPE"] ?? property.parameters["SERVICE-TYPE"]
        let words = [service?.first ?? "", try reading.label(of: property)].filter { !$0.isEmpty }
        add("Chat", words.joined(separator: ", "), try reading.text(property))
      case "SOCIALPROFILE", "X-SOCIALPROFILE":
        let service = property.parameters["SERVICE-TYPE"]?.first
        let label = try reading.label(of: property)
        add("Profile", service ?? label, try reading.text(property))
      default:
        guard let service = Self.chatServices[property.name] else { continue }
        add(service, try reading.label(of: property), try reading.text(property))
      }
    }
    let organization = try reading.organization()
    if organization != (try reading.name()).onOneLine { add("Organisation", "", organization) }
    for (property, title) in [("TITLE", "Title"), ("ROLE", "Role")] {
      add(title, "", try reading.first(property))
    }
    if let property = reading.properties("BDAY").first {
      add("Birthday", "", CardDate.text(try reading.text(property), property))
    }
    for property in reading.card.all {
      let text = try reading.text(property)
      switch property.name {
      case "NICKNAME" where text != (try reading.name()): add("Nickname", "", text)
      case "X-ABDATE":
        let label = try reading.label(of: property)
        add(
          label == "anniversary" ? "Anniversary" : "Date", label == "anniversary" ? "" : label,
          CardDate.text(text, property))
      // The card of somebody else, which a UID alone names, says nothing to a reader.
      case "RELATED", "X-ABRELATEDNAMES":
        if text.behind("urn:") == nil { add("Related", try reading.label(of: property), text) }
      case let name where Self.anniversaries.contains(name):
        add("Anniversary", "", CardDate.text(text, property))
      default:
        if let relation = Self.relations[property.name] { add("Related", relation, text) }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the preferred property of those that can be used, else the first.
  private func best(
    _ name: String, _ isUsable: (ContentProperty) throws(Fault) -> Bool
  ) throws(Fault) -> ContentProperty? {
    var best: ContentProperty?
    for property in reading.properties(name) where try isUsable(property) {
      if best.map({ property.preference < $0.preference }) ?? true { best = property }
    }
    return best
  }

  private func email(_ property: ContentProperty) throws(Fault) -> String {
    let text = try reading.text(property)
    return text.behind("mailto:") ?? text
  }

  /// Returns a number as people write it; a `tel:` URI (RFC 3966) is made one.
  private func phone(_ property: ContentProperty) throws(Fault) -> String {
    var text = try reading.text(property)
    if let number = text.behind("tel:") {
      let parts = number.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
      text = parts.first ?? ""
      for part in parts.dropFirst() {
        if let number = part.behind("ext=") { text += " ext. \(number)" }
      }
    }
    return PhoneText.plain(text)
  }

  private static func commaSeparated(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { String($0).trimmed }
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A number without the characters that programs put into it for looks.
private enum PhoneText {
  static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x2010...0x2015, 0x2212, 0xfe63, 0xff0d: plain.append("-")
      case 0xff10...0xff19:
        plain.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value - 0xff10 + 0x30)))
      case 0xff0b: plain.append("+")
      default:
        switch scalar.properties.generalCategory {
        case .spaceSeparator: plain.append(" ")
        // Apple puts directional marks around a number.
        case .format: continue
        default: plain.append(scalar)
        }
      }
    }
    return String(plain).onOneLine
  }
}

/// A day as people say it: `6 May 1970`, `6 May`.
private enum CardDate {
  /// Returns the day; the text as it stands where it is no date of a day (RFC 6350 §4.3.1).
  static func text(_ text: String, _ property: ContentProperty) -> String {
    let day = text.utf8.prefix { $0 != UInt8(ascii: "T") && $0 != UInt8(ascii: " ") }
    let hyphen = UInt8(ascii: "-")
    guard day.allSatisfy({ $0.isASCIIDigit || $0 == hyphen }) else { return text }
    let digits = String(decoding: day.filter { $0 != hyphen }, as: UTF8.self)
    let isYearless = day.starts(with: [hyphen, hyphen]) && digits.utf8.count == 4
    guard isYearless || digits.utf8.count == 8,
      let month = Int(digits.suffix(4).prefix(2)).flatMap(Month.init(rawValue:)),
      let number = Int(digits.suffix(2)), (1...31).contains(number)
    else { return text }
    let name = "\(number) \(month.name)"
    let year = isYearless ? "" : String(digits.prefix(4))
    // Apple writes a year that it says is none; others write 0000.
    let omitted = property.parameters["X-APPLE-OMIT-YEAR"]?.first
    return year.isEmpty || year == omitted || year == "0000" ? name : "\(name) \(year)"
  }
}
