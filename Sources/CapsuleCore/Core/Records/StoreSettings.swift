/// A setting that a store keeps: how things are shown and measured. None names a program or an
/// address, so that a synchronized store can run nothing.
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
  case capsuleSort
  case capsuleColumns
  case eventColumns
  case itemSort
  case itemColumns
  case beneficiarySort
  case beneficiaryColumns
  case bequestSort
  case bequestColumns
  case trustees
  case pictures

  /// The name that people type. A store, a journal and JSON have the raw value.
  package var name: String {
    switch self {
    case .spanStyle: "durationStyle"
    case .spanUnits: "durationUnits"
    default: rawValue
    }
  }

  /// The thing that it decides, in one line.
  package var summary: String {
    switch self {
    case .maxFileSize: "the largest file that can be added, in bytes"
    case .timeOfDay: "the time of day of an unlock date without a time"
    case .spanStyle: "how durations are shown, in units or in tenths of the largest unit"
    case .spanUnits: "the number of units in a duration, largest first"
    case .capsuleSort: "the order of 'list'"
    case .eventSort: "the order of 'event list'"
    case .itemSort: "the order of 'item list'"
    case .beneficiarySort: "the order of 'beneficiary list'"
    case .bequestSort: "the order of 'bequest list'"
    case .capsuleColumns: "the columns of 'list' at a terminal, in order"
    case .eventColumns: "the columns of 'event list' at a terminal, in order"
    case .itemColumns: "the columns of 'item list' at a terminal, in order"
    case .beneficiaryColumns: "the columns of 'beneficiary list' at a terminal, in order"
    case .bequestColumns: "the columns of 'bequest list' at a terminal, in order"
    case .listDetails: "whether lists show notes, repetition and alerts below each entry"
    case .leapDay: "the day of a yearly 29 February in other years"
    case .owner: "the owner's name, used to sign deliveries"
    case .postQuantum:
      "whether new capsules are safe against quantum computers, if the lock allows it"
    case .pictures:
      "whether 'open' and 'view' show pictures at a terminal (auto: not in tmux or screen)"
    case .trustees:
      "the trustee group that gets a recovery copy of each new capsule, if the lock allows it"
    case .verifyEvery: "the days after which 'check' reminds you to verify the store"
    case .backupEvery: "the days after which 'check' reminds you to make a backup"
    }
  }

  /// The values that are accepted, for messages.
  package var accepted: String {
    switch self {
    case .maxFileSize: "a size from 1 B to less than 8 PiB, such as 1GiB or 500MB"
    case .timeOfDay: "a time from 00:00 to 23:59"
    case .spanUnits: "a number from 1 to 6"
    case .capsuleSort, .eventSort, .itemSort, .beneficiarySort, .bequestSort, .spanStyle,
      .listDetails, .postQuantum, .leapDay, .pictures:
      choices.listed("or")
    case .capsuleColumns, .eventColumns, .itemColumns, .beneficiaryColumns, .bequestColumns:
      "names from \(choices.joined(separator: ", ")), separated by commas"
    case .verifyEvery, .backupEvery: "a number of days from 1 to 3650, or never"
    case .owner: "a name of at most \(Capsule.titleLimit) bytes"
    case .trustees: "the name or id of a group of trustees"
    }
  }

  /// The words that are accepted, or, for columns, of which several are; those that a shell offers
  /// where others are accepted too.
  package var choices: [String] {
    switch self {
    case .spanStyle: ["subUnits", "tenths"]
    case .spanUnits: (1...6).map { String($0) }
    case .listDetails, .postQuantum: ["on", "off"]
    case .leapDay: ["feb28", "mar1"]
    case .pictures: ["auto", "always", "off"]
    case .capsuleSort: ["unlock", "created", "title"]
    case .eventSort: ["date", "title", "created"]
    case .itemSort: ["added", "name", "value", "category", "since"]
    case .beneficiarySort: ["name", "created", "updated"]
    case .bequestSort: ["created", "person", "subject", "access", "state"]
    case .capsuleColumns:
      [
        "id", "state", "title", "when", "date", "contents", "tags", "notes", "lock", "size",
        "created",
      ]
    case .eventColumns:
      ["id", "state", "title", "when", "date", "repeated", "alerts", "notes", "created"]
    case .itemColumns:
      [
        "id", "name", "category", "value", "qty", "when", "due", "location", "tags", "media",
        "created",
      ]
    case .beneficiaryColumns: ["id", "name", "relationship", "email", "phone", "created"]
    case .bequestColumns: ["id", "what", "to", "access", "state", "created"]
    case .verifyEvery, .backupEvery: ["never"]
    case .maxFileSize, .timeOfDay, .owner, .trustees: []
    }
  }

  /// Whether it is a choice of columns.
  package var isOfColumns: Bool {
    switch self {
    case .capsuleColumns, .eventColumns, .itemColumns, .beneficiaryColumns, .bequestColumns: true
    default: false
    }
  }

  /// Its value where nothing was set.
  package var fallback: JSON {
    switch self {
    case .maxFileSize: .integer(1 << 30)
    case .timeOfDay: .string("00:00")
    case .spanStyle: .string("subUnits")
    case .spanUnits: .integer(2)
    case .capsuleSort, .eventSort, .itemSort, .beneficiarySort, .bequestSort:
      .string(choices.first ?? "")
    case .capsuleColumns: .string("id,state,title,when,date,contents,tags")
    case .eventColumns: .string("id,state,title,when,date")
    case .itemColumns: .string("id,name,category,value,qty,when,due,location")
    case .beneficiaryColumns: .string("id,name,relationship,email,phone")
    case .bequestColumns: .string("id,what,to,access,state")
    case .listDetails: .string("off")
    case .leapDay: .string("feb28")
    case .pictures: .string("auto")
    case .owner, .trustees: .string("")
    case .postQuantum: .string("on")
    case .verifyEvery: .integer(90)
    case .backupEvery: .integer(30)
    }
  }

  /// Reads a value that a person types; `nil` for one that is not accepted.
  package func value(from text: String) -> JSON? {
    let value: JSON?
    switch self {
    case .maxFileSize:
      value = SizeExpression.bytes(text).flatMap { $0 > FileSize.largestLimit ? nil : .integer($0) }
    case .spanUnits: value = Int64(text).map { .integer($0) }
    case .verifyEvery, .backupEvery: value = text == "never" ? .string(text) : Self.days(text)
    case .timeOfDay: value = TimeOfDayParser.minute(text).map { .string($0.shortText) }
    case .capsuleColumns, .eventColumns, .itemColumns, .beneficiaryColumns, .bequestColumns:
      value = .string(Self.words(text.lowercased()).joined(separator: ","))
    case .spanStyle, .capsuleSort, .eventSort, .itemSort, .beneficiarySort, .bequestSort,
      .listDetails, .leapDay, .owner, .postQuantum, .trustees, .pictures:
      value = .string(text)
    }
    return value.flatMap { accepts($0) ? $0 : nil }
  }

  /// Whether a stored value is one that can be used.
  package func accepts(_ value: JSON) -> Bool {
    switch (self, value) {
    case (.maxFileSize, .integer(let bytes)): bytes > 0
    case (.spanUnits, .integer(let count)): (1...6).contains(count)
    case (.verifyEvery, .integer(let days)), (.backupEvery, .integer(let days)):
      (1...3650).contains(days)
    case (.verifyEvery, .string(let text)), (.backupEvery, .string(let text)): text == "never"
    case (.timeOfDay, .string(let text)): Self.minutes(text) != nil
    case (.owner, .string(let text)), (.trustees, .string(let text)):
      text.contains { !$0.isWhitespace } && text.utf8.count <= Capsule.titleLimit
        && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    case (_, .string(let text)) where isOfColumns:
      Self.areColumns(Self.words(text), of: choices)
    case (.maxFileSize, _), (.spanUnits, _), (.verifyEvery, _), (.backupEvery, _): false
    case (_, .string(let text)): choices.contains(text)
    default: false
    }
  }

  /// Splits words at commas, without the spaces around them.
  private static func words(_ text: String) -> [String] {
    text.parts(at: ",").map(\.trimmed)
  }

  private static func areColumns(_ words: [String], of choices: [String]) -> Bool {
    Set(words).count == words.count && words.allSatisfy(choices.contains)
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
package struct StoreSettings: Hashable, Sendable {
  /// The values that were set, and fields of other versions, by name.
  package private(set) var values: JSONObject

  package init(_ values: JSONObject = [:]) {
    self.values = values
  }

  /// Whether a setting was set.
  package func isSet(_ key: SettingKey) -> Bool {
    values[key.rawValue] != nil
  }

  /// A setting's value; its fallback where the value that was set cannot be used. A limit for files that an
  /// earlier version took and that is above the largest is the largest.
  package subscript(key: SettingKey) -> JSON {
    guard let value = values[key.rawValue], key.accepts(value) else { return key.fallback }
    if key == .maxFileSize, let bytes = value.integer {
      return .integer(min(bytes, FileSize.largestLimit))
    }
    return value
  }

  package mutating func set(_ key: SettingKey, to value: JSON?) {
    set(key.rawValue, to: value)
  }

  mutating func set(_ name: String, to value: JSON?) {
    values[name] = value
  }

  /// The name of the person whose store it is; empty where it was not set.
  package var owner: String {
    self[.owner].string ?? ""
  }

  /// The name of the group of trustees that new capsules get a spare for; `nil` where it was not set.
  package var trustees: String? {
    let name = self[.trustees].string ?? ""
    return name.isEmpty ? nil : name
  }

  /// Whether new capsules are sealed against quantum computers where their locks can be.
  package var sealsPostQuantum: Bool {
    self[.postQuantum].string == "on"
  }

  /// Returns the days after which something is due again; `nil` for never.
  package func days(_ key: SettingKey) -> Int64? {
    self[key].integer
  }

  /// The largest file that is taken in, in bytes.
  package var maxFileSize: Int64 {
    self[.maxFileSize].integer ?? 1 << 30
  }

  /// The time of day of a date alone, in minutes since midnight.
  package var timeOfDayMinutes: Int {
    self[.timeOfDay].string.flatMap(SettingKey.minutes) ?? 0
  }

  /// How many units a span shows.
  package var spanUnits: Int {
    Int(self[.spanUnits].integer ?? 2)
  }

  /// The names of the columns of a list, in their order.
  package func columns(_ key: SettingKey) -> [String] {
    (self[key].string ?? "").parts(at: ",").map(\.trimmed)
  }

  /// The day on which a yearly 29 February falls in other years.
  package var leapDayRule: LeapDayRule {
    self[.leapDay].string == "mar1" ? .march1 : .february28
  }

  /// Whether lists show more than a line of each thing.
  package var showsDetails: Bool {
    self[.listDetails].string == "on"
  }

  /// The choice of when pictures are shown on the terminal.
  package enum Pictures: String, Sendable {
    /// Pictures are shown where no other program keeps the screen.
    case auto
    case always, off
  }

  package var pictures: Pictures {
    self[.pictures].string.flatMap(Pictures.init) ?? .auto
  }

  /// The style in which spans are shown.
  package var spanStyleInUse: SpanStyle {
    showsTenths ? .tenths : .subUnits(spanUnits)
  }

  /// The style in which it is said how far a moment is from now; `nil`, for words, where it is the one
  /// without settings.
  package var relativeStyle: SpanStyle? {
    spanStyleInUse == StoreSettings().spanStyleInUse ? nil : spanStyleInUse
  }

  /// Whether spans are shown in tenths of their largest unit.
  package var showsTenths: Bool {
    self[.spanStyle].string == "tenths"
  }
}
