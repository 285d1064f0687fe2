/// Sizes for people.
package enum ByteSize {
  /// At most three digits and a unit of 1024: `812 B`, `1.4 KiB`, `20 MiB`.
  package static func text(_ bytes: Int64) -> String {
    if bytes.magnitude < 1_024 { return "\(bytes) B" }
    var tenths = bytes * 10 / 1_024
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
      if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
      if tenths < 10_240 { return "\(tenths / 10) \(unit)" }
      tenths /= 1_024
    }
    return "\(tenths / 10) PiB"
  }
}
