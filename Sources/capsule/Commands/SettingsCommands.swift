import CapsuleCore

/// `capsule settings …`.
enum SettingsCommands {
  static let key = Parameter.operand(
    "NAME", ValueType<Setting>.setting, "The name of a setting")
  static let value = Parameter.operand(
    "VALUE", .text(completing: .settingValue),
    "The new value; `settings list` shows what a setting accepts")

  static let group = CommandGroup(
    "Settings", noun: "settings", summary: "Show and change the store's settings", default: "list",
    [list, get, set, unset])

  static let list = Command(
    "settings", "list", summary: "List all settings with their values",
    outputs: [.json, .ndjson],
    examples: [Example("capsule settings list", "List all settings")],
    exitCodes: [.damaged]
  ) { _, session in
    let settings = session.stores.settings(of: try session.stores.existing())
    return Answer(rows: Setting.all, json: { members($0, settings) }) { out in
      if let width = out.width {
        for line in lines(settings, width: width) { out.line(line) }
      } else {
        out.table(Table(columns(settings), Setting.all))
      }
    }
  }

  private static func columns(_ settings: StoreSettings) -> [RowColumn<Setting>] {
    [
      .text("NAME") { $0.name }, .text("VALUE") { text(settings[$0]) },
      .text("DECIDES") { $0.summary }, .text("TAKES") { $0.accepted },
    ]
  }

  /// The settings for a person: name and value, and beneath what it decides and takes.
  private static func lines(_ settings: StoreSettings, width: Int) -> [StyledText] {
    let names = Setting.all.map(\.name.utf8.count).max() ?? 0
    return Setting.all.flatMap { key in
      let padding = String(repeating: " ", count: names - key.name.utf8.count)
      let value = StyledText(text(settings[key]), settings.isSet(key) ? .plain : .dim)
      let meaning = ProseBlock.wrap("\(key.summary): \(key.accepted)", columns: max(20, width - 2))
      let first: StyledText = "\(key.name, .bold)\(padding)  \(value)"
      return [first.cut(to: width)] + meaning.map { "  \($0, .dim)" }
    }
  }

  static let get = Command(
    "settings", "get", summary: "Show the value of a setting",
    operands: [key], outputs: .json,
    examples: [
      Example(
        "capsule settings get maxFileSize", "Show the size of the largest file that can be added")
    ],
    exitCodes: [.damaged]
  ) { invocation, session in
    try answer(invocation[key], session)
  }

  static let set = Command(
    "settings", "set", summary: "Change a setting",
    operands: [key, value], outputs: .json,
    examples: [
      Example("capsule settings set maxFileSize 4GiB", "Allow larger files"),
      Example("capsule settings set durationStyle tenths", "Show durations as '3.2 years'"),
      Example(
        "capsule settings set trustees family", "Make recovery copies of new capsules for trustees"),
      Example(
        "capsule settings set capsuleColumns title,when,tags",
        "Show fewer columns in the list of capsules"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    let key = invocation[key]
    var text = invocation[value]
    if key == .trustees { text = try trustees(text, session) }
    guard let value = key.value(from: text) else {
      throw refusal(of: text, key)
    }
    try change(key, session, to: value)
    return try answer(key, session)
  }

  static let unset = Command(
    "settings", "unset", summary: "Reset a setting to its default",
    operands: [key], outputs: .json,
    examples: [Example("capsule settings unset timeOfDay", "Use the default time of day again")],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    let key = invocation[key]
    if try session.stores.existing() != nil { try change(key, session, to: nil) }
    return try answer(key, session)
  }

  /// The name of the group that a word means: it says more than an id, and is nobody else's.
  private static func trustees(_ word: String, _ session: Session) throws -> String {
    let store = try session.stores.required(for: word, among: [.trustees])
    let group = try session.records.one(TrusteeGroup.self, word, in: store, intact: true).model
    session.records.warn(of: group)
    return group.name
  }

  /// The reason why a text is no value of a setting: of columns the one that is wrong.
  private static func refusal(of text: String, _ key: Setting) -> Fault {
    func hint(_ word: String) -> String {
      // One number is no more meant than another.
      let near = Int64(word) == nil ? Suggestion.nearest(to: word, in: key.choices) : nil
      return (near.map { "did you mean '\($0)'? " } ?? "") + "use \(key.accepted)"
    }
    var named: Set<String> = []
    let columns = text.lowercased().split(separator: ",", omittingEmptySubsequences: false)
    for column in key.isOfColumns ? columns.map({ String($0).trimmed }) : [] {
      guard key.choices.contains(column) else {
        return .usage(
          "invalid column '\(column.shortened)' for '\(key.name)'", hint: hint(column))
      }
      guard named.insert(column).inserted else {
        return .usage(
          "the column '\(column)' is repeated",
          hint: "use each column once: \(key.accepted)")
      }
    }
    let hasControls = text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
    return .usage(
      "invalid value for '\(key.name)': '\(text.shortened)'"
        + (hasControls ? ": control characters are not allowed" : ""), hint: hint(text))
  }

  private static func change(
    _ key: Setting, _ session: Session, to value: JSON?
  ) throws {
    try session.stores.forChange().settings.set(key, to: value)
  }

  private static func answer(_ key: Setting, _ session: Session) throws -> Answer {
    let settings = session.stores.settings(of: try session.stores.existing())
    return Answer(members(key, settings)) { out in
      out.row(StyledText(text(settings[key])))
    }
  }

  private static func members(_ setting: Setting, _ settings: StoreSettings) -> JSONObject {
    [
      "name": setting.key.json, "value": settings[setting], "default": setting.fallback,
      "isSet": settings.isSet(setting).json, "summary": setting.summary.json,
      "accepts": setting.accepted.json,
    ]
  }

  private static func text(_ value: JSON) -> String {
    value.string ?? value.integer.map { String($0) } ?? ""
  }
}

extension ValueType<Setting> {
  /// A setting by its name, or by the one in the store.
  fileprivate static let setting = ValueType(
    completion: .choices(Setting.all.map(\.name))
  ) { bytes throws(Fault) in
    let word = try ValueType<String>.text.parse(bytes)
    guard let key = Setting.all.first(where: { [$0.name, $0.key].contains(word) })
    else {
      throw Fault(
        ValueProblem.unknown(
          "setting", among: Setting.all.map(\.name), list: "capsule settings list"))
    }
    return key
  }
}
