/// The setup of one kind's index: where the records are, where the index is kept, and how a record
/// is read.
package struct IndexSetup: Sendable {
  /// Makes the entry of a record from its file's bytes. It never fails: what it cannot read gets an
  /// entry with a problem. It may be called on several threads at once.
  package typealias Summarize = @Sendable (RecordID, [UInt8]) -> IndexEntry

  package let files: any FileSystem
  /// The store's directory.
  package let store: FilePath
  /// The directory of the index's file, made when needed; `nil` to keep nothing.
  package private(set) var cache: FilePath?
  package let kind: RecordKind
  /// Changes whenever the model's summaries do, so that old ones are not used.
  package private(set) var summaryVersion: UInt32
  /// A larger file is no record, and is not read.
  package let recordLimit: Int
  /// The most threads that may read records at once.
  package let threads: Int
  /// Up to so many records, every file of a directory that may have changed is looked at.
  package let fewRecords: Int
  package let random: RandomSource
  package private(set) var summarize: Summarize
  /// The ending of the file's name.
  private var ending = "index"

  /// The endings of all files of a kind.
  static let endings = ["index", "texts", "turn"]

  /// The permissions of what is kept.
  static let mode: UInt32 = 0o600

  package init(
    files: any FileSystem, store: FilePath, cache: FilePath?, kind: RecordKind,
    summaryVersion: UInt32, recordLimit: Int, threads: Int, fewRecords: Int = 1 << 16,
    random: RandomSource, summarize: @escaping Summarize
  ) {
    self.files = files
    self.store = store
    self.cache = cache
    self.kind = kind
    self.summaryVersion = summaryVersion
    self.recordLimit = recordLimit
    self.threads = threads
    self.fewRecords = fewRecords
    self.random = random
    self.summarize = summarize
  }

  /// The directory of the kind's shards.
  var folder: FilePath {
    store.appending(kind.folder)
  }

  func directory(shard: UInt8) -> FilePath {
    folder.appending(bytes: IndexShard.name(shard))
  }

  /// The file that it is kept in.
  var file: FilePath? { cache?.appending(kind.folder + "." + ending) }

  /// The file with the place where files are looked at next.
  var turn: FilePath? { cache?.appending(kind.folder + ".turn") }

  /// The same without files that are kept.
  var uncached: IndexSetup {
    var setup = self
    setup.cache = nil
    return setup
  }

  /// A setup of another index of the same records.
  func with(
    ending: String, version: UInt32, _ summarize: @escaping Summarize
  ) -> IndexSetup {
    var setup = self
    setup.ending = ending
    setup.summaryVersion = version
    setup.summarize = summarize
    return setup
  }
}
