import CapsuleCore

extension ValueType<DeliveryState> {
  /// One of the states, written as words of the command line are; as JSON has it, too.
  static var word: ValueType {
    let words = DeliveryState.allCases.map { $0.words.parts(at: " ").joined(separator: "-") }
    return ValueType(completion: .choices(words)) { bytes throws(ValueProblem) in
      let text = String(decoding: bytes, as: UTF8.self)
      for (state, word) in zip(DeliveryState.allCases, words)
      where text == word || text == state.rawValue { return state }
      throw .notAChoice(words)
    }
  }
}

/// The operands and options by which a bequest is described.
enum BequestOptions {
  enum Access: String, CaseIterable, Sendable {
    case immediate
    case uponPassing = "upon-passing"
  }

  static let reference = Parameter.operand(
    "REF", .reference(.bequest),
    "An id, its start, or the name of the item, capsule or person if only one bequest has it")
  static let access = Parameter.option(
    "access", value: "RULE", ValueType<Access>.choice,
    "When the person may have it: at once, or after `passing declare`")
  static let accessAfter = Parameter.option(
    "access-after", value: "WHEN", .text, "The date from which the person may have it")
  static let message = Parameter.option(
    "message", short: "m", value: "TEXT", .text, "A personal message to the person")
  static let messageFile = Parameter.option(
    "message-file", value: "FILE", .path, "Read the message from a file, or `-` for standard input")
  static let messageEdit = Parameter.flag(
    "message-edit", "Write the message in `$VISUAL` or `$EDITOR`")

  static let options: Parameters = [
    access, accessAfter, message, messageFile, messageEdit,
  ]

  /// The rule that was asked for; `nil` for none.
  static func rule(
    _ invocation: Invocation, _ session: Session
  ) throws -> AccessRule? {
    guard let text = invocation[accessAfter] else {
      return invocation[access].map { $0 == .immediate ? .immediate : .uponPassing }
    }
    guard invocation[access] == nil else {
      throw Failure.usage(
        "'--access' and '--access-after' contradict each other", hint: "give one of the two")
    }
    let when = try session.dates.read(text, option: "--access-after")
    if !session.isQuiet { session.console.note("From \(session.dates.echo(when))") }
    return .afterDate(when.instant)
  }

  /// The message that was asked for, and its draft where it was written; `nil` for none.
  ///
  /// - Parameter before: the text that the editor begins with.
  static func message(
    _ invocation: Invocation, before: String = "", _ session: Session, _ store: Store
  ) throws -> (text: String, drafts: [PrivateFile])? {
    let given = [
      invocation.has(message), invocation.has(messageFile), invocation.has(messageEdit),
    ].count { $0 }
    guard given > 0 else { return nil }
    guard given == 1 else {
      throw Failure.usage(
        "several messages are given",
        hint: "give one of '--message', '--message-file' and '--message-edit'")
    }
    var drafts: [PrivateFile] = []
    var text = invocation[message] ?? ""
    if let path = invocation[messageFile] { text = try read(path, session) }
    if invocation[messageEdit] {
      let written = try EditorText.write(session, beginning: before, in: store)
      drafts = [written.draft]
      text = written.text
    }
    do { try RecordFault.check(text, .message, limit: Bequest.messageLimit) } catch {
      for draft in drafts { draft.nameKept(session) }
      throw error
    }
    return (text, drafts)
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> String {
    let bytes = try session.files.bytes(of: path, limit: Bequest.messageLimit + 1)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(
        .refused, "'\(path.text)' is not text in UTF-8", hint: "a message is text",
        details: ["path": .string(path.text)])
    }
    return text
  }
}
