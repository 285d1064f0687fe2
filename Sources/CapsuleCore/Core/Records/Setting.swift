/// A setting that a store keeps: how things are shown and measured. None names a program or an
/// address, so that a synchronized store can run nothing.
public struct Setting: Sendable {
  /// The name in a store, a journal and JSON.
  public let key: String
  /// The name that people type.
  package var name: String { typed ?? key }
  private var typed: String?
  /// The thing that it decides, in one line.
  package let summary: String
  /// The values that are accepted, for messages.
  package let accepted: String
  /// The words that are accepted, or, for columns, of which several are; those that a shell offers
  /// where others are accepted too.
  package var choices: [String] = []
  package var isOfColumns = false
  /// Its value where nothing was set.
  package let fallback: JSON
  /// Reads a value that a person types; it is looked at afterwards.
  private var read: @Sendable (String) -> JSON? = { .string($0) }
  /// Whether a stored value is one that can be used.
  package let accepts: @Sendable (JSON) -> Bool

  public static let all = [
    maxFileSize, timeOfDay, spanStyle, spanUnits, eventSort, listDetails, leapDay, owner,
    postQuantum, verifyEvery, backupEvery, capsuleSort, capsuleColumns, eventColumns, itemSort,
    itemColumns, beneficiarySort, beneficiaryColumns, bequestSort, bequestColumns, trustees,
    pictures, undoWindow, currency,
  ]

  package static let maxFileSize = size(
    "maxFileSize", "the largest file that can be added, in bytes", 1 << 30)
  package static let timeOfDay = time(
    "timeOfDay", "the time of day of an unlock date without a time", "00:00")
  package static let spanStyle = choice(
    "spanStyle", typed: "durationStyle",
    "how durations are shown, in units or in tenths of the largest unit", ["subUnits", "tenths"])
  package static let spanUnits = number(
    "spanUnits", typed: "durationUnits", "the number of units in a duration, largest first", 1...6,
    2)
  package static let listDetails = choice(
    "listDetails", "whether lists show notes, repetition and alerts below each entry",
    ["on", "off"], "off")
  package static let leapDay = choice(
    "leapDay", "the day of a yearly 29 February in other years", ["feb28", "mar1"])
  package static let owner = line(
    "owner", "the owner's name, used to sign deliveries",
    accepted: "a name without line breaks, of at most \(Capsule.titleLimit) bytes")
  package static let postQuantum = choice(
    "postQuantum",
    "whether new capsules are safe against quantum computers, if the lock allows it", ["on", "off"])
  package static let undoWindow = number(
    "undoWindow",
    "the minutes for which a sealed capsule's draft is kept for 'capsule undo'; 0 for none",
    0...60, 15)
  package static let currency = Setting(
    key: "currency", summary: "the currency of an amount that is written without one",
    accepted: "a currency code of ISO 4217, such as EUR", fallback: "",
    read: { Currency($0.trimmed).map { .string($0.code) } }
  ) { $0.string.map { Currency($0)?.code == $0 } ?? false }
  package static let trustees = line(
    "trustees",
    "the trustee group that gets a recovery copy of each new capsule, if the lock allows it",
    accepted: "the name or id of a group of trustees")
  package static let pictures = choice(
    "pictures",
    "whether 'open' and 'view' show pictures at a terminal (auto: not in tmux or screen)",
    ["auto", "always", "off"])
  package static let verifyEvery = days(
    "verifyEvery", "the days after which 'check' reminds you to verify the store", 90)
  package static let backupEvery = days(
    "backupEvery", "the days after which 'check' reminds you to make a backup", 30)

  package static let capsuleSort = sort("capsuleSort", of: "list", ["unlock", "created", "title"])
  package static let eventSort = sort("eventSort", of: "event list", ["date", "title", "created"])
  package static let itemSort = sort(
    "itemSort", of: "item list", ["added", "name", "value", "category", "since"])
  package static let beneficiarySort = sort(
    "beneficiarySort", of: "beneficiary list", ["name", "created", "updated"])
  package static let bequestSort = sort(
    "bequestSort", of: "bequest list", ["created", "person", "subject", "access", "state"])

  package static let capsuleColumns = columns(
    "capsuleColumns", of: "list", "id,state,title,when,date,contents,tags",
    more: "notes,lock,size,created")
  package static let eventColumns = columns(
    "eventColumns", of: "event list", "id,state,title,when,date",
    more: "repeated,alerts,notes,created")
  package static let itemColumns = columns(
    "itemColumns", of: "item list", "id,name,category,value,qty,when,due,location",
    more: "tags,media,created")
  package static let beneficiaryColumns = columns(
    "beneficiaryColumns", of: "beneficiary list", "id,name,relationship,email,phone",
    more: "created")
  package static let bequestColumns = columns(
    "bequestColumns", of: "bequest list", "id,what,to,access,state", more: "created")

  /// The setting with a name in a store.
  package static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

  /// Reads a value that a person types; `nil` for one that is not accepted.
  package func value(from text: String) -> JSON? { read(text).flatMap { accepts($0) ? $0 : nil } }

  // MARK: Types

  /// One of some words, the first where nothing else is said.
  private static func choice(
    _ key: String, typed: String? = nil, _ summary: String, _ words: [String],
    _ fallback: String? = nil
  ) -> Setting {
    Setting(
      key: key, typed: typed, summary: summary, accepted: words.listed("or"), choices: words,
      fallback: .string(fallback ?? words[0])
    ) { $0.string.map(words.contains) ?? false }
  }

