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
