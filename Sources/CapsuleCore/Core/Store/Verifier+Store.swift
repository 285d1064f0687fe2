import CapsulePlatform

/// The store's own files: its header, settings, identities, and the copies of them.
extension Verifier {
  mutating func examineStore() {
    if let problem = store.headerProblem { note(problem, in: .store) }
    for entry in entries(of: layout.root, .store) where Self.isConflictCopy(entry.name) {
      note(Finding(.foreign, at: layout.root.appending(bytes: entry.name)), in: .store)
    }
    if store.header.isKnown, !store.header.hasOwnForm {
      let fault = FieldError(path: "identities", problem: .invalid("not of the store's format"))
      note(Finding(.header, own: "store.json", .damage(.field(fault))), in: .store)
    }
    examineModes()
    examineIdentities()
    examineSettings()
    do throws(StoreError) {
      for problem in try store.trust.problems() {
        note(
          Finding(
            .untrusted, problem.record, own: problem.record == nil ? "store.json" : nil,
            .trust(problem)), in: .store)
      }
    } catch {
      if case .unreadableMemory(let failure) = error {
        note(Finding(.unreadable, at: failure.path, .refused(code: failure.code)), in: .store)
      }
    }
    if plan.readsJournals { examineMachines() }
    // The files of synchronising are looked at once a round.
    if plan.start ?? .first == .first {
      for path in store.batches.damagedFiles() { note(Finding(.syncState, at: path), in: .store) }
    }
    for kind in RecordKind.allCases {
      for entry in entries(of: layout.folder(kind), Section(kind)) {
        if let shard = Self.shard(entry.name) {
          shards[shard, default: []].append(kind)
        } else {
          let path = layout.folder(kind).appending(bytes: entry.name)
          note(Finding(.foreign, at: path), in: Section(kind))
        }
      }
      for entry in entries(of: layout.trash(kind), Section(kind)) {
        let path = layout.trash(kind).appending(bytes: entry.name)
        if let record = TrashedRecord(kind: kind, path: path) {
          trashed[record.id.shard, default: []].append(record)
        } else {
          note(Finding(.foreign, at: path), in: Section(kind))
        }
      }
    }
  }

  /// Whether a name beside the store's own files is that of a copy that a synchroniser has made of
  /// `store.json` or `settings.json`.
  private static func isConflictCopy(_ name: [UInt8]) -> Bool {
    let isNamed = ["store", "settings"].contains { name.starts(with: Array($0.utf8)) }
    return isNamed && !StoreLayout.names.contains(String(decoding: name, as: UTF8.self))
  }

  /// The two digits of a shard by the name of its directory.
  static func shard(_ name: [UInt8]) -> UInt8? {
    guard let value = Hex.decode(String(decoding: name, as: UTF8.self))?.first,
      name == Array(Hex.encode([value]).utf8)
    else { return nil }
    return value
  }

  /// Finds what others can write to: the store's directories, its header, settings and identities.
  private mutating func examineModes() {
    let identities = store.header.identities.map { layout.file(of: $0) }
    for path in [layout.root, layout.header, layout.settings] + layout.directories + identities {
      guard let status = try? files.status(path), status.isWritableByOthers else { continue }
      note(Finding(.openToOthers, at: path, .mode(status.mode)), in: .store)
    }
  }

  private func problem(_ recipient: String, isMissing: Bool) -> Finding {
    let path =
      store.header.isProtected ? layout.sealedIdentity(recipient) : layout.identity(recipient)
    return Finding(
      .identity, own: own(path), .key(recipient: recipient, isMissing: isMissing))
  }

  /// The name of an identity's file in the store's directory.
  private func own(_ path: FilePath) -> String {
    "identities/\(String(decoding: path.lastComponent, as: UTF8.self))"
  }

  private mutating func noteTrusteesCopy(at path: FilePath, isMissing: Bool) {
    note(
      Finding(.identity, at: path, own: own(path), .key(recipient: nil, isMissing: isMissing)),
      in: .store)
  }

