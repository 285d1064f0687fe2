@testable import CapsuleCore

/// Whatever a rule says, it is written as it was read, ten years of it take no more than their days, and both ways
/// through them agree.
///
/// The first byte chooses the clocks, the second the first time; behind them is the rule.
func fuzzRecurrence(_ input: [UInt8]) {
  guard input.count > 2,
    let rule = try? RecurrenceRule(String(decoding: input[2...], as: UTF8.self))
  else { return }
  require((try? RecurrenceRule(rule.description)) == rule, "a rule is read back as it was written")
  let zones: [ZoneRules?] = [
    nil, .utc, ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"),
    ZoneRules(posix: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
  ]
  let zone = zones[Int(input[0] % 4)]
  // From November 2023 on, 37 hours and a quarter apart: leap days, ends of years, and hours that clocks skip.
  let anchor = CivilDateTime(secondsAsUTC: 1_700_000_100 + Int64(input[1]) * 134_100)
  guard
    let set = RecurrenceSet(from: anchor, in: zone, occursFirst: input[0] & 4 == 0, rules: [rule])
  else { return require(false, "a series has a rule") }
  let start = Instant(seconds: anchor.secondsAsUTC - 2 * 86_400)
  let end = start.adding(seconds: 3653 * 86_400)
  var walk = set.occurrences(from: start, through: end)
  var found: [RecurrenceSet.Occurrence] = []
  var count = 0
  while let next = walk.next() {
    count += 1
    if found.count < 2000 { found.append(next) }
    if found.count > 1 {
      require(
        found[found.count - 2].place <= found[found.count - 1].place, "occurrences are in order")
    }
  }
  require(count <= 3655 * RecurrenceRule.largestPerDay + 1, "no day has more than its bound")
  require(walk.steps <= 3 * 3660, "ten years are no more than their days")
  guard let last = found.last else { return }
  var back = set.occurrences(before: last.place.adding(seconds: 1), from: start)
  for occurrence in found.reversed() {
    require(back.next() == occurrence, "both ways agree")
  }
  require(back.next() == nil, "both ways begin with the same")
  // Its end is found, and what is said in words has the same dates.
  _ = set.last
  if let words = Recurrence(rule, from: anchor, isAllDay: zone == nil, leapDay: .february28),
    let (other, first) = words.rule(from: anchor.date, leapDay: .february28)
  {
    require(first == anchor.date, "a rule in words begins with the first time")
    let said = RecurrenceSet(from: anchor, in: zone, occursFirst: true, rules: [other])
    let rest = RecurrenceSet(from: anchor, in: zone, occursFirst: true, rules: [rule.withoutEnd])
    require(
      said?.occurrences().prefix(200).map(\.key) == rest?.occurrences().prefix(200).map(\.key),
      "a rule in words has the same dates")
  }
}
