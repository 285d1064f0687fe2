/// A setting that a store keeps: how things are shown and measured. None names a program or an
/// address, so that a synchronised store can run nothing.
public enum SettingKey: String, CaseIterable, Hashable, Sendable {
  case maxFileSize
  case timeOfDay
  case spanStyle
  case spanUnits
  case eventSort
  case listDetails
  case leapDay
  case owner
  case postQuantum
  case verifyEvery
  case backupEvery

  /// The thing that it decides, in one line.
  public var summary: String {
    switch self {
    case .maxFileSize: "the largest file that is taken in, in bytes"
    case .timeOfDay: "the time of day of an unlock time given as a date alone"
    case .spanStyle: "how spans of time are shown: units, or tenths of the largest"
    case .spanUnits: "how many units a span shows, the largest first"
    case .eventSort: "what 'event list' sorts by"
    case .listDetails: "whether lists show notes, repetition and alerts beneath each thing"
    case .leapDay: "where a yearly 29 February falls in other years"
    case .owner: "the name of the person whose store it is; deliveries are signed with it"
    case .postQuantum:
      "whether new capsules are sealed against quantum computers where their locks can be"
    case .verifyEvery: "after how many days 'check' says that the store was not verified"
    case .backupEvery: "after how many days 'check' says that no backup was made"
    }
  }

  /// The values that are accepted, for messages.
  public var accepted: String {
    switch self {
    case .maxFileSize: "a size from 1 B to 8 EiB, such as 1GiB or 500MB"
    case .timeOfDay: "a time from 00:00 to 23:59"
    case .spanStyle: "subUnits or tenths"
    case .spanUnits: "a number from 1 to 6"
    case .eventSort: "date, title or created"
    case .listDetails, .postQuantum: "on or off"
    case .leapDay: "feb28 or mar1"
    case .verifyEvery, .backupEvery: "a number of days from 1 to 3650, or never"
    case .owner: "a name of at most \(Capsule.titleLimit) bytes"
    }
  }

  /// Its value where nothing was set.
  public var fallback: JSON {
    switch self {
    case .maxFileSize: .integer(1 << 30)
    case .timeOfDay: .string("00:00")
    case .spanStyle: .string("subUnits")
    case .spanUnits: .integer(2)
    case .eventSort: .string("date")
    case .listDetails: .string("off")
    case .leapDay: .string("feb28")
    case .owner: .string("")
    case .postQuantum: .string("on")
    case .verifyEvery: .integer(90)
    case .backupEvery: .integer(30)
    }
  }

  /// Reads a value that a person types; `nil` for one that is not accepted.
  public func value(from text: String) -> JSON? {
    let value: JSON?
    switch self {
    case .maxFileSize: value = SizeExpression.bytes(text).map { .integer($0) }
    case .spanUnits: value = Int64(text).map { .integer($0) }
    case .verifyEvery, .backupEvery: value = text == "never" ? .string(text) : Self.days(text)
    case .timeOfDay: value = TimeOfDayParser.minute(text).map { .string($0.shortText) }
    case .spanStyle, .eventSort, .listDetails, .leapDay, .owner, .postQuantum:
      value = .string(text)
    }
    return value.flatMap { accepts($0) ? $0 : nil }
  }

  /// Whether a stored value is one that can be used.
  public func accepts(_ value: JSON) -> Bool {
    switch (self, value) {
    case (.maxFileSize, .integer(let bytes)): bytes > 0
    case (.spanUnits, .integer(let count)): (1...6).contains(count)
    case (.verifyEvery, .integer(let days)), (.backupEvery, .integer(let days)):
      (1...3650).contains(days)
    case (.verifyEvery, .string(let text)), (.backupEvery, .string(let text)): text == "never"
    case (.spanStyle, .string(let text)): ["subUnits", "tenths"].contains(text)
    case (.eventSort, .string(let text)): ["date", "title", "created"].contains(text)
    case (.listDetails, .string(let text)), (.postQuantum, .string(let text)):
      ["on", "off"].contains(text)
    case (.leapDay, .string(let text)): ["feb28", "mar1"].contains(text)
    case (.timeOfDay, .string(let text)): Self.minutes(text) != nil
    case (.owner, .string(let text)):
      text.contains { !$0.isWhitespace } && text.utf8.count <= Capsule.titleLimit
        && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    default: false
    }
  }

  /// Reads `90`, `90 days`, `1 day` or `90d`.
  private static func days(_ text: String) -> JSON? {
    let bytes = Array(text.utf8)
    let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let unit = bytes.dropFirst(digits.count).drop { $0 == UInt8(ascii: " ") }
    guard ["", "d", "day", "days"].contains(where: { unit.elementsEqual($0.utf8) }) else {
      return nil
    }
    return Int64(String(decoding: digits, as: UTF8.self)).map { .integer($0) }
  }

  /// Returns the minutes since midnight of `HH:MM`.
  package static func minutes(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = UInt8(parts[0]), hour < 24, let minute = UInt8(parts[1]), minute < 60
    else { return nil }
    return Int(hour) * 60 + Int(minute)
  }
}

/// A store's settings.
public struct StoreSettings: Hashable, Sendable {
  /// The values that were set, and fields of other versions, by name.
  package private(set) var values: JSONObject

  package init(_ values: JSONObject = [:]) {
    self.values = values
  }

  /// Whether a setting was set.
  public func isSet(_ key: SettingKey) -> Bool {
    values[key.rawValue] != nil
  }

  /// A setting's value; its fallback where the value that was set cannot be used.
  public subscript(key: SettingKey) -> JSON {
    guard let value = values[key.rawValue], key.accepts(value) else { return key.fallback }
    return value
  }

  package mutating func set(_ key: SettingKey, to value: JSON?) {
    set(key.rawValue, to: value)
  }

  mutating func set(_ name: String, to value: JSON?) {
    values[name] = value
  }

  /// The name of the person whose store it is; empty where it was not set.
  public var owner: String {
    self[.owner].string ?? ""
  }

  /// Whether new capsules are sealed against quantum computers where their locks can be.
  package var sealsPostQuantum: Bool {
    self[.postQuantum].string == "on"
  }

  /// After how many days something is due again; `nil` for never.
  package func days(_ key: SettingKey) -> Int64? {
    self[key].integer
  }

  /// The largest file that is taken in, in bytes.
  public var maxFileSize: Int64 {
    self[.maxFileSize].integer ?? 1 << 30
  }

  /// The time of day of a date alone, in minutes since midnight.
  public var timeOfDayMinutes: Int {
    self[.timeOfDay].string.flatMap(SettingKey.minutes) ?? 0
  }

  /// How many units a span shows.
  public var spanUnits: Int {
    Int(self[.spanUnits].integer ?? 2)
  }

  /// Where a yearly 29 February falls in other years.
  package var leapDayRule: LeapDayRule {
    self[.leapDay].string == "mar1" ? .march1 : .february28
  }

  /// Whether lists show more than a line of each thing.
  public var showsDetails: Bool {
    self[.listDetails].string == "on"
  }

  /// How spans are shown.
  package var spanStyleInUse: SpanStyle {
    showsTenths ? .tenths : .subUnits(spanUnits)
  }

  /// The style in which it is said how far a moment is from now; `nil`, for words, where none was
  /// chosen.
  package var relativeStyle: SpanStyle? {
    isSet(.spanStyle) || isSet(.spanUnits) ? spanStyleInUse : nil
  }

  /// Whether spans are shown in tenths of their largest unit.
  public var showsTenths: Bool {
    self[.spanStyle].string == "tenths"
  }
}
