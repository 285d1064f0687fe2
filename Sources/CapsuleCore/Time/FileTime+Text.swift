extension FileTime {
  /// RFC 3339 in UTC, with nine digits of fraction where there are nanoseconds.
  package var rfc3339: String {
    let whole = Instant(seconds: seconds).rfc3339
    guard nanoseconds != 0 else { return whole }
    let digits = String(nanoseconds)
    let padding = String(repeating: "0", count: 9 - digits.count)
    return "\(whole.dropLast()).\(padding)\(digits)Z"
  }

  /// Reads what `rfc3339` writes.
  package init?(rfc3339 text: String) {
    guard let dot = text.firstIndex(of: ".") else {
      guard let instant = Instant(rfc3339: text) else { return nil }
      self.init(seconds: instant.seconds)
      return
    }
    let fraction = text[text.index(after: dot)...].dropLast()
    guard text.last == "Z", fraction.utf8.count == 9,
      fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let nanoseconds = Int64(fraction), let instant = Instant(rfc3339: String(text[..<dot]) + "Z")
    else { return nil }
    self.init(seconds: instant.seconds, nanoseconds: nanoseconds)
  }
}
