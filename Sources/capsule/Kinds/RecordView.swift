import CapsuleCore

/// A record as lists and JSON show it.
protocol RecordView {
  var id: RecordID { get }
  /// The damage of the record.
  var problem: IndexProblem { get }
  /// Whether a list shows only its id and state, because nothing else of it can be read.
  var isBlank: Bool { get }

  /// Writes the members of the object, for all commands that have the record in their answer.
  func writeMembers(to writer: inout some MemberWriter)
  /// Writes the object, for long lists. A requirement, so that it is compiled for each kind.
  func write(to writer: inout JSONTextWriter)
}

extension RecordView {
  var isBlank: Bool { false }

  /// The members of the object.
  var members: JSONObject {
    var members = JSONObject()
    writeMembers(to: &members)
    return members
  }

  func write(to writer: inout JSONTextWriter) {
    writer.beginSortedObject()
    writeMembers(to: &writer)
    writer.endSortedObject()
  }

  /// Returns the cells of its row in a list.
  func cells(_ columns: [RowColumn<Self>]) -> [StyledText] {
    guard isBlank else { return columns.map { $0.cell(self) } }
    let shown = columns.lastIndex { Self.isShownBlank($0) }.map { $0 + 1 } ?? 0
    return columns.prefix(shown).map { Self.isShownBlank($0) ? $0.cell(self) : "" }
  }

  /// Whether a column has something to show where nothing but the id can be read.
  private static func isShownBlank(_ column: RowColumn<Self>) -> Bool {
    ["id", "state"].contains(column.name)
  }
}

extension RowColumn where Row: RecordView {
  static func id(_ session: Session) -> RowColumn {
    RowColumn("ID") { session.answers.shown($0.id) }
  }
}

extension IndexProblem {
  /// The mark of a record in lists; `nil` for none.
  var mark: StyledText? {
    switch self {
    case .none: nil
    case .newer: StyledText("newer", .yellow)
    // What the system refuses to read is no damage.
    case .unreadable: StyledText("unreadable", .boldRed)
    default: StyledText("damaged", .boldRed)
    }
  }

  /// The name of the problem in JSON; `nil` for none.
  var jsonName: String? {
    switch self {
    case .none: nil
    case .notRegularFile: "notAFile"
    case .tooLarge: "tooLarge"
    case .unreadable: "unreadable"
    case .altered: "altered"
    case .newer: "newer"
    default: "damaged"
    }
  }
}

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
