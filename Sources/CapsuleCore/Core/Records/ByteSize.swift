/// Sizes for people.
package enum ByteSize {
  /// Returns at most three digits and a unit of 1024: `812 B`, `1.4 KiB`, `20 MiB`.
  package static func text(_ bytes: Int64) -> String {
    if bytes.magnitude < 1_024 { return "\(bytes) B" }
    let sign = bytes < 0 ? "-" : ""
    // In tenths of a KiB, without 10 times what may be the largest number.
    var tenths = bytes.magnitude / 1_024 * 10 + bytes.magnitude % 1_024 * 10 / 1_024
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
      if tenths < 100 { return "\(sign)\(tenths / 10).\(tenths % 10) \(unit)" }
      if tenths < 10_240 { return "\(sign)\(tenths / 10) \(unit)" }
      tenths /= 1_024
    }
    return "\(sign)\(tenths / 10) PiB"
  }
}
