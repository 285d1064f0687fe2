/// One step that brings a store from its format to the next.
package struct MigrationStep: Sendable {
  /// The format that it starts from.
  package let from: Int64
  /// Writes what the next format has otherwise, under the store's lock.
  ///
  /// It must be able to run again after an interruption, and leave alone what a program of the old
  /// format needs: until the header says the new format, the store is of the old one.
  package let run: @Sendable (Store) throws(StoreError) -> Void

  package init(
    from format: Int64, run: @escaping @Sendable (Store) throws(StoreError) -> Void
  ) {
    from = format
    self.run = run
  }
}

extension StoreCare {
  /// The steps from every older format. Format 1 is the first, so there are none yet.
  package static let migrations: [MigrationStep] = []

  /// Brings a store of an older format to a newer one, step by step; the caller holds the lock.
  ///
  /// Each step is committed by the header that names its format, written last; the header before it
  /// is kept in `backups/format-<n>/`. An interrupted step is done again by the next change.
  ///
  /// - Throws: `.noMigration` where a step is missing, and what a step throws.
  func migrate(by steps: [MigrationStep], to format: Int64) throws(StoreError) {
    guard header.format < format else { return }
    // Another process may have done it since this one opened the store.
    var current = try Store.open(at: layout.root, environment: environment)?.header ?? header
    while current.format < format {
      guard let step = steps.first(where: { $0.from == current.format }) else {
        throw .noMigration(from: current.format, path: layout.header.text)
      }
      try step.run(store)
      try keepHeader(of: current.format)
      current = current.raised()
      let bytes = RecordFile.encode(current.fields)
      let temporary = layout.temporary.appending(try environment.temporaryName())
      try storeIO { () throws(FileSystemError) in
        try files.replace(layout.header, bytes, mode: 0o600, by: temporary)
      }
    }
  }

  /// Keeps the header of the old format, once.
  private func keepHeader(of format: Int64) throws(StoreError) {
    let folder = layout.backups.appending("format-\(format)")
    let copy = folder.appending("store.json")
    try storeIO { () throws(FileSystemError) in try files.createDirectories(folder) }
    try storeIO { () throws(FileSystemError) in
      if try files.statusIfPresent(copy) != nil { return }
      let bytes = try files.readFile(layout.header, limit: RecordFile.sizeLimit)
      let temporary = folder.appending("store.json.new")
      try? files.unlink(temporary)
      _ = try files.writeTemporary(temporary, bytes, mode: 0o600)
      try files.rename(temporary, to: copy)
      try files.synchronizeDirectory(folder)
    }
  }
}
