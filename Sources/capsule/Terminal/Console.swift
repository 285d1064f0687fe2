import CapsuleCore
import CapsulePlatform

/// The values of the options that every command has.
struct RunOptions: Sendable {
  enum Form: Hashable, Sendable { case text, json, ndjson }

  var form = Form.text
  var color = ColorChoice.auto
  var isQuiet = false
  /// Whether a list is for a program although it goes to a terminal.
  var isPlain = false
  /// Whether questions may be asked.
  var takesInput = true
  /// `--store`.
  var store: FilePath?
  /// `--new-store`: whether a store may be made where this device used another.
  var makesNewStore = false
  /// `--lock-timeout`, in seconds.
  var lockTimeout = 10

  init() {}

  /// The options that a wrong command line shows: they decide how its error is reported.
  init(guessedFrom words: [[UInt8]]) {
    for word in words.prefix(while: { $0 != Array("--".utf8) }) {
      switch String(decoding: word, as: UTF8.self) {
      case "--json": form = .json
      case "--ndjson": form = .ndjson
      case "--color=always": color = .always
      case "--color=never": color = .never
      default: break
      }
    }
  }
}

/// The output of the program: the result to standard output, all else to standard error.
final class Console {
  let out: TextOutput
  let err: TextOutput
  let host: Host
  let options: RunOptions
  let environment: EnvironmentVariables
  /// The user's zone, for the times in messages.
  private let zone: () -> ZoneRules
  private let store: () -> FilePath?
  /// Returns the way out of a refusal for lack of permission.
  private let permissions: (FileRefusal) -> String?

  init(
    host: Host, options: RunOptions, environment: EnvironmentVariables,
    zone: @escaping () -> ZoneRules, store: @escaping () -> FilePath?,
    permissions: @escaping (FileRefusal) -> String?
  ) {
    self.host = host
    self.options = options
    self.environment = environment
    self.zone = zone
    self.store = store
    self.permissions = permissions
    out = Self.output(host.output, options, environment)
    err = Self.output(host.errorOutput, options, environment)
  }

  private static func output(
    _ port: OutputPort, _ options: RunOptions, _ environment: EnvironmentVariables
  ) -> TextOutput {
    let isTerminal = port.isTerminal()
    let columns = environment.text("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return TextOutput(
      port, isTerminal: isTerminal,
      colors: ColorDepth(options: options, environment: environment, isTerminal: isTerminal),
      forcedWidth: columns)
  }

  /// Whether notes are shown: not with `-q`, and not in JSON.
  var showsNotes: Bool { !options.isQuiet && options.form == .text }

  /// Something worth knowing that was not asked for.
  func note(_ text: StyledText) {
    guard showsNotes else { return }
    err.line(text)
    try? err.flush()
  }

  /// Teaches the name of a command that was called by another.
  func teach(_ name: String, insteadOf typed: String) {
    note("\("capsule: note: '\(typed)' runs 'capsule \(name)'", .dim)")
  }

  /// Something that may need doing.
  func warning(
    _ message: String, hint: String? = nil, details: JSONObject = [:]
  ) {
    let (message, hint) = (SecretMask.masked(message), hint.map(shown))
    if options.form == .text {
      say("warning", .yellow, message, [], hint)
    } else {
      var members = SecretMask.masked(details)
      members["message"] = message.json
      members["hint"] = hint.json
      err.jsonLine(["warning": .object(members)])
    }
    try? err.flush()
  }

  /// Warns of something odd about the machine's zone.
  func warning(_ warning: LocalZoneWarning) {
    let name = "set TZ to a name such as Europe/Paris"
    let package = "install the time zones: the package tzdata"
    let isWithoutZones = host.zones.isEmpty
    switch warning {
    case .unresolvedTZ(let value, let used):
      self.warning(
        isWithoutZones
          ? "this machine has no time zones, so \(used) is used in place of '\(value)' (TZ)"
          : "TZ is set to the unknown time zone '\(value)', so \(used) is used",
        hint: isWithoutZones ? package : name)
    case .danglingLocaltime(let target):
      self.warning(
        "/etc/localtime links to '\(target)', which does not exist, so UTC is used",
        hint: isWithoutZones ? package : "\(package); or \(name)")
    case .damagedLocaltime:
      self.warning(
        "/etc/localtime cannot be read, so UTC is used", hint: isWithoutZones ? package : name)
    }
  }

  /// Reports an error on standard error: the command goes on, or ends with the code.
  ///
  /// - Returns: the exit code that the error stands for.
  @discardableResult
  func report(_ error: any Error) -> ExitCode {
    let failure = Fault(error)
    if failure.kind == .signal { return failure.kind.exitCode }
    let message = SecretMask.masked(failure.message(in: zone()))
    let hint = (failure.hint ?? wayOut(of: failure)).map(shown)
    if options.form == .text, failure.code == .canceled {
      err.line("\(message.prefix(1).uppercased() + message.dropFirst()).")
    } else if options.form == .text {
      say("error", .boldRed, message, failure.list.map { SecretMask.masked($0) }, hint)
    } else {
      var members = SecretMask.masked(failure.details)
      members["code"] = Int(failure.kind.exitCode.rawValue).json
      members["fault"] = failure.code.rawValue.json
      members["kind"] = failure.kind.rawValue.json
      members["message"] = message.json
      members["hint"] = hint.json
      err.jsonLine(["error": .object(members)])
    }
    try? err.flush()
    return failure.kind.exitCode
  }

