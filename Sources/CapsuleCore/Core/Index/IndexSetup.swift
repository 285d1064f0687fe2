/// The setup of one kind's index: where the records are, where the index is kept, and how a record
/// is read.
package struct IndexSetup: Sendable {
  /// Makes the entry of a record from its file's bytes. It never fails: what it cannot read gets an
  /// entry with a problem. It may be called on several threads at once.
  package typealias Summarize = @Sendable (RecordID, [UInt8]) -> IndexEntry

  package let files: any FileSystem
  /// The store's directory.
  package let store: FilePath
  /// The directory of the index files, made when needed; `nil` to keep nothing.
  package let cache: FilePath?
  package let kind: RecordKind
  /// Changes whenever the model's summaries do, so that old ones are not used.
  package let summaryVersion: UInt32
  /// A larger file is no record, and is not read.
  package let recordLimit: Int
  /// The most threads that may read records at once.
  package let threads: Int
  /// Up to so many records, every file of a directory that may have changed is looked at.
  package let fewRecords: Int
  package let random: RandomSource
  package let summarize: Summarize

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

  /// A setup of the same place with another cache.
  init(_ setup: IndexSetup, cache: FilePath?) {
    self.init(
      files: setup.files, store: setup.store, cache: cache, kind: setup.kind,
      summaryVersion: setup.summaryVersion, recordLimit: setup.recordLimit,
      threads: setup.threads, fewRecords: setup.fewRecords, random: setup.random,
      summarize: setup.summarize)
  }

  /// The directory of the kind's shards.
  var folder: FilePath {
    store.appending(kind.folder)
  }

  func directory(shard: UInt8) -> FilePath {
    folder.appending(bytes: IndexShard.name(shard))
  }

  var base: FilePath? {
    cache?.appending(kind.folder + ".base")
  }

  var log: FilePath? {
    cache?.appending(kind.folder + ".log")
  }

  /// The file with the place where files are looked at next.
  var turn: FilePath? {
    cache?.appending(kind.folder + ".turn")
  }

  /// The file of folded texts, which only searches read.
  var texts: FilePath? {
    cache?.appending(kind.folder + ".texts")
  }
}
