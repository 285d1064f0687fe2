import CapsuleCore

/// The answer of `check`, written as it comes: nothing of it is held for long.
struct DueAnswer {
  private let session: Session
  private var writer: JSONTextWriter
  private(set) var isEmpty = true

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
  mutating func addEarlier(_ count: Int, _ kinds: [RecordKind], _ firstUse: Instant) {
    let object = summary(count, firstUse)
    add(object) { out in out.line(StyledText(Self.earlierText(count, kinds))) }
  }

  /// The line for people that some things were due before the first use.
  static func earlierText(_ count: Int, _ kinds: [RecordKind]) -> String {
    let commands = kinds.map { "'\($0.listCommand)\($0 == .item ? " --due" : "")'" }
    let shows = "\(commands.joined(separator: ", ")) \(commands.count == 1 ? "shows" : "show")"
    return count == 1
      ? "1 was due already when this machine first used the store; \(shows) it."
      : "\(count) were due already when this machine first used the store; \(shows) them."
  }

  /// Writes what was added.
  ///
  /// - Throws: the error of the system where it could not be written.
  mutating func flush() throws(SystemError) {
    session.console.out.json(writer.takeBytes())
    try session.console.out.flush()
  }

  /// Ends the answer, and writes it.
  mutating func end() throws(SystemError) {
    if session.options.form == .json {
      writer.endArray()
      writer.endLine()
    }
    try flush()
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

  private func summary(_ count: Int, _ firstUse: Instant) -> JSON {
    var members: JSONObject = [
      "topic": "summary", "count": .integer(Int64(count)), "kind": "store",
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(firstUse, as: "firstUseAt", to: &members)
    return .object(members)
  }
}
