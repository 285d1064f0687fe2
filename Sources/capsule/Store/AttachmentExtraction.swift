package import CapsuleCore

/// Gives an attachment back: to a file, to standard output, or to the desktop's viewer.
package struct AttachmentExtraction {
  private let session: Session
  private let store: Store

  package init(session: Session, store: Store) {
    self.session = session
    self.store = store
  }

  private var files: any FileSystem { session.host.files }

  /// Writes it to a file, whole or not at all, with its time.
  package func write(
    _ attachment: Attachment, to path: FilePath, overwriting: Bool, mode: UInt32 = 0o600
  ) throws(Failure) {
    if !overwriting {
      let status: FileStatus?
      do throws(FileSystemError) { status = try files.statusIfPresent(path) } catch {
        throw Failure(error)
      }
      guard status == nil else {
        throw Failure(
          .refused, "'\(path.text)' exists already; nothing was written",
          hint: "'--force' replaces it", details: ["path": .string(path.text)])
      }
    }
    let temporary: FilePath
    do throws(StoreError) {
      temporary = path.parent.appending(
        ".capsule-\(try store.environment.temporaryName()).tmp")
    } catch {
      throw Failure(error)
    }
    do {
      let file = try files.open(temporary, .createExclusive(mode: mode))
      do {
        var sink = FileSink(files, file)
        try store.copyAttachment(attachment, to: &sink)
        if let modified = attachment.modified { try files.setModified(file, modified) }
        try files.synchronize(file)
      } catch {
        try? files.close(file)
        throw error
      }
      try files.close(file)
      if overwriting {
        try files.rename(temporary, to: path)
      } else {
        try files.publish(temporary, as: path)
      }
    } catch {
      try? files.unlink(temporary)
      throw Failure.unexpected(error)
    }
  }

  /// Puts its bytes on standard output.
  package func send(_ attachment: Attachment) throws(Failure) {
    var sink = OutputSink(output: session.console.out)
    do throws(CapsuleError) { try store.copyAttachment(attachment, to: &sink) } catch {
      throw Failure(error)
    }
    try session.console.out.flush()
  }

  /// Lets the desktop show a copy, which goes with the store's temporary files after a day.
  package func view(_ attachment: Attachment) throws(Failure) {
    let name = String(decoding: attachment.name, as: UTF8.self)
    let suffix = name.split(separator: ".").last.map { "." + $0 } ?? ""
    let isPlain = suffix.utf8.count <= 8 && suffix.dropFirst().allSatisfy(\.isLetter)
    let copy: FilePath
    do throws(StoreError) {
      copy = store.layout.temporary.appending(
        try store.environment.temporaryName() + (isPlain ? suffix : ""))
    } catch {
      throw Failure(error)
    }
    try write(attachment, to: copy, overwriting: false)
    for program in ["xdg-open", "open"] {
      do throws(SystemError) {
        let outcome = try session.host.runProcess(
          ProcessRequest(
            program: Array(program.utf8), arguments: [copy.bytes], input: [],
            capturesOutput: true, timeLimit: 30_000_000_000))
        guard outcome.succeeded else {
          throw SystemError(code: 5, action: "show '\(attachment.displayName)' with '\(program)'")
        }
        return
      } catch {
        guard error.isNotFound else { throw Failure(error) }
      }
    }
    throw Failure(
      .io, "there is neither 'xdg-open' nor 'open' to show it with",
      hint: "write it to a file: '--output FILE'")
  }
}

/// Standard output as a sink.
private struct OutputSink: ByteSink {
  let output: TextOutput

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    output.bytes(bytes)
  }
}
