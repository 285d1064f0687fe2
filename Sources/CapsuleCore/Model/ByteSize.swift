/// A number of bytes as people write it: `500MB`, `1 GiB`, `1024`.
public struct ByteSize: Hashable, Sendable {
  public let bytes: Int64

  public init(bytes: Int64) {
    self.bytes = bytes
  }

  private static let units: [(String, Int64)] = [
    ("b", 1), ("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("tb", 1_000_000_000_000),
    ("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("t", 1 << 40),
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40),
  ]

  /// Reads a whole number and a unit: none or B, kB MB GB TB in thousands, K M G T and KiB MiB GiB
  /// TiB in 1024s. Case does not matter.
  public init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
    guard let number = Int64(digits) else { return nil }
    let factor: Int64
    if unit.isEmpty {
      factor = 1
    } else {
      guard let known = Self.units.first(where: { $0.0 == unit }) else { return nil }
      factor = known.1
    }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  /// In the largest unit of 1024s that is not below one, with one digit behind the point: `1.4 MiB`.
  public var description: String {
    guard bytes >= 1024 else { return "\(bytes) B" }
    var unit: Int64 = 1024
    var names = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
    while bytes / unit >= 1024, names.count > 1 {
      unit <<= 10
      names = names.dropFirst()
    }
    let whole = bytes / unit
    let tenth = (bytes % unit) / (unit / 10 + 1)
    return whole >= 100 || tenth == 0
      ? "\(whole) \(names.first ?? "")" : "\(whole).\(tenth) \(names.first ?? "")"
  }
}