  /// The way out where permission is lacking, or something else stands in the place of a file of the store.
  private func wayOut(of fault: Fault) -> String? {
    if let file = fault.file, let hint = permissions(file) { return hint }
    guard let file = fault.file, file.isOfKind, let store = store(),
      file.path.text.hasPrefix(store.text + "/")
    else { return nil }
    return
      "move away what is there, such as a link, which a store does not follow; then: "
      + "capsule repair"
  }

  /// The way to read what permission was lacking for.
  func permissionHint(_ finding: Finding) -> String? {
    guard finding.isDenied, let path = finding.path else { return nil }
    return permissions(FileRefusal(.open, FilePath(path), code: EACCES))
  }

  /// A hint as it is printed: its commands act on the store that `--store` named.
  private func shown(_ hint: String) -> String {
    let masked = SecretMask.masked(hint)
    return options.store.map { masked.withCommands(onStore: $0.text.shellWord) } ?? masked
  }

  private func say(
    _ word: String, _ style: Style, _ message: String, _ list: [String], _ hint: String?
  ) {
    err.line("capsule: \(word + ":", style) \(message)")
    for line in list { err.line("  \(line)") }
    if let hint { err.line("capsule: \("hint:", .cyan) \(hint)") }
  }

  /// Whether a question can be asked; see ``Asker``.
  var canAsk: Bool {
    options.takesInput && host.terminal() != nil
  }

  /// Whether lines can be drawn in place: standard output is a terminal that can do that.
  var canDraw: Bool {
    out.isTerminal && options.form == .text && environment.text("TERM") != "dumb"
  }

  /// Begins the progress of a piece of work; it shows nothing unless standard error is a terminal.
  func progress(
    _ label: String, total: Int64? = nil, unit: Progress.Unit = .bytes
  ) -> Progress {
    let isWanted =
      err.isTerminal && showsNotes && environment.text("TERM") != "dumb"
    return Progress(
      label, total: total, unit: unit, output: isWanted ? err : nil, clock: host.monotonicClock)
  }
}

/// Hides the secret keys of age in what is said of a mistake: such a line is kept by terminals and logs.
enum SecretMask {
  private static let prefix = Array("age-secret-key-".utf8)

  /// Returns a text with `…` in place of what follows each `AGE-SECRET-KEY-`, in any case.
  static func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > prefix.count else { return text }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      guard isPrefix(bytes[place...]) else {
        result.append(bytes[place])
        place += 1
        continue
      }
      let start = place + prefix.count
      // Of a post-quantum key `PQ-` follows.
      let end = bytes[start...].firstIndex { !isOfKey($0) } ?? bytes.endIndex
      result += bytes[place..<start]
      result += end - start > 8 ? Array("…".utf8) : Array(bytes[start..<end])
      place = end
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func masked(_ value: JSON) -> JSON {
    switch value {
    case .string(let text): masked(text).json
    case .array(let values): .array(values.map { masked($0) })
    case .object(let members): .object(masked(members))
    default: value
    }
  }

  static func masked(_ members: JSONObject) -> JSONObject {
    JSONObject(members.map { ($0.key, masked($0.value)) })
  }

  private static func isPrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= prefix.count && zip(bytes, prefix).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte.isASCIIDigit
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension String {
  /// The text with `--store` in each command line of this program that names no store itself. What stands in
  /// quotes stays, such as a title, and so does a part about another device: the store has another path there.
  fileprivate func withCommands(onStore store: String) -> String {
    let name = Array("capsule ".utf8)
    var text: [UInt8] = []
    var partStart = 0
    var isQuoted = false
    var rest = Array(utf8)[...]
    func isLetter(_ byte: UInt8?) -> Bool {
      byte.map { Unicode.Scalar($0).properties.isAlphabetic || $0 > 0x7f } ?? false
    }
    while let byte = rest.first {
      if byte == UInt8(ascii: "'") {
        // Between letters it is an apostrophe.
        isQuoted = isQuoted ? isLetter(rest.dropFirst().first) : !isLetter(text.last)
      } else if byte == UInt8(ascii: ";"), !isQuoted {
        partStart = text.count + 1
      } else if !isQuoted, rest.starts(with: name) {
        let before = text[partStart...]
        text += name
        rest = rest.dropFirst(name.count)
        let begins =
          before.allSatisfy { $0 == UInt8(ascii: " ") } || before.last == UInt8(ascii: "(")
          || before.suffix(2).elementsEqual(": ".utf8)
        let isElsewhere = String(decoding: before, as: UTF8.self).has("device")
        let isOfAnyStore = ["--store ", "help", "keygen"].contains { rest.starts(with: $0.utf8) }
        if begins, !isElsewhere, !isOfAnyStore { text += Array("--store \(store) ".utf8) }
        continue
      }
      text.append(byte)
      rest = rest.dropFirst()
    }
    return String(decoding: text, as: UTF8.self)
  }
}
