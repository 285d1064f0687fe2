import CapsuleCore

/// The mail of `check`: to the owner all that is due, to others the messages of the switch.
struct CheckMail {
  let session: Session
  private let store: RecordID
  private let configuration: MailConfiguration
  private let program: MailProgram

  init(session: Session, store: Store, timeLimit: Int) throws {
    self.session = session
    self.store = store.header.id
    configuration = try MailConfiguration(session)
    program = MailProgram(
      session: session, configuration: configuration, timeLimit: timeLimit)
  }

  /// Hands a message of the switch over to the person it is for.
  func send(
    _ notice: Notice,
    _ letter: (name: String, address: String, message: String, paragraphs: [String]),
    _ message: SilenceMessage
  ) throws {
    let address: MailAddress
    do throws(MailAddress.Fault) { address = try MailAddress(letter.address) } catch {
      throw Failure(
        .partial,
        "'\(letter.address)', the address of '\(letter.name)', is none that mail can be sent to",
        hint: "set another: 'capsule beneficiary edit REF --email ADDRESS'")
    }
    try send(
      MailMessage(
        from: configuration.from, to: Mailbox(name: letter.name, address: address),
        subject: notice.title, date: session.now, zone: session.zone,
        id: id(MailAttempt.digest(of: [], [message.mark], in: store)),
        text: Page.wrapped(letter.paragraphs.joined(separator: "\n\n"))),
      "the mail for '\(letter.name)'")
  }

  /// Hands all that is due over to the owner.
  ///
  /// - Parameters:
  ///   - texts: the texts, a paragraph each.
  ///   - title: the title of the first thing, where there is one.
  func send(
    _ texts: [String], title: String?, _ announcements: [Announcement],
    _ messages: [SilenceMessage]
  ) throws {
    var from = configuration.from
    if from.name.isEmpty { from.name = "capsule" }
    let subject = texts.count == 1 ? title ?? "What is due" : "\(texts.count) things are due"
    try send(
      MailMessage(
        from: from, to: Mailbox(name: "", address: configuration.owner), subject: subject,
        date: session.now, zone: session.zone,
        id: id(MailAttempt.digest(of: announcements, messages.map(\.mark), in: store)),
        text: texts.map(Self.paragraph).joined(separator: "\n")),
      "the mail to you", sameAgain: " where nothing else is due by then")
  }

  private func send(
    _ message: MailMessage, _ name: String, sameAgain condition: String = ""
  ) throws {
    switch program.handOver(message, called: name, sameAgain: condition) {
    case .handedOver: return
    case .refused(let error), .unknown(let error): throw error
    }
  }

  private func id(_ digest: String) -> String {
    "\(digest)@\(configuration.from.address.domain)"
  }

  /// Returns a paragraph in lines, with a command at its end on a line of its own: it is to be copied.
  private static func paragraph(_ text: String) -> String {
    let text = SafeText.line(text)
    let parts = text.components(at: ": capsule ")
    // No command has a quote in it: one that has stands in a title, which is quoted.
    guard parts.count > 1, let command = parts.last, !command.utf8.contains(UInt8(ascii: "'"))
    else {
      return Page.wrapped(text)
    }
    let rest = parts.dropLast().joined(separator: ": capsule ")
    return Page.wrapped(rest + ":") + "\n    capsule \(command)\n"
  }
}

extension String {
  /// Returns the parts between the places where a text stands.
  fileprivate func components(at separator: String) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    let bytes = Array(utf8)
    let mark = Array(separator.utf8)
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: mark) {
        parts.append(String(decoding: part, as: UTF8.self))
        part = []
        place += mark.count
      } else {
        part.append(bytes[place])
        place += 1
      }
    }
    return parts + [String(decoding: part, as: UTF8.self)]
  }
}
