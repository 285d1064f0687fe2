/// Addresses and numbers as people write them, not as an RFC allows them.
extension Beneficiary {
  /// Checks that a text is empty or can be an email address.
  package static func check(email text: String) throws(RecordFault) {
    guard text.isEmpty || isEmailAddress(text) else { throw .invalid(.email, text) }
  }

  /// Checks that a text is empty or can be a phone number.
  package static func check(phone text: String) throws(RecordFault) {
    guard text.isEmpty || isPhoneNumber(text) else { throw .invalid(.phone, text) }
  }

  /// Whether a text can be an email address: one `@` with something on both sides, no white space,
  /// no control and no invisible characters, at most ``nameLimit`` bytes. None begins with a hyphen, `|` or `/`:
  /// programs that carry mail have taken such for an option, a command and a file.
  package static func isEmailAddress(_ text: String) -> Bool {
    guard text.utf8.count <= nameLimit, let first = text.utf8.first, !"-|/".utf8.contains(first)
    else { return false }
    let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate,
        .unassigned:
        false
      default: true
      }
    }
  }

  /// Whether a text can be a phone number: ASCII digits, `+ - ( ) . /` and spaces, then perhaps an
  /// extension after `ext`, `ext.`, `extension`, `x` or `#`; at most 100 bytes.
  package static func isPhoneNumber(_ text: String) -> Bool {
    guard text.utf8.count <= 100 else { return false }
    let lower = text.lowercased()
    let number = lower.prefix { $0.isASCII && ($0.isNumber || "+-(). /".contains($0)) }
    guard number.contains(where: \.isNumber) else { return false }
    var rest = lower[number.endIndex...]
    if rest.isEmpty { return true }
    for word in ["extension", "ext.", "ext", "x", "#"] where rest.hasPrefix(word) {
      rest = rest.dropFirst(word.count)
      let digits = rest.drop { $0 == " " }
      return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
    return false
  }
}
