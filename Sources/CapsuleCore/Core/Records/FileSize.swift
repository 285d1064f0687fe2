/// The sizes of files as records hold them.
enum FileSize {
  /// The most bytes that a file may be said to have: 8 PiB, as many as every reader of JSON counts exactly.
  static let most: Int64 = 1 << 53
  /// The largest limit in bytes that may be set for files that are taken in: one below ``most``, as JSON of
  /// this program has no integer from 2^53 on.
  static let largestLimit = most - 1
}

/// A number of bytes as people write it: `500MB`, `1 GiB`, `1024`.
package enum SizeExpression {
  private static let units: [(String, Int64)] = [
    ("b", 1), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000),
    ("pb", 1_000_000_000_000_000),
    ("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("t", 1 << 40), ("p", 1 << 50),
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
    ("pib", 1 << 50),
  ]

  /// Reads a whole number and a unit: none or B, kB MB GB TB PB in thousands, K M G T P and KiB MiB
  /// GiB TiB PiB in 1024s. Case does not matter. `nil` for anything else, and beyond 63 bits.
  package static func bytes(_ text: String) -> Int64? {
    let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int64(String(digits) ?? "") else { return nil }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
    if unit.isEmpty { return digits.count == text.utf8.count ? number : nil }
    guard let factor = units.first(where: { $0.0 == unit })?.1 else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : bytes
  }
}
