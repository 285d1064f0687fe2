import CapsuleCore

/// One of an item's media as lists and JSON show it.
struct MediaView {
  let media: Media
  /// Its number, from 1, by which it is named.
  let number: Int
  private let session: Session

  init(_ media: Media, number: Int, in session: Session) {
    self.media = media
    self.number = number
    self.session = session
  }

  var members: JSONObject {
    session.object(
      [
        "number": number.json, "name": media.file.displayName.json,
        "title": media.title.jsonIfAny, "mediaType": media.file.mediaType.json,
        "size": media.file.size.json, "width": media.facts.width.json,
        "height": media.facts.height.json, "milliseconds": media.facts.milliseconds.json,
      ],
      at: [
        "addedAt": media.addedAt,
        "modifiedAt": media.file.modified.map { Instant(seconds: $0.seconds) },
      ])
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<MediaView>] {
    [
      RowColumn("NO", .trailing) { StyledText(String($0.number), .dim) },
      .title("NAME") { StyledText($0.media.file.displayName, .bold) },
      .text("TITLE", flexible: true, detail: .state) { $0.media.title },
      .text("TYPE", detail: .tags) { $0.media.file.mediaType },
      .text("SIZE", .trailing, detail: .timeOfDay) { ByteSize.text($0.media.file.size) },
      .text("MEASURES", detail: .contents) { $0.factsText },
      RowColumn("DATE") { session.dates.cell($0.media.addedAt) },
    ]
  }

  /// `1200 × 800`, `3:05`; empty where the header had nothing.
  var factsText: String {
    if let width = media.facts.width, let height = media.facts.height {
      return "\(width) × \(height)"
    }
    return media.facts.lengthText
  }
}

extension MediaFacts {
  /// The length of a sound, as `3:05`; empty where the header had none.
  var lengthText: String {
    guard let milliseconds else { return "" }
    let seconds = milliseconds / 1000
    if seconds < 60 { return "\(seconds).\(milliseconds % 1000 / 100) s" }
    let rest = "\((seconds / 60 % 60).twoDigits):\((seconds % 60).twoDigits)"
    return seconds < 3600 ? rest : "\(seconds / 3600):\(rest)"
  }
}

/// Gives an attachment back: to a file, to standard output, or to a program that shows it.
struct AttachmentExtraction {
  let session: Session
  let store: Store

  private var files: any FileSystem { session.host.files }

  /// Writes it to a file, whole or not at all, with its time.
  func write(
    _ attachment: Attachment, to path: FilePath, overwriting: Bool,
    watch: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    try store.blobs.write(attachment, to: path, overwriting: overwriting, watch: watch)
  }

  /// Refuses a path where something is.
  func requireFree(_ path: FilePath) throws {
    try files.requireFree(path)
  }

  /// Puts its bytes on standard output.
  func send(_ attachment: Attachment) throws {
    var sink = OutputSink(session.console.out)
    try store.blobs.copy(attachment, to: &sink)
    try session.console.out.flush()
  }

  /// The file as other programs show it, under the name that it was kept by.
  func shown(_ attachment: Attachment) -> ShownFile {
    var names = ContentFileNames()
    return ShownFile(
      name: names.next(attachment, number: 1), mediaType: attachment.mediaType,
      size: attachment.size,
      write: { path in try write(attachment, to: path, overwriting: false) },
      read: { limit in try store.blobs.bytes(of: attachment, limit: limit) })
  }
}
