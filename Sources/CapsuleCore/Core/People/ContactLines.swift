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

  mutating func takeEmail() throws(VCardFault.Cause) -> String {
    mainEmail = try best("EMAIL") { property throws(VCardFault.Cause) in
      Beneficiary.isEmailAddress(try email(property))
    }
    guard let mainEmail else { return "" }
    return try email(mainEmail)
  }

  mutating func takePhone() throws(VCardFault.Cause) -> String {
    mainPhone = try best("TEL") { property throws(VCardFault.Cause) in
      guard !property.isFax, !property.types.contains("pager") else { return false }
      return Beneficiary.isPhoneNumber(try phone(property))
    }
    guard let mainPhone else { return "" }
    return try phone(mainPhone)
  }

  /// Returns all other ways, a line each behind its kind.
  func text() throws(VCardFault.Cause) -> String {
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
    return lines.joined(separator: "\n")
  }

  /// Returns the preferred property of those that can be used, else the first.
  private func best(
    _ name: String, _ isUsable: (ContentProperty) throws(VCardFault.Cause) -> Bool
  ) throws(VCardFault.Cause) -> ContentProperty? {
    var best: ContentProperty?
    for property in reading.properties(name) where try isUsable(property) {
      if best.map({ property.preference < $0.preference }) ?? true { best = property }
    }
    return best
  }

  private func email(_ property: ContentProperty) throws(VCardFault.Cause) -> String {
    let text = try reading.text(property)
    return text.behind("mailto:") ?? text
  }

  /// Returns a number as people write it; a `tel:` URI (RFC 3966) is made one.
  private func phone(_ property: ContentProperty) throws(VCardFault.Cause) -> String {
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
