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
  ///
  /// - Throws: `.seal`, `.details`.
  init(
    _ record: StoredRecord<Capsule>, in store: Store, key: CapsuleKey, pass: GatePass,
    newBeacon: VerifiedTlockBeacon?
  ) throws(CapsuleError) {
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
  ) throws(CapsuleError) -> ContentDetails {
    let bytes: [UInt8]
    do throws(AgeFailure) {
      bytes = try key.openContent(content.sealed, pass: pass)
    } catch {
      throw .seal(error, path: path)
    }
    do {
      guard case .object(let fields) = try JSON.parse(bytes) else {
        throw CapsuleError.details(nil, path: path)
      }
      return try ContentDetails(fields: fields)
    } catch {
      throw .details(error as? FieldError, path: path)
    }
  }

  /// Writes a content's bytes into a sink; on damage, the bytes that precede it were written.
  ///
  /// - Parameter progress: called with the number of bytes that were read since the last call.
  /// - Throws: `.store`, `.seal`, `.noBytes`, `.otherSize`, and `.streamFailed` for a text that the
  ///   sink does not take.
  package func write(
    _ content: Content, _ details: ContentDetails, to sink: inout some ByteSink,
    progress: @escaping (Int64) -> Void = { _ in }
  ) throws(CapsuleError) {
    if let text = details.text {
      do {
        try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
      } catch {
        throw .streamFailed(error)
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
  ///
  /// - Throws: as ``write(_:_:to:progress:)`` does.
  package func digest(
    of content: Content, _ details: ContentDetails
  ) throws(CapsuleError) -> [UInt8] {
    var sink = DigestingSink(NullSink())
    try write(content, details, to: &sink)
    return sink.digest()
  }

  /// Reads a content in pieces, from its start to its end.
  ///
  /// - Parameter index: its place in ``Capsule/contents``.
  /// - Throws: ``CapsuleError``: `.noSuchContent` for an index beyond the last, `.streamFailed` with the
  ///   error of `body`; on damage, the bytes that precede it were handed over.
  public func read(
    contentAt index: Int, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws(CapsuleError) {
    guard capsule.contents.indices.contains(index) else { throw .noSuchContent(index) }
    let result = withoutActuallyEscaping(body) { body in
      Result { () throws(CapsuleError) in
        var sink = CallingSink(body: body)
        try write(capsule.contents[index], details[index], to: &sink)
      }
    }
    try result.get()
  }

  /// Keeps in the record that it was opened, the first time, and the beacon that opened it.
  ///
  /// - Returns: whether it was the first time, and the capsule as its record says it from now on.
  /// - Throws: ``StoreError``; that another process changed the record meanwhile is none.
  @discardableResult
  package func keepOpening(
    now: Instant
  ) throws(StoreError) -> (isFirst: Bool, capsule: Capsule) {
    var current = record
    while true {
      let isFirst = current.model.openedAt == nil
      let beacon = current.model.lock.timelock?.beacon == nil ? newBeacon : nil
      guard isFirst || beacon != nil else { return (false, current.model) }
      var changed = current
      if isFirst { changed.model.openedAt = now }
      if let beacon { changed.model.lock.timelock?.keep(beacon) }
      do throws(StoreError) {
        return (isFirst, try store.update(changed, now: now).model)
      } catch {
        guard case .changedMeanwhile = error else { throw error }
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
