import CapsuleCore

extension Session {
  /// Seals contents, with the progress on the terminal.
  ///
  /// - Parameter drafts: the files that were written or recorded for it; they are removed
  ///   afterwards, or kept and named.
  func sealing<Value>(
    _ drafts: [PrivateFile] = [],
    _ body: (_ progress: @escaping (Int64, Int64) -> Void) throws(CapsuleError) -> Value
  ) throws -> Value {
    try drafts.keeping(self) { try metered(body) }
  }

  private func metered<Value>(
    _ body: (_ progress: @escaping (Int64, Int64) -> Void) throws(CapsuleError) -> Value
  ) throws -> Value {
    let meter = Meter(session: self, label: "Sealing")
    defer { meter.end() }
    return try body { meter.update($0, of: $1) }
  }

  /// Keeps when this machine first used the store, so that what is due since then is announced.
  ///
  /// It is a courtesy of commands other than `check`: where it cannot be kept, `check` says so.
  func noteFirstUse(of store: Store) {
    guard let directory = store.stateDirectory,
      (try? store.files.status(directory.appending("announced"))) == nil
    else { return }
    (try? Ledger.open(of: store, in: directory, now: now))??.close()
  }

  /// The store for its settings alone, without a warning.
  func existingStoreQuietly() throws -> Store? {
    guard let path = places.store else { return nil }
    return try Store.open(at: path, environment: storeEnvironment)
  }
}

/// A meter of the progress towards a total, which is given with each step.
final class Meter {
  private let session: Session
  private let label: String
  private var progress: Progress?
  private var done: Int64 = 0

  init(session: Session, label: String) {
    self.session = session
    self.label = label
  }

  func update(_ count: Int64, of total: Int64) {
    let progress = progress ?? session.progress(label, total: total > 0 ? total : nil)
    self.progress = progress
    progress.advance(by: count - done)
    done = count
  }

  func end() {
    progress?.end()
  }
}
