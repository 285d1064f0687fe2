import CapsuleCore

/// The answer of `check`, written as it comes: nothing of it is held for long.
struct DueAnswer {
  private let session: Session
  private var writer: JSONTextWriter
  private var isEmpty = true
  private var isEnded = false

  init(_ session: Session) {
    self.session = session
    let isArray = session.options.form == .json
    writer = JSONTextWriter(isArray && session.console.out.isTerminal ? .pretty : .compact)
    if isArray { writer.beginArray() }
  }

  mutating func add(_ notice: Notice) {
    add(.object(notice.members())) { out in out.line(notice.text) }
  }

  /// Adds that some things were due before the first use, which were announced to nobody.
  mutating func add(_ earlier: EarlierDues) {
    let object = summary(earlier)
    add(object) { out in out.line(StyledText(Self.text(earlier))) }
  }

  /// The line for people that some things were due before the first use.
  static func text(_ earlier: EarlierDues) -> String {
    let commands = earlier.kinds.map { "'\($0.listCommand)\($0 == .item ? " --due" : "")'" }
    let shows = "\(commands.joined(separator: ", ")) \(commands.count == 1 ? "shows" : "show")"
    return earlier.count == 1
      ? "1 was due already when this machine first used the store; \(shows) it."
      : "\(earlier.count) were due already when this machine first used the store; \(shows) them."
  }

  /// Writes what was added.
  ///
  /// - Throws: the error of the system where it could not be written.
  mutating func flush() throws(SystemError) {
    session.console.out.json(writer.takeBytes())
    try session.console.out.flush()
  }

  /// Ends the answer where it was not ended yet, and writes it.
  mutating func end() throws(SystemError) {
    if isEnded { return }
    isEnded = true
    if session.options.form == .json {
      writer.endArray()
      writer.endLine()
    }
    try flush()
  }

  /// Ends an answer that has something in it, where an error cut it short: the things that were announced
  /// are a whole answer in JSON too.
  mutating func endCutShort() {
    // The error is the one to report.
    if !isEmpty { try? end() }
  }

  private mutating func add(_ object: @autoclosure () -> JSON, text: (TextOutput) -> Void) {
    isEmpty = false
    switch session.options.form {
    case .text: text(session.console.out)
    case .json: writer.value(object())
    case .ndjson:
      writer.value(object())
      writer.endLine()
    }
    if writer.byteCount >= 32_768 { session.console.out.json(writer.takeBytes()) }
  }

  private func summary(_ earlier: EarlierDues) -> JSON {
    var members: JSONObject = [
      "topic": "summary", "count": .integer(Int64(earlier.count)), "kind": "store",
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(earlier.firstUse, as: "firstUseAt", to: &members)
    return .object(members)
  }
}
