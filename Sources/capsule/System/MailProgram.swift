import CapsuleCore

/// The mail of this machine, by `$XDG_CONFIG_HOME/capsule/mail`.
struct MailConfiguration {
  /// A command line for the shell, which gets the words `-i -f BOUNCE -- ADDRESS`.
  let command: String
  let from: Mailbox
  /// The address for mail that cannot be delivered.
  let bounce: MailAddress
  /// The owner's own address, for what is due.
  let owner: MailAddress
  /// The most bytes of a message.
  let limit: Int64
  let path: FilePath

  /// The place of `sendmail` on every system that has one (Filesystem Hierarchy Standard 3.0, §4.5).
  static let standardCommand = "/usr/sbin/sendmail"
  static let standardLimit: Int64 = 10 << 20

  init(_ session: Session) throws {
    let file = try MailSetting.file(session)
    path = file.path
    for setting in MailSetting.all {
      guard let text = file[setting.key], let refusal = setting.refusal(text) else { continue }
      throw file.fault(setting.key, refusal.reason, hint: refusal.hint)
    }
    func address(_ setting: MailSetting) throws -> MailAddress? {
      try file[setting.key].map(MailAddress.init)
    }
    guard let from = try file[MailSetting.from.key].map(Mailbox.init) else {
      throw MailSetting.missing
    }
    self.from = from
    bounce = try address(.bounce) ?? from.address
    owner = try address(.owner) ?? from.address
    command = file[MailSetting.command.key] ?? Self.standardCommand
    limit = file[MailSetting.limit.key].flatMap(SizeExpression.bytes) ?? Self.standardLimit
  }

  /// The mail of this machine. What is missing is asked for at a terminal, and written to the file.
  static func asked(_ session: Session) throws -> MailConfiguration {
    let file = try MailSetting.file(session)
    guard file[MailSetting.from.key] == nil, session.ask.isInteractive,
      session.options.form == .text
    else { return try MailConfiguration(session) }
    session.console.note("Mail is not set up on this machine.")
    let from = try session.ask.until(
      "Your address, such as Ada Berg <ada@example.org>? ", unanswered: MailSetting.missing
    ) { try MailSetting.from.checked($0) }
    try file.write(MailSetting.from.key, from, session)
    let known = file[MailSetting.command.key] ?? standardCommand
    let command = try session.ask.until(
      "The program that takes mail, such as msmtp [\(known)]? ", unanswered: MailSetting.missing
    ) { $0.isEmpty ? known : try MailSetting.command.checked($0) }
    if command != known {
      try MailSetting.file(session).write(MailSetting.command.key, command, session)
    }
    session.console.note(
      StyledText(
        "Wrote '\(file.path.text)'. Change it with: capsule settings set mail.from ADDRESS"))
    return try MailConfiguration(session)
  }
}

/// A name of `$XDG_CONFIG_HOME/capsule/mail`: a setting of this machine, since it names a program or an
/// address. There is no password among them: the mail program keeps that.
struct MailSetting: Sendable {
  /// The name in the file.
  let key: String
  /// The name that people type.
  var name: String { "mail." + key }
  /// The thing that it decides, in one line.
  let summary: String
  /// The values that are accepted, for messages.
  let accepted: String
  /// Its value where nothing was set; empty where that depends on another.
  var fallback = ""
  /// Returns what is wrong with a value; `nil` for one that is accepted.
  let refusal: @Sendable (String) -> (reason: String, hint: String)?

  static let all = [command, from, bounce, owner, limit]

  static let command = MailSetting(
    key: "command", summary: "the program that takes mail",
    accepted: "a command for the shell, such as msmtp -a home",
    fallback: MailConfiguration.standardCommand
  ) { _ in nil }
  static let from = MailSetting(
    key: "from", summary: "the sender of mail",
    accepted: "an address, also with a name, such as Ada Berg <ada@example.org>"
  ) { text in refusal { () throws(Fault) in _ = try Mailbox(text) } }
  static let bounce = MailSetting(
    key: "bounce", summary: "the address for mail that comes back; the sender if not set",
    accepted: "an address", refusal: ofAddress)
  static let owner = MailSetting(
    key: "owner", summary: "your address for 'check --mail'; the sender if not set",
    accepted: "an address", refusal: ofAddress)
  static let limit = MailSetting(
    key: "limit", summary: "the largest message", accepted: "a size from 1 KiB to 256 MiB",
    fallback: "10 MiB"
  ) { text in
    // A message lies in memory as a whole.
    let bytes = SizeExpression.bytes(text)
    return bytes.map { (1 << 10...256 << 20).contains($0) } ?? false
      ? nil : ("is not a size from 1 KiB to 256 MiB", "write limit = 10 MiB")
  }

