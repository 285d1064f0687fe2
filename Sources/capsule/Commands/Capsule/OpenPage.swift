import CapsuleCore

/// `capsule open --page`: the contents as a page for a browser.
struct OpenPage {
  let session: Session
  let opened: OpenedCapsule
  let now: Instant

  /// Returns the terminal that showing a page takes, before anything is opened.
  static func requireTerminal(_ session: Session) throws -> any Terminal {
    guard session.options.form == .text, session.ask.isPossible,
      let terminal = session.host.terminal()
    else {
      throw Failure.usage(
        "'--page' shows the page until Enter is pressed, which takes a terminal",
        hint: "make it in a folder: '--output DIR'")
    }
    return terminal
  }

  /// Makes the page in a folder that is new or empty.
  func make(at folder: FilePath) throws -> ExitCode {
    for path in opened.partialPages(beside: folder) {
      session.console.warning(
        "'\(path.text)' was left by a run that was killed, or that still runs: it is in the clear",
        hint: "remove it if no 'open --page' runs", details: ["path": .string(path.text)])
    }
    if let code = try write(to: folder) { return code }
    let index = folder.withoutEndingSlash.appending("index.html")
    guard session.options.form == .text else {
      return try OpenAnswer(session: session, opened: opened, now: now)
        .json(written: nil, page: index)
    }
    OpenCommand.keepOpening(of: opened, now, session)
    return try session.console.render(json: .null) { out in
      out.line(
        session.isQuiet
          ? "\(index.text)" : "Made the page of '\(opened.capsule.title, .bold)': \(index.text)")
    }
  }

  /// Shows the page by the desktop until Enter is pressed, and removes it then, or at a signal.
  func show(at terminal: any Terminal) throws -> ExitCode {
    // From here on no signal ends the program before the folder is gone.
    let signals = session.host.watchSignals()
    defer { signals.end() }
    let folder = try PrivateFile(
      named: Array("page".utf8), as: .copy, session, isLarge: opened.byteCount > 64 << 20,
      in: opened.store)
    defer { folder.remove() }
    if let code = try write(to: folder.path) { return code }
    let index = folder.path.appending("index.html")
    session.console.err.line("The page is '\(index.text)'. Press Enter to remove it.")
    try session.console.err.flush()
    do {
      let shown = try session.viewer.runFirst(
        [("xdg-open", []), ("open", [])], with: index, to: "show the page", isQuiet: true)
      if shown.wasInterrupted { return .interrupted }
    } catch {
      var failure = Failure(error)
      failure.hint = "make it in a folder, and open that with a browser: '--output DIR'"
      throw failure
    }
    OpenCommand.keepOpening(of: opened, now, session)
    return try waitForEnter(at: terminal, signals)
  }

  /// - Returns: the code of the signal that ended it.
  private func write(to folder: FilePath) throws -> ExitCode? {
    let owner = session.stores.settings(of: opened.store).owner
    let signals = WorkSignals(session, "Opening", total: opened.byteCount)
    defer { signals.end() }
    do {
      try opened.makePage(
        at: folder, owner: owner, now: now, zone: session.zone, watch: signals.pass)
    } catch let interruption as WorkSignals.Interrupted {
      return interruption.code
    } catch let taken as NameTaken {
      throw Failure(
        .refused,
        "'\(taken.path.text)' is there already, and is no empty folder; nothing was written",
        hint: "name a folder that is new or empty", details: ["path": .string(taken.path.text)])
    }
    return nil
  }

  private func waitForEnter(
    at terminal: any Terminal, _ signals: any SignalWatch
  ) throws -> ExitCode {
    let keys = try terminal.keys()
    defer { keys.end() }
    while true {
      switch signals.wait(0) {
      case nil: break
      case .suspend:
        keys.pause()
        signals.deliver(.suspend)
        keys.resume()
      case .interrupt: return .interrupted
      case .terminate, .hangUp, .quit: return .terminated
      }
      // Without a terminal any more nobody can press Enter.
      guard let typed = keys.read(200_000_000) else { return .ok }
      if typed.contains(0x0a) || typed.contains(0x0d) { return .ok }
    }
  }
}
