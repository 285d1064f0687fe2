/// A capsule that its gate and its lock let through.
public struct OpenedCapsule: Sendable {
  package let store: Store
  package let record: StoredRecord<Capsule>
  /// The description of each content, in the order of ``Capsule/contents``.
  public let details: [ContentDetails]
  /// The verified beacon that is not in the record yet.
  package let newBeacon: VerifiedTlockBeacon?
  private let key: CapsuleKey
  private let pass: GatePass

  public var capsule: Capsule { record.model }

  /// Opens the details of the contents.
  init(
    _ record: StoredRecord<Capsule>, in store: Store, key: CapsuleKey, pass: GatePass,
    newBeacon: VerifiedTlockBeacon?
  ) throws(Fault) {
    let path = store.layout.record(.capsule, record.model.id).text
    var details: [ContentDetails] = []
    for content in record.model.contents {
      details.append(try Self.details(of: content, key, pass, path: path))
    }
    self.store = store
    self.record = record
    self.details = details
    self.newBeacon = newBeacon
    self.key = key
    self.pass = pass
  }

  /// Opens what a content's seal hides but its bytes: its name, type and times, and a text itself.
  private static func details(
    of content: Content, _ key: CapsuleKey, _ pass: GatePass, path: String
  ) throws(Fault) -> ContentDetails {
    let bytes: [UInt8]
    do {
      bytes = try key.openContent(content.sealed, pass: pass)
    } catch {
      throw .seal(error, path: path)
    }
    do {
      guard case .object(let fields) = try JSON.parse(bytes) else {
        throw Fault.details(nil, path: path)
      }
      return try ContentDetails(fields: fields)
    } catch {
      throw .details(error as? FieldError, path: path)
    }
  }

  /// Writes a content's bytes into a sink; on damage, the bytes that precede it were written.
  ///
  /// - Parameter progress: called with the number of bytes that were read since the last call.
  /// - Throws: ``Fault``: `.contentDamaged`, `.blobDamaged`, `.io`, and that of the sink.
  package func write(
    _ content: Content, _ details: ContentDetails, to sink: inout some ByteSink,
    progress: @escaping (Int64) -> Void = { _ in }
  ) throws(Fault) {
    if let text = details.text {
      do {
        try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
      } catch {
        throw .stream(error)
      }
      return
    }
    guard let blob = content.blob else { throw .noBytes(content: number(of: content)) }
    var before: Int64 = 0
    let count = try store.capsules.openBlob(blob, key: key, pass: pass, to: &sink) {
      progress($0 - before)
      before = $0
    }
    guard count == details.size else {
      throw .otherSize(content: number(of: content), count, expected: details.size)
    }
  }

  /// Returns the SHA-256 of a content's bytes.
  package func digest(
    of content: Content, _ details: ContentDetails
  ) throws(Fault) -> [UInt8] {
    var sink = DigestingSink(NullSink())
    try write(content, details, to: &sink)
    return sink.digest()
  }

  /// Reads a content in pieces, from its start to its end.
  ///
  /// - Parameter index: its place in ``Capsule/contents``.
  /// - Throws: ``Fault``: `.noSuchContent` for an index beyond the last, and one whose cause is the
  ///   error of `body`; on damage, the bytes that precede it were handed over.
  public func read(
    contentAt index: Int, _ body: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws(Fault) {
    guard capsule.contents.indices.contains(index) else { throw .noSuchContent(index) }
    var sink = CallingSink(body: body)
    try write(capsule.contents[index], details[index], to: &sink)
  }

  /// Keeps in the record that it was opened, the first time, and the beacon that opened it.
  ///
  /// - Returns: whether it was the first time, and the capsule as its record says it from now on.
  /// - Throws: ``Fault``; that another process changed the record meanwhile is none.
  @discardableResult
  package func keepOpening(
    now: Instant
  ) throws(Fault) -> (isFirst: Bool, capsule: Capsule) {
    var current = record
    while true {
      let isFirst = current.model.openedAt == nil
      let beacon = current.model.lock.timelock?.beacon == nil ? newBeacon : nil
      guard isFirst || beacon != nil else { return (false, current.model) }
      var changed = current
      if isFirst { changed.model.openedAt = now }
      if let beacon { changed.model.lock.timelock?.keep(beacon) }
      do {
        return (isFirst, try store.update(changed, now: now).model)
      } catch {
        guard error.code == .changedMeanwhile else { throw error }
      }
      // Another process changed it: the opening is kept in what that one wrote.
      current = try store.readIntact(Capsule.self, capsule.id)
      guard current.model.lock.recipient == capsule.lock.recipient else { return (false, capsule) }
    }
  }

  /// The number by which a person names a content, from 1.
  private func number(of content: Content) -> Int {
    (capsule.contents.firstIndex { $0.id == content.id } ?? 0) + 1
  }
}

/// A sink that hands its bytes to a function.
struct CallingSink: ByteSink {
  let body: (UnsafeRawBufferPointer) throws -> Void

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try body(bytes)
  }
}

