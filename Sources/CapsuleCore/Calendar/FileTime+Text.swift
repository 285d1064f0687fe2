extension FileTime {
  /// The time in RFC 3339 and UTC, with nine digits of fraction where there are nanoseconds.
  package var rfc3339: String {
    let whole = Instant(seconds: seconds).rfc3339
    guard nanoseconds != 0 else { return whole }
    let digits = String(nanoseconds)
    let padding = String(repeating: "0", count: 9 - digits.count)
    return "\(whole.dropLast()).\(padding)\(digits)Z"
  }

  /// Reads the form that `rfc3339` writes.
  package init?(rfc3339 text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1 else {
      guard let instant = Instant(rfc3339: text) else { return nil }
      self.init(seconds: instant.seconds)
      return
    }
    let digits = parts[1].dropLast()
    guard parts.count == 2, parts[1].last == UInt8(ascii: "Z"), digits.count == 9,
      digits.allSatisfy(\.isASCIIDigit), let nanoseconds = Int64(Substring(digits)),
      let instant = Instant(rfc3339: String(Substring(parts[0])) + "Z")
    else { return nil }
    self.init(seconds: instant.seconds, nanoseconds: nanoseconds)
  }
}
