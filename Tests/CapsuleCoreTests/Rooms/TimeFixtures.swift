package import CapsuleAge
import CapsulePlatform
import TestSupport
import Testing

/// The zone files and tables beside the tests.
package enum TimeFixtures {
  /// Seconds at the ends of what an instant can hold.
  package static let extremes: [Int64] = [
    .min, .min + 1, -9_000_000_000_000_000, -62_135_596_801, -62_135_596_800, -1, 0,
    2_000_000_000, 253_402_300_799, 253_402_300_800, 9_000_000_000_000_000, .max - 1, .max,
  ]

  package static let directory: String = {
    let parts = #filePath.split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/") + "/Vectors/time/"
  }()

  /// The zones of the fixtures, which do not change with the machine.
  package static let zones = ZoneDatabase { read(directory + "zoneinfo/" + $0) }

  package static func zone(_ name: String) throws -> ZoneRules {
    name == "UTC" ? .utc : try zones.rules(named: name)
  }

  package static func instant(_ text: String) throws -> Instant {
    try require(Instant(rfc3339: text))
  }

  package static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return ferror(file) == 0 ? bytes : nil }
      bytes += buffer[..<count]
    }
  }
}