extension OpenedCapsule {
  /// Returns the place of the content that a word means: a number from 1, else an id or the start of one,
  /// else a name, whatever its case.
  ///
  /// - Throws: `.unknownContent`, and `.ambiguousContent` for a word that means several.
  package func place(of word: String) throws(Fault) -> Int {
    let contents = capsule.contents
    if let number = Int(word), (1...max(1, contents.count)).contains(number), !contents.isEmpty {
      return number - 1
    }
    let id = word.lowercased()
    var places = contents.indices.filter {
      let known = contents[$0].id.description
      return known == id
        || (word.utf8.count >= RecordID.shortestPrefix && known.utf8.starts(with: id.utf8))
    }
    if places.isEmpty {
      let key = NameKey(word)
      places = details.indices.filter {
        !details[$0].name.isEmpty && NameKey(details[$0].nameText) == key
      }
    }
    guard let place = places.first else {
      throw .unknownContent(word, title: capsule.title, count: contents.count)
    }
    if places.count > 1 { throw .ambiguousContent(word, numbers: places.map { $0 + 1 }) }
    return place
  }

  /// Returns what may be searched in it: texts, text files that are not long, the names of files, and
  /// captions.
  package func searchFields() throws(Fault) -> [SearchField] {
    var fields: [SearchField] = []
    for (place, (content, details)) in zip(capsule.contents, details).enumerated() {
      var texts = [details.nameText, details.caption ?? ""]
      if let text = details.text {
        texts.append(text)
      } else if details.mediaType.hasPrefix("text/"), details.size <= ContentDetails.textLimit {
        var sink = MemorySink()
        try write(content, details, to: &sink)
        texts.append(String(decoding: sink.bytes, as: UTF8.self))
      }
      for text in texts where !text.isEmpty {
        fields.append(SearchField(.content, text, number: place + 1))
      }
    }
    return fields
  }

  /// The largest text file, in bytes, that is shown to a reader and not only named.
  package static let readLimit: Int64 = 16 << 20

  /// Returns a content as something to be read: a text, or a file of text in UTF-8.
  ///
  /// - Parameters:
  ///   - index: its place in ``capsule``'s contents.
  ///   - limit: the size in bytes over which a file is not read.
  ///   - isExact: whether it is given as it is; otherwise without a byte order mark, and each line ended by
  ///     a line feed alone.
  /// - Returns: `nil` for a content that is no text, or is larger.
  package func readableText(
    at index: Int, limit: Int64 = OpenedCapsule.readLimit, isExact: Bool = false
  ) throws(Fault) -> String? {
    let details = details[index]
    if let text = details.text { return isExact ? text : text.asRead }
    guard MediaType(details.mediaType).kind == .text, details.size <= limit,
      let size = Int(exactly: details.size)
    else { return nil }
    var sink = LimitedSink(limit: size)
    try write(capsule.contents[index], details, to: &sink)
    let text = String(validating: sink.take(), as: UTF8.self)
    return isExact ? text : text?.asRead
  }

  /// Returns all bytes of a content; `nil` where it has more than the limit.
  package func bytes(at index: Int, limit: Int64) throws(Fault) -> [UInt8]? {
    let details = details[index]
    guard details.size <= limit, let size = Int(exactly: details.size) else { return nil }
    var sink = LimitedSink(limit: size)
    try write(capsule.contents[index], details, to: &sink)
    return sink.take()
  }
}

extension StoreBlobs {
  /// Returns all bytes of an attachment; `nil` where it has more than the limit.
  package func bytes(
    of attachment: Attachment, limit: Int64
  ) throws(Fault) -> [UInt8]? {
    guard attachment.size <= limit, let size = Int(exactly: attachment.size) else { return nil }
    var sink = LimitedSink(limit: size)
    try copy(attachment, to: &sink)
    return sink.take()
  }

  /// Returns an attachment as something to be read, as a text file of a capsule is.
  ///
  /// - Parameter limit: the size in bytes over which it is not read.
  /// - Returns: `nil` for one that is no text in UTF-8, or is larger.
  package func readableText(
    of attachment: Attachment, limit: Int64
  ) throws(Fault) -> String? {
    guard MediaType(attachment.mediaType).kind == .text, attachment.size <= limit,
      let size = Int(exactly: attachment.size)
    else { return nil }
    var sink = LimitedSink(limit: size)
    try copy(attachment, to: &sink)
    return String(validating: sink.take(), as: UTF8.self)?.asRead
  }
}

extension String {
  /// The text as people read it: without a byte order mark at its start, and with line feeds in place of
  /// the line ends of other systems.
  fileprivate var asRead: String {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    guard utf8.contains(UInt8(ascii: "\r")) || utf8.starts(with: mark) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\r"), rest.first == UInt8(ascii: "\n") { continue }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
