/// Some days of a year, by their index from 0, as bits: what recurrence rules are evaluated with.
struct YearDays: Hashable, Sendable {
  // 384 of the 512 bits are used: a year has 366 days, and its last week goes on for six more.
  private var words = SIMD8<UInt64>()

  /// The words that can have a day.
  private static let wordCount = 6

  init() {}

  init(_ range: Range<Int>) {
    insert(range)
  }

  /// The days of a year that fall on some days of the week.
  ///
  /// - Parameter week: seven bits, the lowest of which says whether the year's first day is one of them.
  init(repeating week: UInt64) {
    for word in 0..<Self.wordCount {
      let phase = UInt64(word * 64 % 7)
      let rotated = (week >> phase | week << (7 - phase)) & 127
      // Ten copies beside each other, of which the last has room for one bit.
      words[word] = rotated &* 0x8102_0408_1020_4081
    }
  }

  mutating func insert(_ day: Int) {
    words[day >> 6] |= 1 << UInt64(day & 63)
  }

  /// Inserts a range; days before the year are left out.
  mutating func insert(_ range: Range<Int>) {
    var day = max(range.lowerBound, 0)
    while day < range.upperBound {
      let count = min(64 - day & 63, range.upperBound - day)
      words[day >> 6] |= (~0 >> UInt64(64 - count)) << UInt64(day & 63)
      day += count
    }
  }

  /// Inserts the days whose bits are set, the lowest being `start`; days before the year are left out.
  mutating func insert(bits: UInt64, at start: Int) {
    let bits = start < 0 ? bits >> UInt64(-start) : bits
    let start = max(start, 0)
    let shift = UInt64(start & 63)
    words[start >> 6] |= bits << shift
    if shift > 0 { words[start >> 6 + 1] |= bits >> (64 - shift) }
  }

  mutating func formIntersection(_ other: YearDays) {
    words &= other.words
  }

  func contains(_ day: Int) -> Bool {
    words[day >> 6] >> UInt64(day & 63) & 1 == 1
  }

  var isEmpty: Bool { words == SIMD8() }

  var count: Int {
    var count = 0
    for word in 0..<Self.wordCount { count += words[word].nonzeroBitCount }
    return count
  }

  /// Returns how many days there are before one.
  func count(before day: Int) -> Int {
    var count = 0
    for word in 0..<day >> 6 { count += words[word].nonzeroBitCount }
    return count + (words[day >> 6] & ~(~0 << UInt64(day & 63))).nonzeroBitCount
  }

  /// Returns the first of the days from one on.
  // Hot: each occurrence of a rule is found with it.
  func first(from day: Int) -> Int? {
    var word = day >> 6
    guard word < Self.wordCount else { return nil }
    var bits = words[word] & (~0 << UInt64(day & 63))
    while bits == 0 {
      word += 1
      guard word < Self.wordCount else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  /// Returns the last of the days up to one.
  func last(through day: Int) -> Int? {
    guard day >= 0 else { return nil }
    var word = day >> 6
    var bits = words[word] & (~0 >> UInt64(63 - day & 63))
    while bits == 0 {
      word -= 1
      guard word >= 0 else { return nil }
      bits = words[word]
    }
    return word << 6 + 63 - bits.leadingZeroBitCount
  }

  /// Returns a day by its number among all, 0 being the first; `nil` where there are not so many.
  func day(_ number: Int) -> Int? {
    var number = number
    for word in 0..<Self.wordCount {
      var bits = words[word]
      let count = bits.nonzeroBitCount
      guard number < count else {
        number -= count
        continue
      }
      for _ in 0..<number { bits &= bits - 1 }
      return word << 6 + bits.trailingZeroBitCount
    }
    return nil
  }
}

/// A year of the calendar, as rules look at it: days are counted from 1 January, which is 0, and days of
/// the week from Monday, which is 0.
struct RuleYear: Hashable, Sendable {
  let number: Int
  /// 1 January in days since 1970-01-01.
  let start: Int
  let isLeap: Bool
  /// The day of the week of 1 January.
  let weekday: Int

  /// 365 or 366.
  var length: Int { isLeap ? 366 : 365 }

  /// A year from 1 to 9999.
  init(_ number: Int) {
    self.number = number
    let before = number - 1
    start = before * 365 + before / 4 - before / 100 + before / 400 - 719_162
    isLeap = CivilDate.isLeap(number)
    weekday = (start + 3).modulo(7)
  }

  /// The number of kinds of years.
  static let kinds = 28

  /// What a year has in common with others of the same days: its first weekday, and whether it, the year
  /// before or the one behind is a leap year; at most one of them is.
  var kind: Int {
    let leap = isLeap ? 1 : CivilDate.isLeap(number - 1) ? 2 : CivilDate.isLeap(number + 1) ? 3 : 0
    return leap * 7 + weekday
  }

  /// Returns the days of a month, 1 to 12.
  func days(ofMonth month: Int) -> Range<Int> {
    firstDay(ofMonth: month)..<firstDay(ofMonth: month + 1)
  }

  /// Returns the first day of a month; of month 13, the first of the next year.
  private func firstDay(ofMonth month: Int) -> Int {
    (367 * month - 362) / 12 - (month > 2 ? (isLeap ? 1 : 2) : 0)
  }

  /// Returns the day of the week of a day, which may be one of the years beside.
  func weekday(of day: Int) -> Int { (weekday + day).modulo(7) }
}

extension Int {
  /// Returns the remainder that is not negative.
  package func modulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }

  /// Returns the quotient rounded down.
  package func divided(downBy divisor: Int) -> Int { (self - modulo(divisor)) / divisor }

  /// Returns the greatest common divisor of two positive numbers.
  func commonDivisor(_ other: Int) -> Int {
    var (one, rest) = (self, other)
    while rest != 0 { (one, rest) = (rest, one % rest) }
    return one
  }
}
