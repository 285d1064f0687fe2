import CapsulePlatform

/// What the journals of the other machines look like: they change where another machine works on the store, and stay
/// as they are in a copy.
struct OtherJournals {
  /// The inode of `journal/`, by which journals that were put back are known; `nil` where there is none.
  let directory: UInt64?
  /// The numbers of the machines, of the files and of their bytes, and the newest time of a file.
  let text: String

  /// Looks at the journals, without reading them. What cannot be looked at is left out.
  init(_ journal: StoreJournal) {
    directory = Self.directory(journal)
    let own = journal.own(creating: false)?.name
    let names = ((try? journal.machines()) ?? []).filter { $0 != own }
    var (count, size, newest) = (0, Int64(0), (seconds: Int64.min, nanoseconds: Int64.min))
    for name in names {
      let folder = journal.layout.journal(name)
      try? journal.files.forEachStatus(inDirectory: folder, unless: { _, _ in false }) {
        guard case .success(let status) = $1 else { return }
        count += 1
        size = size.addingClamped(status.size)
        let time = (
          seconds: status.modified.seconds, nanoseconds: Int64(status.modified.nanoseconds)
        )
        if newest < time { newest = time }
      }
    }
    text = "\(names.count) \(count) \(size) \(newest.seconds).\(newest.nanoseconds)"
  }

  /// Reads what was kept; `nil` where it is something else.
  init?(_ json: JSON) {
    guard let text = json["journals"]?.string else { return nil }
    self.text = text
    directory = json["directory"]?.string.flatMap { UInt64($0) }
  }

  var json: JSON {
    ["directory": directory.map { .string("\($0)") } ?? .null, "journals": .string(text)]
  }

  static func directory(_ journal: StoreJournal) -> UInt64? {
    (try? journal.files.statusIfPresent(journal.layout.journal))?.inode
  }
}

extension StoreJournal {
  /// Whether another machine may bring what is not here: the store was synced, or the journals of others have changed
  /// since this machine first used the store's directory.
  ///
  /// In a store that was only copied, to another computer or from a backup, they do not change, and what they have
  /// comes from nowhere. Where this machine keeps no state nothing is known, and another machine may be at work.
  var mayOthersBring: Bool {
    guard store.stateDirectory != nil, !store.sync.hasState else { return true }
    return store.memory.firstOthers().map { $0.text != OtherJournals(self).text } ?? true
  }
}

extension StoreMemory {
  /// The journals of others as they were when this machine first used the store's directory, which is now where
  /// nothing was kept.
  ///
  /// - Returns: `nil` where this machine cannot keep it.
  @discardableResult
  func firstOthers() -> OtherJournals? {
    if let first = keptOthers { return first }
    let today = OtherJournals(store.journal)
    return keep(.others, today.json) ? today : nil
  }

  /// The journals of others as they were kept; `nil` where nothing was, or the journals were replaced since.
  var keptOthers: OtherJournals? {
    guard let first = read(.others).flatMap(OtherJournals.init) else { return nil }
    let directory = OtherJournals.directory(store.journal)
    let isSame = first.directory == nil || directory == nil || first.directory == directory
    return isSame ? first : nil
  }
}
