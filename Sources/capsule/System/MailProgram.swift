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
  /// A message lies in memory as a whole.
  private static let limits: ClosedRange<Int64> = 1 << 10...256 << 20

  init(_ session: Session) throws {
    let file = try ConfigurationFile(
      "mail", of: ["command", "from", "bounce", "owner", "limit"], session)
    path = file.path
    guard let from = try Self.read(file, "from", Mailbox.init) else {
      throw Fault.usage(
        "mail is not set up: no 'from' address",
        hint: "add a line to '\(file.path.text)': from = Your Name <you@example.org>")
    }
    self.from = from
    bounce = try Self.read(file, "bounce", MailAddress.init) ?? from.address
    owner = try Self.read(file, "owner", MailAddress.init) ?? from.address
    command = file["command"] ?? Self.standardCommand
    if let text = file["limit"] {
      guard let bytes = SizeExpression.bytes(text), Self.limits.contains(bytes) else {
        throw file.fault(
          "limit", "is not a size from 1 KiB to 256 MiB", hint: "write limit = 10 MiB")
      }
      limit = bytes
    } else {
      limit = Self.standardLimit
    }
  }

  private static func read<Value>(
    _ file: ConfigurationFile, _ name: String,
    _ body: (String) throws(Fault) -> Value
  ) throws -> Value? {
    guard let text = file[name] else { return nil }
    do { return try body(text) } catch {
      throw file.fault(
        name, "is not a valid email address",
        hint: error.cause as? MailAddress.Problem == .notASCII
          ? "write the domain in its 'xn--' form" : "write a full address, such as you@example.org")
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
            ? "install msmtp (with msmtp-mta), Postfix or OpenSMTPD, or name another program in "
              + "'\(configuration.path.text)': command = …"
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
