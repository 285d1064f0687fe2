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
    var index = opened[kind] ?? store.index.open(kind, now: now)
    // The index is taken out while it is used, so that it is not copied.
    opened[kind] = nil
    defer { opened[kind] = index }
    return question(&index)
  }

  /// Returns the error for which the index of a kind does not know all records; see ``StoreIndex/gap(in:of:)``.
  ///
  /// - Parameter id: the only record that is asked for. Where its file is known not to be there, it is not
  ///   missing, whatever else is.
  mutating func gap(in kind: RecordKind, for id: RecordID? = nil) -> StoreError? {
    let store = store
    guard let gap = ask(kind, { store.index.gap(in: &$0, of: kind) }) else { return nil }
    guard let id else { return gap }
    do throws(FileSystemError) {
      return try store.files.statusIfPresent(store.layout.record(kind, id)) == nil ? nil : gap
    } catch {
      return .io(error)
    }
  }
}