  /// Looks at the file for trustees: it is held against the copy in the header; of one that the header does
  /// not name, as earlier versions left it, only the form can be seen.
  private mutating func examineTrusteesCopy() {
    guard store.header.isProtected else { return }
    let path = store.keys.trusteesCopy
    do throws(FileSystemError) {
      let file = String(
        decoding: try files.readFile(path, limit: StoreKeys.fileLimit), as: UTF8.self)
      let isRight =
        store.header.trusteesCopy.map { file.utf8.elementsEqual($0.utf8) }
        ?? StoreIdentity(recipient: "", file: file).isSealed
      if !isRight { noteTrusteesCopy(at: path, isMissing: false) }
    } catch {
      if error.isRefusal {
        note(Finding(.unreadable, at: path, .refused(code: error.code)), in: .store)
      } else if store.header.trusteesCopy != nil {
        noteTrusteesCopy(at: path, isMissing: error.condition == .notFound)
      }
    }
  }

  private mutating func examineIdentities() {
    examineIdentityFiles()
    examineTrusteesCopy()
    for identity in store.header.identities {
      let path = layout.file(of: identity)
      do throws(FileSystemError) {
        if try files.readFile(path, limit: 1 << 16) != Array(identity.file.utf8)
          || !identity.isUsable
        {
          note(problem(identity.recipient, isMissing: false), in: .store)
        }
      } catch {
        note(
          error.condition == .notFound
            ? problem(identity.recipient, isMissing: true)
            : Finding(.unreadable, at: path, .refused(code: error.code)), in: .store)
      }
    }
  }

  /// Looks at the identities that `store.json` does not name: each file holds the key of its name, and
  /// each that a machine's copy has is there.
  private mutating func examineIdentityFiles() {
    let listed = Set(store.header.identities.map(\.recipient))
    var present: Set<String> = []
    // A file that cannot be read is not missing.
    if let unreadable = store.copies.unreadable() { return note(unreadable, in: .store) }
    for identity in store.keys.stored() {
      present.insert(identity.recipient)
      if !listed.contains(identity.recipient), !identity.isIntact {
        note(problem(identity.recipient, isMissing: false), in: .store)
      }
    }
    for path in store.keys.clearCopiesByName() { note(Finding(.clearIdentity, at: path), in: .store) }
    for recipient in Set(store.copies.identities().map(\.recipient)).sorted()
    where !listed.contains(recipient) && !present.contains(recipient) {
      note(problem(recipient, isMissing: true), in: .store)
    }
  }

  private mutating func examineSettings() {
    do throws(StoreError) {
      if let damage = try store.settings.read().integrity { noteSettings(damage) }
    } catch {
      switch error {
      case .damaged(let damage, _): noteSettings(damage)
      case .io(let failure):
        note(Finding(.unreadable, at: layout.settings, .refused(code: failure.code)), in: .store)
      default: noteSettings(.notAnObject)
      }
    }
  }

  private mutating func noteSettings(_ damage: RecordDamage) {
    note(Finding(.settings, own: "settings.json", .damage(damage)), in: .store)
  }

  private mutating func examineMachines() {
    ownMachine = plan.machine ?? store.journal.own(creating: false)?.name
    do throws(FileSystemError) {
      for name in try store.journal.machines() { examineMachine(name) }
    } catch {
      note(Finding(.journal, at: layout.journal, .refused(code: error.code)), in: .journal)
    }
    if isJournalReplaced {
      note(Finding(.journal, at: layout.journal, .refused(code: ENOTDIR)), in: .journal)
    } else if ownMachine == nil, let lost = store.journal.lost {
      // A folder that this machine has written, and that is gone.
      note(Finding(.journal, at: layout.journal(lost)), in: .journal)
    }
    if machines.count == 1, machines.first?.name == ownMachine {
      journaledUntil = LastVerification(of: store).whole?.began
      journaledSince = store.journal.start
    }
  }

  /// Whether something else stands where the journals' directory should.
  private var isJournalReplaced: Bool {
    guard let status = try? files.statusIfPresent(layout.journal) else { return false }
    return status.kind != .directory
  }

  private mutating func examineMachine(_ name: String) {
    var shards = Set(UInt8.min...UInt8.max)
    var path = layout.journal(name)
    do throws(FileSystemError) {
      shards = Set(
        try files.contents(ofDirectory: path).compactMap { StoreJournal.shard(ofLog: $0.name) })
      path = layout.headerCopy(name)
      let isThere = try files.statusIfPresent(path) != nil
      // This machine's own is written with the first log.
      if isThere
        ? HeaderCopy(try files.readFile(path, limit: HeaderCopy.sizeLimit)) == nil
        : name == ownMachine && !shards.isEmpty
      {
        note(Finding(.journal, at: path), in: .journal)
      }
    } catch {
      note(Finding(.journal, at: path, .refused(code: error.code)), in: .journal)
    }
    machines.append((name, shards))
  }
}
