import CapsuleCore

/// Gives an attachment back: to a file, to standard output, or to a program that shows it.
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

  /// The file as other programs show it, under the name that it was kept by.
  func shown(_ attachment: Attachment) -> ShownFile {
    var names = ContentFileNames()
    return ShownFile(
      name: names.next(attachment, number: 1), mediaType: attachment.mediaType,
      size: attachment.size,
      write: { path in try write(attachment, to: path, overwriting: false) },
      read: { limit in try store.bytes(of: attachment, limit: limit) })
  }
}
