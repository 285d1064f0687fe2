import CapsuleCore

/// Gives an attachment back: to a file, to standard output, or to the desktop's viewer.
struct AttachmentExtraction {
  private let session: Session
  private let store: Store

  init(session: Session, store: Store) {
    self.session = session
    self.store = store
  }

  private var files: any FileSystem { session.host.files }

  /// Writes it to a file, whole or not at all, with its time.
  func write(
    _ attachment: Attachment, to path: FilePath, overwriting: Bool,
    watch: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    try store.write(attachment, to: path, overwriting: overwriting, watch: watch)
  }

  /// Refuses a path where something is.
  func requireFree(_ path: FilePath) throws {
    try files.requireFree(path)
  }

  /// Puts its bytes on standard output.
  func send(_ attachment: Attachment) throws {
    var sink = OutputSink(session.console.out)
    try store.copyAttachment(attachment, to: &sink)
    try session.console.out.flush()
  }

  /// A copy in a folder of its own, under the name that it was kept by.
  func copy(_ attachment: Attachment) throws -> PrivateFile {
    var names = ContentFileNames()
    let copy = try PrivateFile(named: names.next(attachment, number: 1), in: store)
    do {
      try write(attachment, to: copy.path, overwriting: false)
    } catch {
      copy.remove()
      throw error
    }
    return copy
  }

  /// Lets the desktop show a copy, which goes with the store's temporary files after a day, or at
  /// once where nothing shows it.
  func view(_ attachment: Attachment) throws {
    let copy = try copy(attachment)
    guard attachment.isShownByDesktop else {
      session.console.warning(
        "'\(attachment.displayName)' is of a kind that is not opened by itself: it might run",
        hint: "open the copy with a program of your choice")
      session.console.out.line("\(copy.path.text)")
      return try session.console.out.flush()
    }
    do {
      try show(copy, of: attachment)
    } catch {
      copy.remove()
      throw error
    }
  }

  private func show(_ copy: PrivateFile, of attachment: Attachment) throws {
    for program in ["xdg-open", "open"] {
      let outcome: ProcessOutcome
      do throws(SystemError) {
        outcome = try session.host.runProcess(
          ProcessRequest(
            program: Array(program.utf8), arguments: [copy.path.bytes], input: [],
            capturesOutput: true, timeLimit: 30_000_000_000))
      } catch {
        if error.isNotFound { continue }
        throw error
      }
      guard outcome.succeeded else {
        throw Failure.failed(program, to: "show '\(attachment.displayName)'", outcome)
      }
      return
    }
    throw Failure(
      .io, "there is neither 'xdg-open' nor 'open' to show it with",
      hint: "install 'xdg-open', or write it to a file")
  }
}

extension Attachment {
  /// Whether the desktop may open it: a kind that is only shown or played, and a name that says the same,
  /// because the desktop goes by the name.
  var isShownByDesktop: Bool {
    guard MediaType(ofName: name)?.description == mediaType else { return false }
    let passive = ["image/", "audio/", "video/"].contains {
      mediaType.utf8.starts(with: $0.utf8)
    }
    return passive && mediaType != "image/svg+xml"
      || mediaType == "application/pdf" || mediaType == "text/plain"
  }
}

extension Failure {
  /// Another program did not do what it was to do.
  static func failed(
    _ program: String, to purpose: String, _ outcome: ProcessOutcome
  ) -> Failure {
    let end =
      switch outcome.end {
      case .exited(let code): "it ended with \(code)"
      case .signalled(let number): "signal \(number) ended it"
      case .timedOut: "it took too long"
      }
    let words =
      String(decoding: outcome.errorOutput, as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
    return Failure(.io, "'\(program)' could not \(purpose): \(end)\(words)", hint: nil)
  }
}
