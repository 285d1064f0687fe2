import CapsuleCore

/// One run of the program, from the command line to the code that it ends with.
struct Program {
  private let table: CommandTable
  private let host: Host

  init(table: CommandTable, host: Host) {
    self.table = table
    self.host = host
  }

  func run() -> ExitCode {
    let outcome: Parser.Outcome
    do {
      outcome = try Parser(table, asking: ask).parse(host.arguments)
    } catch {
      let options = RunOptions(guessedFrom: host.arguments)
      return end(Session(host: host, options: options)) { _ in throw error }
    }
    switch outcome {
    case .run(let command, let invocation):
      return end(session(invocation, of: command)) { session in
        if let typed = invocation.typedName {
          session.console.teach(command.name, insteadOf: typed)
        }
        return try command.run(invocation, session)
      }
    case .help(.overview, let invocation) where invocation.isBare:
      return end(session(invocation)) { session in try StartCommand.run(table, session) }
    case .help(let subject, let invocation):
      return end(session(invocation)) { _ in HelpCommand.show(subject, table) }
    case .version(let invocation):
      return end(session(invocation), VersionCommand.show)
    }
  }

  private func session(_ invocation: Invocation, of command: Command? = nil) -> Session {
    var options = RunOptions(invocation)
    options.isPlain = invocation[ListOptions.plain]
    return Session(
      host: host, options: options, verb: command?.name ?? "",
      isReading: command?.isReading ?? false)
  }

  /// Asks for an operand that the command line lacks, where somebody is at a terminal.
  private func ask(
    _ command: Command, _ operand: any ParameterDeclaration, _ invocation: Invocation
  ) throws(Fault) -> [UInt8]? {
    let session = session(invocation, of: command)
    do {
      return try MissingOperand(command: command, operand: operand, session: session).ask()
    } catch {
      throw Fault(error)
    }
  }

  /// Runs, writes the answer or reports a failure, and checks that all that was written arrived.
  private func end(
    _ session: Session, _ body: (Session) throws -> Answer
  ) -> ExitCode {
    var code: ExitCode
    do {
      defer {
        host.cover.end()
        session.stores.checkInByUse()
        session.warnOfPoorFileSystem()
      }
      code = try session.console.write(body(session))
    } catch let interruption as WorkSignals.Interrupted {
      code = interruption.code
    } catch {
      code = session.console.report(error)
    }
    do {
      try session.console.out.flush()
    } catch {
      // The failure is reported once: a body that failed by the same write has reported it.
      if code == .ok || Fault(error).kind == .signal { code = session.console.report(error) }
    }
    return code
  }
}
