/// The indexes of a store's kinds, each opened when it is first asked, and kept: however many questions
/// there are, the directories are looked at once.
struct OpenIndexes {
  let store: Store
  private let now: Instant
  private var opened: [RecordKind: RecordIndex] = [:]

  /// - Parameter now: the real time.
  init(_ store: Store, now: Instant) {
    self.store = store
    self.now = now
  }

  /// Asks the index of a kind.
  mutating func ask<Answer>(
    _ kind: RecordKind, _ question: (inout RecordIndex) -> Answer
  ) -> Answer {
    var index = opened[kind] ?? store.index(kind, now: now)
    // The index is taken out while it is used, so that it is not copied.
    opened[kind] = nil
    defer { opened[kind] = index }
    return question(&index)
  }

  /// Returns the error for which records of a kind are missing from its index; `nil` where none are.
  ///
  /// - Parameter id: the only record that is asked for. Where its file is known not to be there, it is not
  ///   missing, whatever else is.
  mutating func gap(in kind: RecordKind, for id: RecordID? = nil) -> StoreError? {
    guard let failure = ask(kind, { $0.failures.first }) else { return nil }
    guard let id else { return .io(failure) }
    do throws(FileSystemError) {
      let status = try store.files.statusIfPresent(store.layout.record(kind, id))
      return status == nil ? nil : .io(failure)
    } catch {
      return .io(error)
    }
  }
}
