import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct TZifTests {
  static func paris() throws -> [UInt8] {
    try require(TimeFixtures.read(TimeFixtures.directory + "zoneinfo/Europe/Paris"))
  }

  /// A file of version 1 with two types and two transitions.
  static func version1(
    transitions: [Int32] = [0, 100], indexes: [UInt8] = [1, 0], leapSeconds: UInt32 = 0,
    types: [(Int32, UInt8, UInt8)] = [(0, 0, 0), (3600, 1, 4)], names: String = "AAA\0BBB\0"
  ) -> [UInt8] {
    func big(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
    bytes += big(0) + big(0) + big(leapSeconds) + big(UInt32(transitions.count))
    bytes += big(UInt32(types.count)) + big(UInt32(names.utf8.count))
    for time in transitions { bytes += big(UInt32(bitPattern: time)) }
    bytes += indexes
    for (offset, flag, name) in types { bytes += big(UInt32(bitPattern: offset)) + [flag, name] }
    bytes += Array(names.utf8)
    return bytes + [UInt8](repeating: 0, count: Int(leapSeconds) * 8)
  }

  @Test func `a file of version 1 is read by its 32-bit data`() throws {
    let rules = try ZoneRules(tzif: Self.version1(transitions: [-100, 100]), identifier: nil)
    let abbreviations = [-101, -100, 99, 100, 5_000_000_000].map {
      rules.offset(at: Instant(seconds: $0)).abbreviation
    }
    expect(abbreviations, is: ["AAA", "BBB", "BBB", "AAA", "AAA"])
  }

  @Test func `each contradiction in a file has its own error`() throws {
    func error(_ bytes: [UInt8]) -> TZifProblem? {
      do {
        _ = try TZif(bytes)
        return nil
      } catch {
        guard case .damaged(let problem) = error else { return nil }
        return problem
      }
    }
    expect(error(Self.version1()) == nil)
    expect(error([]), is: .truncated)
    expect(error(Array("#!/bin/sh".utf8) + [UInt8](repeating: 32, count: 60)), is: .notTZif)
    expect(error(Array(Self.version1().dropLast())), is: .truncated)
    expect(error(Self.version1(transitions: [100, 100])), is: .unorderedTransitions)
    expect(error(Self.version1(transitions: [100, 0])), is: .unorderedTransitions)
    expect(error(Self.version1(indexes: [1, 2])), is: .badTypeIndex)
    expect(error(Self.version1(types: [(0, 2, 0), (0, 0, 0)])), is: .badType)
    expect(error(Self.version1(types: [(0, 0, 9), (0, 0, 0)])), is: .badType)
    expect(error(Self.version1(types: [(93_600, 0, 0), (0, 0, 0)])), is: .badType)
    expect(error(Self.version1(types: [(-90_000, 0, 0), (0, 0, 0)])), is: .badType)
    expect(error(Self.version1(names: "AAA\0BBBB")), is: .badType)
    expect(error(Self.version1(names: "\u{1b}AA\0BBB\0")), is: .badType)
    expect(error(Self.version1(types: [])), is: .badCounts)
    expect(error(Self.version1(leapSeconds: 1)), is: .leapSeconds)
    let paris = try Self.paris()
    expect(error(paris) == nil)
    expect(error(Array(paris.dropLast())), is: .truncated)
    expect(error(paris + [10]), is: .badFooter)
    expect(error(Array(paris.dropLast(4)) + Array("/x\n".utf8)), is: .badFooter)
  }

  @Test func `a file cut at any byte is an error`() throws {
    let bytes = try Self.paris()
    for count in 0..<bytes.count {
      expect(throws: ZoneError.self, "\(count) bytes") {
        try TZif(Array(bytes[..<count]))
      }
    }
  }

  @Test func `a file with any byte changed is an error or a zone, and never a crash`() throws {
    let bytes = try Self.paris()
    let masks: [UInt8] = TestScale.isFull ? [1, 2, 4, 8, 16, 32, 64, 128, 255] : [1, 128]
    let noon = try require(CivilDateTime(text: "2026-07-01T12:00:00"))
    for index in bytes.indices {
      for mask in masks {
        var damaged = bytes
        damaged[index] ^= mask
        guard let rules = try? ZoneRules(tzif: damaged, identifier: "X") else { continue }
        for seconds: Int64 in [.min, -3_000_000_000, 0, 2_000_000_000, 9_000_000_000, .max] {
          expect(abs(rules.offset(at: Instant(seconds: seconds)).seconds) < 94_000)
        }
        _ = rules.resolve(noon)
      }
    }
  }

  @Test func `a file with absurd numbers is an error or a zone, and never a crash`() throws {
    let bytes = try Self.paris()
    var random = SeededGenerator(seed: 64)
    let ends: [[UInt8]] = [
      [UInt8](repeating: 0xff, count: 8), [0x7f] + [UInt8](repeating: 0xff, count: 7),
      [0x80] + [UInt8](repeating: 0, count: 7), [UInt8](repeating: 0, count: 8),
    ]
    for _ in 0..<TestScale.count(full: 20_000, debug: 1_000) {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let value = ends.randomElement(using: &random) ?? []
        let count = [1, 4, 8].randomElement(using: &random) ?? 1
        let place = Int.random(in: 0...(damaged.count - count), using: &random)
        damaged.replaceSubrange(place..<(place + count), with: value.prefix(count))
      }
      guard let rules = try? ZoneRules(tzif: damaged, identifier: "X") else { continue }
      for seconds in TimeFixtures.extremes {
        _ = rules.resolve(rules.civil(at: Instant(seconds: seconds)))
      }
    }
  }

  @Test func `noise is never a zone and never a crash`() {
    var random = SeededGenerator(seed: 9636)
    for _ in 0..<TestScale.count(full: 20_000, debug: 1_000) {
      var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
      bytes += (0..<Int.random(in: 0...200, using: &random)).map { _ in
        Bool.random(using: &random) ? 0 : UInt8.random(in: 0...255, using: &random)
      }
      expect(throws: ZoneError.self) { try TZif(bytes) }
    }
  }
}

extension CivilDateTime {
  /// A local time from exactly `YYYY-MM-DDTHH:MM:SS`.
  init?(text: String) {
    guard let instant = Instant(rfc3339: text + "Z") else { return nil }
    self.init(secondsAsUTC: instant.seconds)
  }
}
