import CapsuleCalendar
import CapsulePlatform
import RoomTestHelpers
import TestSupport
import Testing

/// The zones of the machine that runs the tests, against Python's reading of the same files.
@Suite struct ZoneMachineTests {
  static let directory = ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"].first {
    access($0 + "/Europe/Paris", R_OK) == 0
  }

  /// What `Vectors/time/zones.py` prints; `nil` when there is no Python with zoneinfo.
  static func oracle(stride: Int) -> String? {
    guard let directory else { return nil }
    let script = TimeFixtures.directory + "zones.py"
    guard let run = try? Python.run([script, directory, String(stride)]), run.end == .exited(0)
    else { return nil }
    return run.out
  }

  @Test func `every zone of the machine is read as Python reads it, at every change of its clocks`()
    throws
  {
    guard let directory = Self.directory, let text = Self.oracle(stride: TestScale.isFull ? 1 : 20)
    else {
      print("SKIPPED: no zone files or no python3 with zoneinfo, the zones are not compared")
      return
    }
    let zones = ZoneDatabase { TimeFixtures.read(directory + "/" + $0) }
    var zone = ZoneRules.utc
    var (zoneCount, offsets, fits) = (0, 0, [String: Int]())
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      switch fields.first {
      case "@":
        zone = try zones.rules(named: String(fields[1]))
        zoneCount += 1
      case "o":
        let type = zone.offset(at: Instant(seconds: try require(Int64(fields[1]))))
        if "o \(fields[1]) \(type.seconds) \(type.abbreviation)" != line {
          Issue.record("\(zone.identifier): \(line), not \(type)")
        }
        offsets += 1
      default:
        let seconds = try require(Int64(fields[1]))
        let resolved = zone.resolve(CivilDateTime(secondsAsUTC: seconds))
        let fit = "\(resolved.fit)".prefix { $0 != "(" }
        if "l \(seconds) \(resolved.instant.seconds) \(fit)" != line {
          Issue.record("\(zone.identifier): \(line), not \(resolved)")
        }
        fits[String(fit), default: 0] += 1
      }
    }
    let gaps = fits["gap"] ?? 0
    let doubles = fits["twice"] ?? 0
    print(
      "zones: \(zoneCount) zones, \(offsets) offsets, \(fits["unique"] ?? 0) plain local times, "
        + "\(gaps) in gaps, \(doubles) that come twice")
    expect(zoneCount >= (TestScale.isFull ? 300 : 25))
    expect(gaps > 100 && doubles > 100)
  }
}