  /// Nothing says who sends mail.
  static let missing = Fault.usage(
    "mail is not set up: no 'from' address",
    hint: "set it: capsule settings set mail.from 'Your Name <you@example.org>'")

  static func file(_ session: Session) throws -> ConfigurationFile {
    try ConfigurationFile("mail", of: all.map(\.key), session)
  }

  /// Returns a value that a person typed, as it goes into the file.
  func checked(_ typed: String) throws -> String {
    let text = typed.trimmed
    let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    if !text.isEmpty, isLine, refusal(text) == nil { return text }
    throw Fault.usage("invalid value for '\(name)': '\(text.shortened)'", hint: "use \(accepted)")
  }

  private static func ofAddress(_ text: String) -> (reason: String, hint: String)? {
    refusal { () throws(Fault) in _ = try MailAddress(text) }
  }

  private static func refusal(
    _ read: () throws(Fault) -> Void
  ) -> (reason: String, hint: String)? {
    do {
      try read()
      return nil
    } catch {
      return (
        "is not a valid email address",
        error.cause as? MailAddress.Problem == .notASCII
          ? "write the domain in its 'xn--' form" : "write a full address, such as you@example.org"
      )
    }
  }
}

/// The program that takes mail from this one.
struct MailProgram {
  let session: Session
  let configuration: MailConfiguration
  /// The time limit in seconds.
  let timeLimit: Int

  /// Hands a message over: to the program's standard input, with the address as a word of its own.
  ///
  /// - Parameters:
  ///   - what: the message, for people.
  ///   - condition: the words that say when the next try has the same Message-ID, where it may have another.
  func handOver(
    _ message: MailMessage, called what: String, sameAgain condition: String = ""
  ) -> MailOutcome {
    let address = message.to.address.text
    let words = ["-i", "-f", configuration.bounce.text, "--", address].map { Array($0.utf8) }
    var request = ProcessRequest.shell(
      Array("\(configuration.command) \"$@\"".utf8), arguments: words,
      input: message.bytes(.lineFeed), capturesOutput: true,
      timeLimit: Int64(timeLimit) * 1_000_000_000)
    request.outputLimit = 1 << 16
    let outcome: ProcessOutcome
    do {
      outcome = try session.host.runProcess(request)
    } catch {
      return .refused(error)
    }
    switch outcome.end {
    case .exited(0): return .handedOver
    case .exited(let code) where code <= 128:
      let isMissing = code == 126 || code == 127
      return .refused(
        failure(
          what, "'\(configuration.command)' exited with status \(code)\(Self.meaning(code))",
          outcome,
          hint: isMissing
            ? "install msmtp (with msmtp-mta), Postfix or OpenSMTPD, or name another program: "
              + "capsule settings set mail.command PROGRAM"
            : [65, 67].contains(code)
              ? "correct the address: capsule beneficiary edit" : "the next run tries again"))
    case .exited(let code):
      return unknown("signal \(code - 128) ended '\(configuration.command)'")
    case .signalled(let number):
      return unknown("signal \(number) ended '\(configuration.command)'")
    case .timedOut:
      return unknown(
        "'\(configuration.command)' took longer than \(DurationUnit.second.text(timeLimit))")
    }
    func unknown(_ end: String) -> MailOutcome {
      .unknown(
        failure(
          what, end, outcome, wasNotSent: "may not have been sent",
          hint: "do nothing: the next run sends the mail again with the same Message-ID\(condition)"
        ))
    }
  }

  private func failure(
    _ what: String, _ end: String, _ outcome: ProcessOutcome,
    wasNotSent: String = "was not sent", hint: String
  ) -> Fault {
    Fault(
      .partial, "\(what) \(wasNotSent): \(end)\(outcome.lastWords)", hint: hint)
  }

  /// The meaning of a code of `sysexits.h`, which programs that carry mail end with.
  private static func meaning(_ code: Int32) -> String {
    switch code {
    case 65: " (the address or the message was refused)"
    case 67: " (no such person there)"
    case 68: " (no such host)"
    case 69: " (no service now, or the message is too large)"
    case 75: " (no connection)"
    case 77: " (not allowed)"
    case 78: " (it is not set up)"
    case 126: " (it cannot be run)"
    case 127: " (there is no such program)"
    default: ""
    }
  }
}