  private static func sort(_ key: String, of list: String, _ orders: [String]) -> Setting {
    choice(key, "the order of '\(list)'", orders)
  }

  /// Some of the names, in any order, each once.
  private static func columns(
    _ key: String, of list: String, _ shown: String, more: String
  ) -> Setting {
    @Sendable func split(_ text: String) -> [String] { text.parts(at: ",").map(\.trimmed) }
    let names = split("\(shown),\(more)")
    return Setting(
      key: key, summary: "the columns of '\(list)' at a terminal, in order",
      accepted: "names from \(names.joined(separator: ", ")), separated by commas", choices: names,
      isOfColumns: true, fallback: .string(shown),
      read: { .string(split($0.lowercased()).joined(separator: ",")) }
    ) {
      guard let chosen = $0.string.map(split) else { return false }
      return Set(chosen).count == chosen.count && chosen.allSatisfy(names.contains)
    }
  }

  private static func number(
    _ key: String, typed: String? = nil, _ summary: String, _ range: ClosedRange<Int64>,
    _ fallback: Int64
  ) -> Setting {
    Setting(
      key: key, typed: typed, summary: summary,
      accepted: "a number from \(range.lowerBound) to \(range.upperBound)",
      choices: range.map { String($0) }, fallback: .integer(fallback),
      read: { Int64($0).map { .integer($0) } }
    ) { $0.integer.map(range.contains) ?? false }
  }

  private static func days(_ key: String, _ summary: String, _ fallback: Int64) -> Setting {
    Setting(
      key: key, summary: summary, accepted: "a number of days from 1 to 3650, or never",
      choices: ["never"], fallback: .integer(fallback),
      read: { $0 == "never" ? .string($0) : days($0) }
    ) { $0.integer.map { (1...3650).contains($0) } ?? ($0 == "never") }
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

  private static func size(_ key: String, _ summary: String, _ fallback: Int64) -> Setting {
    Setting(
      key: key, summary: summary,
      accepted: "a size from 1 B to less than 8 PiB, such as 1GiB or 500MB",
      fallback: .integer(fallback),
      read: { text in
        SizeExpression.bytes(text).flatMap { $0 > FileSize.largestLimit ? nil : .integer($0) }
      }
    ) { $0.integer.map { $0 > 0 } ?? false }
  }

  private static func time(_ key: String, _ summary: String, _ fallback: String) -> Setting {
    Setting(
      key: key, summary: summary, accepted: "a time from 00:00 to 23:59",
      fallback: .string(fallback),
      read: { TimeOfDayParser.minute($0).map { .string($0.shortText) } }
    ) { $0.string.flatMap(minutes) != nil }
  }

  /// Returns the minutes since midnight of `HH:MM`.
  package static func minutes(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }),
      let hour = UInt8(parts[0]), hour < 24, let minute = UInt8(parts[1]), minute < 60
    else { return nil }
    return Int(hour) * 60 + Int(minute)
  }

  /// A line of text that is not blank.
  private static func line(_ key: String, _ summary: String, accepted: String) -> Setting {
    Setting(key: key, summary: summary, accepted: accepted, fallback: "") {
      guard let text = $0.string else { return false }
      return text.contains { !$0.isWhitespace } && text.utf8.count <= Capsule.titleLimit
        && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }
  }
}

extension Setting: Hashable {
  public static func == (left: Setting, right: Setting) -> Bool { left.key == right.key }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A store's settings.
package struct StoreSettings: Hashable, Sendable {
  /// The values that were set, and fields of other versions, by name.
  package private(set) var values: JSONObject

  package init(_ values: JSONObject = [:]) {
    self.values = values
  }

  /// Whether a setting was set.
  package func isSet(_ setting: Setting) -> Bool {
    values[setting.key] != nil
  }

  /// A setting's value; its fallback where the value that was set cannot be used. A limit for files that an
  /// earlier version took and that is above the largest is the largest.
  package subscript(setting: Setting) -> JSON {
    guard let value = values[setting.key], setting.accepts(value) else {
      return setting.fallback
    }
    if setting == .maxFileSize, let bytes = value.integer {
      return .integer(min(bytes, FileSize.largestLimit))
    }
    return value
  }

  package mutating func set(_ setting: Setting, to value: JSON?) {
    set(setting.key, to: value)
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
  package func days(_ setting: Setting) -> Int64? {
    self[setting].integer
  }

  /// The largest file that is taken in, in bytes.
  package var maxFileSize: Int64 {
    self[.maxFileSize].integer ?? 1 << 30
  }

  /// The time of day of a date alone, in minutes since midnight.
  package var timeOfDayMinutes: Int {
    self[.timeOfDay].string.flatMap(Setting.minutes) ?? 0
  }

  /// The minutes for which what was typed into a capsule stays.
  package var undoMinutes: Int64 { self[.undoWindow].integer ?? 15 }

  /// The currency of an amount without one; `nil` where none was set.
  package var currency: Currency? { self[.currency].string.flatMap { Currency($0) } }

  /// How many units a span shows.
  package var spanUnits: Int {
    Int(self[.spanUnits].integer ?? 2)
  }

  /// The names of the columns of a list, in their order.
  package func columns(_ setting: Setting) -> [String] {
    (self[setting].string ?? "").parts(at: ",").map(\.trimmed)
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
