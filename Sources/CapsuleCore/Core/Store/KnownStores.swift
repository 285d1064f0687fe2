/// A store that this device used.
package struct KnownStore: Hashable, Sendable {
  /// The directory of what this device keeps of the store.
  let directory: FilePath
  package let id: RecordID
  /// The path that the store was used by, as text; `nil` where an earlier version used it, which kept none.
  package let path: String?
  /// The last time that it was used there, to the day.
  package let lastUsed: Instant
}

/// The stores that this device used, and where: a store that is away is not taken for one that was never made.
///
/// Each store's memory in the state directory has the paths (``StoreMemory``).
package struct KnownStores {
  /// What is known, the last used first.
  package let all: [KnownStore]
  private let files: any FileSystem

  /// Reads what is known; what cannot be read is not.
  ///
  /// - Parameter homes: the directories that may have this device's state, each `$XDG_STATE_HOME/capsule`.
  package init(in homes: [FilePath], _ files: any FileSystem) {
    self.files = files
    all = Set(homes).flatMap { Self.stores(in: $0, files) }
      .sorted { ($1.lastUsed, $0.path ?? "") < ($0.lastUsed, $1.path ?? "") }
  }

  private static func stores(in home: FilePath, _ files: any FileSystem) -> [KnownStore] {
    let entries = (try? files.contentsIfPresent(ofDirectory: home)) ?? []
    return entries.flatMap { entry -> [KnownStore] in
      guard let id = RecordID(utf8: entry.name[...]) else { return [] }
      let directory = home.appending(bytes: entry.name)
      let memory = directory.appending(StoreMemory.fileName)
      let places = StoreMemory.read("places", in: memory, files)?.object ?? [:]
      if places.isEmpty {
        let seen = StoreMemory.read("seen", in: memory, files)?.integer ?? 0
        return [
          KnownStore(
            directory: directory, id: id, path: nil, lastUsed: Instant(seconds: seconds(seen)))
        ]
      }
      return places.map {
        KnownStore(
          directory: directory, id: id, path: $0.key,
          lastUsed: Instant(seconds: seconds($0.value.integer ?? 0)))
      }
    }
  }

  /// A time that can be written, whatever the file says.
  private static func seconds(_ seconds: Int64) -> Int64 {
    Instant(seconds: seconds).clamped.seconds
  }

  /// The store that was last used by a path.
  package func last(at path: FilePath) -> KnownStore? {
    let text = StoreMemory.text(ofPlace: path)
    return all.first { $0.path == text }
  }

  /// The store that was last used of those that are where they were.
  package var present: KnownStore? {
    all.first { store in
      store.path.map { (try? files.status(FilePath($0).appending("store.json"))) != nil } ?? false
    }
  }

  /// Whether it was not reported within a day that a store is away.
  package func isReportDue(of store: KnownStore, now: Instant) -> Bool {
    let memory = store.directory.appending(StoreMemory.fileName)
    guard let last = StoreMemory.read("absent", in: memory, files)?.integer else { return true }
    return !(0..<86_400).contains(now.seconds.subtractingClamped(last))
  }

  /// Keeps that it is reported now. A failure to keep it only repeats the report.
  package func noteReport(of store: KnownStore, now: Instant) {
    let line = Array("absent \(now.seconds)".utf8)
    try? files.addLines(
      CheckedLines.lines([line]), to: store.directory.appending(StoreMemory.fileName),
      synchronizing: false)
  }
}
