import CapsuleCore

/// `capsule settings …`.
enum SettingsCommands {
  static let key = Parameter.operand(
    "NAME", ValueType<AnySetting>.setting, "The name of a setting")
  static let value = Parameter.operand(
    "VALUE", .text(completing: .settingValue),
    "The new value; `settings list` shows what a setting accepts")

  static let group = CommandGroup(
    "Settings", noun: "settings", summary: "Show and change the settings of the store and of mail",
    default: "list",
    [list, get, set, unset])

  static let list = Command(
    "settings", "list", summary: "List all settings with their values",
    outputs: [.json, .ndjson],
    examples: [Example("capsule settings list", "List all settings")],
    exitCodes: [.damaged]
  ) { _, session in
    let rows = try shown(session)
    return Answer(rows: rows, json: { $0.members }) { out in
      if let width = out.width {
        for line in lines(rows, width: width) { out.line(line) }
      } else {
        out.table(Table(columns, rows))
      }
    }
  }

  /// All settings with their values; a file of mail that cannot be read is warned of.
  private static func shown(_ session: Session) throws -> [ShownSetting] {
    let settings = session.stores.settings(of: try session.stores.existing())
    var file: ConfigurationFile?
    if session.places.configuration != nil {
      do { file = try MailSetting.file(session) } catch {
        let fault = Fault(error)
        session.console.warning(fault.message(in: session.zone), hint: fault.hint)
      }
    }
    return Setting.all.map { ShownSetting($0, settings) }
      + MailSetting.all.map { ShownSetting($0, file) }
  }

  private static var columns: [RowColumn<ShownSetting>] {
    [
      .text("NAME") { $0.name }, .text("VALUE") { $0.text }, .text("DECIDES") { $0.summary },
      .text("TAKES") { $0.accepted },
    ]
  }

  /// The settings for a person: name and value, and beneath what it decides and takes.
  private static func lines(_ rows: [ShownSetting], width: Int) -> [StyledText] {
    let names = rows.map(\.name.utf8.count).max() ?? 0
    return rows.flatMap { row in
      let padding = String(repeating: " ", count: names - row.name.utf8.count)
      let value = StyledText(row.text, row.isSet ? .plain : .dim)
      let meaning = ProseBlock.wrap("\(row.summary): \(row.accepted)", columns: max(20, width - 2))
      let first: StyledText = "\(row.name, .bold)\(padding)  \(value)"
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
      Example(
        "capsule settings set mail.from 'Ada Berg <ada@example.org>'",
        "Set up mail on this machine"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard case .store(let key) = invocation[key] else {
      return try change(invocation[key], to: invocation[value], session)
    }
    var text = invocation[value]
    if key == .trustees { text = try trustees(text, session) }
    guard let value = key.value(from: text) else {
      throw refusal(of: text, key)
    }
    try change(key, session, to: value)
    return try answer(.store(key), session)
  }

  static let unset = Command(
    "settings", "unset", summary: "Reset a setting to its default",
    operands: [key], outputs: .json,
    examples: [Example("capsule settings unset timeOfDay", "Use the default time of day again")],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard case .store(let key) = invocation[key] else {
      return try change(invocation[key], to: nil, session)
    }
    if try session.stores.existing() != nil { try change(key, session, to: nil) }
    return try answer(.store(key), session)
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

  /// Changes a setting of this machine's mail, in its file; `nil` gives it its default again.
  private static func change(
    _ key: AnySetting, to value: String?, _ session: Session
  ) throws -> Answer {
    guard case .mail(let mail) = key else { return try answer(key, session) }
    let text = try value.map(mail.checked)
    let file = try MailSetting.file(session)
    if text != nil || file.has(mail.key) { try file.write(mail.key, text, session) }
    return try answer(key, session)
  }

  private static func answer(_ key: AnySetting, _ session: Session) throws -> Answer {
    let shown =
      switch key {
      case .store(let key):
        ShownSetting(key, session.stores.settings(of: try session.stores.existing()))
      case .mail(let key): ShownSetting(key, try MailSetting.file(session))
      }
    return Answer(shown.members) { out in out.row(StyledText(shown.text)) }
  }
}

/// A setting of the store, or one of this machine.
enum AnySetting: Sendable {
  case store(Setting)
  case mail(MailSetting)

  static var names: [String] { Setting.all.map(\.name) + MailSetting.all.map(\.name) }

  /// The setting with a name, or with the one in the store.
  init?(_ word: String) {
    if let key = Setting.all.first(where: { [$0.name, $0.key].contains(word) }) {
      self = .store(key)
    } else if let key = MailSetting.all.first(where: { $0.name == word }) {
      self = .mail(key)
    } else {
      return nil
    }
  }
}

/// A setting with its value.
private struct ShownSetting {
  /// The name that people type, and the one in JSON.
  let name, key: String
  let summary, accepted: String
  let value, fallback: JSON
  let isSet: Bool

  init(_ setting: Setting, _ settings: StoreSettings) {
    (name, key) = (setting.name, setting.key)
    (summary, accepted) = (setting.summary, setting.accepted)
    (value, fallback) = (settings[setting], setting.fallback)
    isSet = settings.isSet(setting)
  }

  /// - Parameter file: `nil` where it cannot be read.
  init(_ setting: MailSetting, _ file: ConfigurationFile?) {
    let text = file?[setting.key]
    (name, key) = (setting.name, setting.name)
    (summary, accepted) = (setting.summary, setting.accepted)
    (value, fallback) = (.string(text ?? setting.fallback), .string(setting.fallback))
    isSet = text != nil
  }

  var text: String { value.string ?? value.integer.map { String($0) } ?? "" }

  var members: JSONObject {
    [
      "name": key.json, "value": value, "default": fallback, "isSet": isSet.json,
      "summary": summary.json, "accepts": accepted.json,
    ]
  }
}

extension ValueType<AnySetting> {
  /// A setting by its name, or by the one in the store.
  fileprivate static let setting = ValueType(
    completion: .choices(AnySetting.names)
  ) { bytes throws(Fault) in
    let word = try ValueType<String>.text.parse(bytes)
    guard let key = AnySetting(word) else {
      throw Fault(
        ValueProblem.unknown("setting", among: AnySetting.names, list: "capsule settings list"))
    }
    return key
  }
}
