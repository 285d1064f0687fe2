/// The blobs that the versions of records in journals name.
struct VersionBlobs {
  /// A blob that a version names.
  struct Reference {
    let name: BlobName
    let kind: RecordKind
    let id: RecordID
    let revision: Int64
  }

  private var versions: [(frame: JournalFrame, digest: [UInt8])] = []
  /// The last revision of each record whose versions are gone, or go when their log is next written anew.
  private var gone: [RecordID: Int64] = [:]

  /// Takes in the next entry of a log.
  mutating func add(_ entry: JournalEntry) {
    let frame = entry.frame
    if let revision = frame.event.lastGone(frame.revision) {
      gone[frame.id] = max(gone[frame.id] ?? .min, revision)
    }
    if frame.event == .put { versions.append((frame, entry.bodyDigest)) }
  }

  /// The blobs that versions name of records that ought to be there.
  ///
  /// - Parameter present: the records that were found; a version that is one of them is left out.
  func references(
    of known: [RecordID: JournalRoster.Known], besides present: [RecordID: PresentRecord] = [:]
  ) -> [Reference] {
    versions.flatMap { frame, digest -> [Reference] in
      guard known[frame.id] != nil, frame.revision > gone[frame.id] ?? .min,
        present[frame.id]?.digest != digest,
        // A version without blobs has one such text, its checksum: it need not be read.
        BlobReferences.names(in: frame.body).count > 1
      else { return [] }
      let blobs = frame.kind.examine(frame.body, id: frame.id).model?.blobs ?? []
      return blobs.map {
        Reference(name: $0, kind: frame.kind, id: frame.id, revision: frame.revision)
      }
    }
  }
}
