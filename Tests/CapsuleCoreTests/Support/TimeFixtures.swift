import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore

/// The zone files and tables beside the tests.
enum TimeFixtures {
  static let directory: String = {
    let parts = #filePath.split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/") + "/Vectors/time/"
  }()

  /// The zones of the fixtures, which do not change with the machine.
  static let zones = ZoneDatabase { read(directory + "zoneinfo/" + $0) }

  static func zone(_ name: String) throws -> ZoneRules {
    name == "UTC" ? .utc : try zones.rules(named: name)
  }

  static func instant(_ text: String) throws -> Instant {
    try require(Instant(rfc3339: text))
  }

  static func read(_ path: String) -> [UInt8]? {
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
