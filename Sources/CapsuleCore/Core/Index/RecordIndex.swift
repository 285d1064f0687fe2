/// The files of records that are looked at when an index is opened, besides the directories: a record
/// that was written over in its place shows in the times of its file alone.
package enum IndexLook: Hashable, Sendable {
  /// No files of records.
  case directories
  /// Every file where there are at most so many records, else none.
  case filesOfFew(Int)
  /// So many files for each minute since the last such opening, those that follow: in turn all of
  /// them. See ``IndexTurn``.
  case filesInTurn(Int)
}

/// The records of one kind without reading them: sorted, found by id and name, and when what is
/// due.
///
/// It is a cache. It answers as reading every record would; it differs only for a
/// record that was edited in place without its directory changing, which may show late: see
/// ``IndexLook``. Where its files turn out to be damaged, however late, every record is read again.
package struct RecordIndex {
  /// The order of the sort keys; among equal ones that in which the records were made.
  package enum Order: Hashable, Sendable {
    case ascending, descending
  }

  private let setup: IndexSetup
  private let now: Instant
  private var content: LoadedIndex

  /// The refusals of the file system while the index was brought up to date: directories that could
  /// not be looked at, whose records are missing here.
  package private(set) var failures: [FileSystemError]

  /// Opens the index, brings it up to date with the store's directories, and keeps what it learned
  /// where it can.
  ///
  /// - Parameters:
  ///   - now: The real time, taken before the call: a file or directory that changed less than two
  ///     seconds before it is looked at again next time.
  ///   - look: The files that are looked at besides the directories.
  package static func open(
    _ setup: IndexSetup, now: Instant, look: IndexLook = .directories
  ) -> RecordIndex {
    do throws(IndexDamage) {
      return try RecordIndex(setup, now, look, usingCache: true)
    } catch {
      return rebuilt(setup, now)
    }
  }

  /// Reads every record.
  private static func rebuilt(_ setup: IndexSetup, _ now: Instant) -> RecordIndex {
    do throws(IndexDamage) {
      return try RecordIndex(setup, now, .directories, usingCache: false)
    } catch {
      // Without the cache there is nothing that could be damaged.
      return RecordIndex(setup: setup, now: now, content: LoadedIndex(), failures: [])
    }
  }

  private init(
    setup: IndexSetup, now: Instant, content: LoadedIndex, failures: [FileSystemError]
  ) {
    self.setup = setup
    self.now = now
    self.content = content
    self.failures = failures
  }

  private init(
    _ setup: IndexSetup, _ now: Instant, _ look: IndexLook, usingCache: Bool
  ) throws(IndexDamage) {
    let store = IndexPersistence(setup: setup)
    var log = LoadedIndex.LogReading()
    content = LoadedIndex()
    if usingCache { (content, log) = store.load() }
    let refresh = try content.refresh(setup, now: now, look: look)
    if refresh.hasFolder { try store.save(&content, refresh, log, now: now) }
    self.setup = setup
    self.now = now
    failures = refresh.failures
  }

  /// Notes what a writer, who holds the store's lock, has just done. Its cost does not depend on
  /// how many records there are; a failure is no failure of the change.
  package static func append(_ change: IndexChange, to setup: IndexSetup) {
    append([change], to: setup)
  }

  /// Notes several changes at once.
  package static func append(_ changes: [IndexChange], to setup: IndexSetup) {
    IndexPersistence(setup: setup).append(changes.map(IndexLog.payload))
  }

  /// Writes the files anew, with nothing in them of records that are gone.
  package static func rewrite(_ setup: IndexSetup, now: Instant) {
    guard let base = setup.base, let log = setup.log,
      (try? setup.files.statusIfPresent(base)) != .some(nil)
    else { return }
    let store = IndexPersistence(setup: setup)
    var (content, _) = store.load()
    let old = content.base?.id
    do throws(IndexDamage) {
      if try content.refresh(setup, now: now).hasFolder { try store.fold(&content) }
    } catch {}
    if content.base == nil || content.base?.id == old {
      // It could not be written: nothing of it is kept.
      for path in [base, log] { try? setup.files.unlink(path) }
    }
  }

  /// Asks the content; where its files are damaged, that of an index made anew.
  mutating func ask<Answer>(
    _ question: (inout LoadedIndex) throws(IndexDamage) -> Answer, otherwise: Answer
  ) -> Answer {
    do throws(IndexDamage) {
      return try question(&content)
    } catch {
      self = Self.rebuilt(setup, now)
    }
    // If a file that was written a moment ago is damaged too, do without.
    do throws(IndexDamage) {
      return try question(&content)
    } catch {
      let kept = IndexSetup(setup, cache: nil)
      self = Self.rebuilt(kept, now)
    }
    do throws(IndexDamage) { return try question(&content) } catch { return otherwise }
  }

  /// Returns the path of a name in one of the kind's directories; see ``IndexShard``.
  func path(_ number: Int, _ name: [UInt8]) -> FilePath {
    let directory =
      UInt8(exactly: number).map { setup.directory(shard: $0) } ?? setup.folder
    return directory.appending(bytes: name)
  }
}
