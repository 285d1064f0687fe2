/// The records of one kind without reading them: sorted, found by id and name, and when what is due.
///
/// It is a cache. What it gives back is what reading every record would give; it differs only for a
/// record that was edited in place without its directory changing, which may show late. Where its
/// files turn out to be damaged, however late, every record is read again.
package struct RecordIndex {
  /// The order of the sort keys; among equal ones that of the ids.
  package enum Order: Hashable, Sendable {
    case ascending, descending
  }

  private let place: IndexPlace
  private let now: Instant
  private var content: IndexContent

  /// What the file system refused while the index was brought up to date: directories that could
  /// not be looked at, whose records are missing here.
  package private(set) var failures: [FileSystemError]

  /// Opens the index, brings it up to date with the store's directories, and keeps what it learned
  /// where it can.
  ///
  /// - Parameter now: The real time, taken before the call: a file or directory that changed less
  ///   than two seconds before it is looked at again next time.
  package static func open(_ place: IndexPlace, now: Instant) -> RecordIndex {
    do throws(IndexDamage) {
      return try RecordIndex(place, now, usingCache: true)
    } catch {
      return rebuilt(place, now)
    }
  }

  /// Reads every record.
  private static func rebuilt(_ place: IndexPlace, _ now: Instant) -> RecordIndex {
    do throws(IndexDamage) {
      return try RecordIndex(place, now, usingCache: false)
    } catch {
      // Without the cache there is nothing that could be damaged.
      return RecordIndex(place: place, now: now, content: IndexContent(), failures: [])
    }
  }

  private init(
    place: IndexPlace, now: Instant, content: IndexContent, failures: [FileSystemError]
  ) {
    self.place = place
    self.now = now
    self.content = content
    self.failures = failures
  }

  private init(
    _ place: IndexPlace, _ now: Instant, usingCache: Bool
  ) throws(IndexDamage) {
    let store = IndexStore(place: place)
    var log = IndexContent.LogReading()
    content = IndexContent()
    if usingCache { (content, log) = store.load() }
    let refresh = try content.refresh(place, now: now)
    if refresh.hasFolder { try store.save(&content, refresh, log, now: now) }
    self.place = place
    self.now = now
    failures = refresh.failures
  }

  /// Notes what a writer, who holds the store's lock, has just done. Its cost does not depend on how
  /// many records there are; a failure is no failure of the change.
  package static func append(_ change: IndexChange, to place: IndexPlace) {
    IndexStore(place: place).append(IndexLog.payload(change))
  }

  /// Asks the content; where its files are damaged, that of an index made anew.
  mutating func ask<Answer>(
    _ question: (inout IndexContent) throws(IndexDamage) -> Answer, otherwise: Answer
  ) -> Answer {
    do throws(IndexDamage) {
      return try question(&content)
    } catch {
      self = Self.rebuilt(place, now)
    }
    // If a file that was written a moment ago is damaged too, do without.
    do throws(IndexDamage) {
      return try question(&content)
    } catch {
      let kept = IndexPlace(place, cache: nil)
      self = Self.rebuilt(kept, now)
    }
    do throws(IndexDamage) { return try question(&content) } catch { return otherwise }
  }

  /// The path of a name in one of the kind's directories; see ``IndexShard``.
  func path(_ number: Int, _ name: [UInt8]) -> FilePath {
    let directory =
      UInt8(exactly: number).map { place.directory(shard: $0) } ?? place.folder
    return directory.appending(bytes: name)
  }
}
