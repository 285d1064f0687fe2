/// One run of the program, from the command line to the code that it ends with.
package struct Program {
  private let table: CommandTable
  private let host: Host

  package init(table: CommandTable, host: Host) {
    self.table = table
    self.host = host
  }

  package func run() -> ExitCode {
    let outcome: Parser.Outcome
    do throws(UsageProblem) {
      outcome = try Parser(table).parse(host.arguments)
    } catch {
      let settings = Settings(guessedFrom: host.arguments)
      return end(Session(host: host, table: table, settings: settings)) { _ throws(Failure) in
        throw Failure(error)
      }
    }
    switch outcome {
    case .run(let command, let invocation):
      return end(session(invocation, verb: command.name)) { session throws(Failure) in
        try command.run(invocation, session)
      }
    case .help(let subject, let invocation):
      return end(session(invocation)) { session throws(Failure) in
        try HelpCommand.show(subject, session)
      }
    case .version(let invocation):
      return end(session(invocation), VersionCommand.show)
    }
  }

  private func session(_ invocation: Invocation, verb: String = "") -> Session {
    Session(host: host, table: table, settings: Settings(invocation), verb: verb)
  }

  /// Runs, tells a failure, and checks that all that was written arrived.
  private func end(
    _ session: Session, _ body: (Session) throws(Failure) -> ExitCode
  ) -> ExitCode {
    var code: ExitCode
    do throws(Failure) {
      code = try body(session)
    } catch {
      session.console.report(error)
      code = error.kind.exitCode
    }
    do throws(Failure) {
      try session.console.out.flush()
    } catch {
      // Told once: a body that failed by the same write has said so.
      if code == .ok || error.kind == .signal {
        session.console.report(error)
        code = error.kind.exitCode
      }
    }
    return code
  }
}
