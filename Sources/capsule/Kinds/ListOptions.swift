import CapsuleCore

/// The options that the commands have that list records.
enum ListOptions {
  static let reverse = Parameter.flag("reverse", "Reverse the order")
  static let limit = Parameter.option("limit", value: "N", .integer(1...), "List at most this many")
  static let plain = Parameter.flag(
    "plain", "Separate columns by tabs and shorten nothing, for scripts")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 when nothing matches")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "List them as they will be at this time")

  static func search(_ help: String) -> Parameter<String?> {
    Parameter.option("search", value: "TEXT", .text, help)
  }

  /// - Parameter key: The setting that holds where the option is not given.
  static func sort<Order>(_ key: Setting) -> Parameter<Order?>
  where Order: CaseIterable & RawRepresentable & Sendable, Order.RawValue == String {
    Parameter.option(
      "sort", value: "ORDER", ValueType<Order>.choice, otherwise: "the setting \(key.name)",
      "Sort by this")
  }
}

extension Invocation {
  /// The order that an option asks for, else a setting.
  func sortOrder<Order: RawRepresentable>(
    _ option: Parameter<Order?>, _ settings: StoreSettings, _ key: Setting
  ) -> Order? where Order.RawValue == String {
    self[option] ?? settings[key].string.flatMap { Order(rawValue: $0) }
  }

  /// The search that an option asks for.
  func search(_ option: Parameter<String?>) -> SearchText? {
    self[option].map { SearchText($0) }
  }
}
