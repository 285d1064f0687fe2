/// The report on an archive that was taken in.
package struct ImportReport: Sendable {
  /// A record that needs a word.
  package struct Entry: Hashable, Sendable {
    package let kind: RecordKind
    package let id: RecordID
    package let title: String
  }

  /// The reason why a record was not taken.
  package enum HoldReason: Hashable, Sendable {
    /// A content that it names is neither here nor whole in the archive.
    case missingBlob(BlobName)
    /// It names a record that is not here.
    case missingReference(RecordReference)
    /// The two have another value in a field that is written once.
    case other(field: String)
    /// The two cannot be one record.
    case unmergeable
    /// The record that is here is not what was written, or of a newer version.
    case damagedHere
  }

  /// A setting of the archive that is not as it is here.
  package struct SettingChange: Hashable, Sendable {
    package let name: String
    /// The value that is set here; `nil` where none is.
    package let old: JSON?
    package let new: JSON
    /// Whether it becomes the new one.
    package let isTaken: Bool
  }

  package internal(set) var archive: RecordID = .zero
  package internal(set) var isWhole = false
  /// The store's id; `nil` for a dry run where there is none yet.
  package internal(set) var store: RecordID?
  /// Whether there was no store, and one is made.
  package internal(set) var hasMadeStore = false
  /// Records that were not here; those in the trash included.
  package internal(set) var added = 0
  /// The same records, and whether each comes into the trash.
  package internal(set) var new: [(entry: Entry, isTrashed: Bool)] = []
  /// Records that were the same, or that have all of the archive's already.
  package internal(set) var unchanged = 0
  /// Contents that were not here.
  package internal(set) var blobs = 0
  package internal(set) var merged: [(entry: Entry, conflicts: [String])] = []
  /// Records that lie in the trash here, and stay there.
  package internal(set) var inTrash: [Entry] = []
  package internal(set) var held: [(entry: Entry, reason: HoldReason)] = []
  /// Added records whose name another one has too.
  package internal(set) var sameNames: [Entry] = []
  /// The recipients of identities that were not here.
  package internal(set) var identities: [String] = []
  /// The settings that were taken, and those that differ and stay as they are.
  package internal(set) var settings: [String] = []
  package internal(set) var settingsKept: [String] = []
  package internal(set) var settingChanges: [SettingChange] = []
  /// Honor capsules in an archive without identities.
  package internal(set) var lockedOutCount = 0
  /// The files in the archive that are not what was written.
  package internal(set) var problems: [ArchiveProblem] = []

  package init() {}

  /// Puts what was found into the order of kinds and titles.
  mutating func sort() {
    new.sort { $0.entry < $1.entry }
    merged.sort { $0.entry < $1.entry }
    held.sort { $0.entry < $1.entry }
    inTrash.sort()
    sameNames.sort()
    identities.sort()
    settingChanges.sort { $0.name < $1.name }
  }
}

extension ImportReport.Entry: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    func rank(_ kind: RecordKind) -> Int { RecordKind.allCases.firstIndex(of: kind) ?? 0 }
    return (rank(left.kind), left.title, left.id) < (rank(right.kind), right.title, right.id)
  }
}

/// The taking in of an archive.
///
/// The contents are put in as they are read; records only when the whole archive was read and
/// compared, so that nothing is taken from one that is cut or damaged as a file. An interrupted
/// import is finished by doing it again: contents that are there are not written twice.
package final class ArchiveImport {
  let place: FilePath
  let environment: StoreEnvironment
  let now: Instant
  let isDryRun: Bool
  var store: Store?
  var report = ImportReport()

  private var isWhole = false
  /// Whether the store's directory was there before the store was made in it.
  private var hadDirectory = false
  private var header: StoreHeader?
  private var identities: [StoreIdentity] = []
  private var settings: JSONObject?
  var spool: RecordSpool?
  /// Contents that are written and not yet in their places.
  private var staged: [StagedBlob] = []
  private var stagedByteCount: Int64 = 0
  /// The content that is being written; `nil` while one is read that is there already.
  private var current: (name: BlobName, file: FileDescriptor, size: Int64)?
  /// The content that is being read.
  private var currentName: BlobName?
  /// The contents of the archive, in a dry run.
  var known: Set<BlobName> = []
  var dryLooks: ImportLooks?

  /// - Parameters:
  ///   - place: the path where the store is, or is to be.
  ///   - isDryRun: whether nothing is written, and only the report is made.
  package init(
    into place: FilePath, environment: StoreEnvironment, now: Instant, isDryRun: Bool
  ) throws(Fault) {
    self.place = place
    self.environment = environment
    self.now = now
    self.isDryRun = isDryRun
    store = try Store.open(at: place, environment: environment)
    store?.origin = .synchroniser
    if !isDryRun { try store?.blobs.prepareStaging() }
  }

  /// Takes an archive in.
  ///
  /// - Parameter body: writes the tar file into the sink.
  /// - Throws: ``ArchiveFault``, ``Fault``, or the error of `body`; contents that were taken stay, but
  ///   for those of what is no whole archive and was to be a store of its own.
  package func run(_ body: (inout ArchiveSink) throws -> Void) throws -> ImportReport {
    defer { cleanUp() }
    var sink = ArchiveSink(self)
    let found: ArchiveReport
    do {
      try body(&sink)
      found = try sink.finish()
    } catch {
      if sink.isFaulty || (error as? AgeFailure)?.isDamage == true { unmakeStore() }
      throw error
    }
    let new = try newIdentities()
    report.problems = found.problems
    report.lockedOutCount = found.lockedOutCount
    report.identities = new.map(\.recipient)
    if !isDryRun { try placeStaged() }
    let before = store
    if store == nil { report.hasMadeStore = true }
    if !isDryRun {
      try makeStore()
      // Whatever store the archive says that it is of.
      try store?.keys.add(new.map { $0.imported(from: report.archive) }, now: now)
    }
    try commitRecords()
    try takeSettings(before)
    report.store = store?.header.id
    report.sort()
    return report
  }

  /// The identities that are to be put into `identities/`: honor capsules of another store need its own.
  private func newIdentities() throws(Fault) -> [StoreIdentity] {
    if let store { return try store.keys.new(among: identities) }
    // A store that is made of the archive begins with them.
    if given != nil { return [] }
    if identities.contains(where: \.isSealedWithPassphrase) { throw Fault(ArchiveFault.protected) }
    return identities.filter { !$0.isSealed }
  }

  /// The header and the identities with which a store is made of the archive; `nil` for new ones.
  private var given: (header: StoreHeader, identities: [StoreIdentity])? {
    guard isWhole, let header else { return nil }
    let copies = header.identities.filter { copy in
      copy.isUsable && !identities.contains { $0.recipient == copy.recipient }
    }
    return (header, identities + copies)
  }

  private func cleanUp() {
    if let current {
      try? environment.fileSystem.close(current.file)
      try? environment.fileSystem.unlink(current.file.path)
    }
    store?.blobs.discard(staged)
    spool?.remove()
  }
}

extension ArchiveImport: ArchiveTaker {
  func take(_ description: ArchiveDescription) {
    isWhole = description.isWhole
    report.archive = description.store
    report.isWhole = description.isWhole
  }

  func take(_ identity: StoreIdentity) {
    identities.append(identity)
  }

  func take(_ header: StoreHeader) {
    self.header = header
  }

  func take(settings: JSONObject) {
    self.settings = settings
  }

  func beginBlob(_ name: BlobName, size: Int64) throws {
    currentName = name
    guard !isDryRun else { return }
    try makeStore()
    guard let store, try store.blobs.damage(of: name) != nil else { return }
    let path = store.layout.temporary.appending(try environment.temporaryName())
    let file = try store.files.open(path, .createExclusive(mode: 0o600))
    current = (name, file, size)
  }

  func takeBlob(_ bytes: UnsafeRawBufferPointer) throws {
    guard let current, let store else { return }
    try store.files.writeAll(current.file, bytes)
  }

  func endBlob(isIntact: Bool) throws {
    if isDryRun, isIntact, let currentName {
      known.insert(currentName)
      let isHere = try store.map { try $0.blobs.damage(of: currentName) == nil } ?? false
      if !isHere { report.blobs += 1 }
    }
    guard let current, let store else { return }
    self.current = nil
    guard isIntact else {
      try? store.files.close(current.file)
      try? store.files.unlink(current.file.path)
      return
    }
    staged.append(
      StagedBlob(name: current.name, size: current.size, temporary: current.file.path))
    do {
      try store.files.protect(current.file, mode: 0o400)
      try store.files.synchronize(current.file)
    } catch {
      try? store.files.close(current.file)
      throw error
    }
    try store.files.close(current.file)
    stagedByteCount += current.size
    if staged.count >= 64 || stagedByteCount >= 64 << 20 { try placeStaged() }
  }

  func take(_ record: ArchivedRecord) throws {
    guard !isDryRun else { return try decideOnly(record) }
    try makeStore()
    if spool == nil, let store { spool = try RecordSpool(in: store) }
    try spool?.add(record)
  }

  /// Puts contents into their places. One that is damaged here is kept in `backups/`.
  private func placeStaged() throws(Fault) {
    guard let store, !staged.isEmpty else { return }
    try store.whileLocked { () throws(Fault) in
      for blob in staged {
        let path = store.layout.blob(blob.name)
        guard let damage = try store.blobs.damage(of: blob.name), damage != .missing else {
          continue
        }
        try store.care.moveToBackups(path, now: now)
      }
      try store.blobs.place(staged)
    }
    report.blobs += staged.count
    staged = []
    stagedByteCount = 0
  }
}

// The store itself.
extension ArchiveImport {
  /// Makes the store where there is none: as that of the archive, where it is all of one.
  private func makeStore() throws(Fault) {
    guard store == nil else { return }
    hadDirectory = (try? environment.fileSystem.statusIfPresent(place)) ?? nil != nil
    store = try Store.openOrCreate(
      at: place, environment: environment, now: now, as: given)
    store?.origin = .synchroniser
    report.hasMadeStore = true
    try store?.keys.makeTrusteesCopy()
    try store?.blobs.prepareStaging()
  }

  /// Takes a store away again that was made as that of an archive which turned out to be none: its keys
  /// must not be those of what is sealed later. Nothing but contents came from it yet.
  private func unmakeStore() {
    guard report.hasMadeStore, isWhole, let store, store.header.id == report.archive,
      RecordKind.allCases.allSatisfy({ (try? store.folders.shards($0).isEmpty) ?? false })
    else { return }
    let layout = store.layout
    store.blobs.discard(staged)
    staged = []
    self.store = nil
    // The header goes after the keys: it has copies of them.
    store.files.removeTree(layout.identities)
    try? store.files.unlink(layout.header)
    for path in [layout.journal] + layout.directories { store.files.removeTree(path) }
    try? store.files.unlink(layout.lock)
    if !hadDirectory { try? store.files.removeDirectory(layout.root) }
  }

  /// Takes the settings of the same store that are not set here; all of them where none are.
  private func takeSettings(_ before: Store?) throws(Fault) {
    guard let settings, !settings.isEmpty, isWhole,
      before == nil || before?.header.id == report.archive
    else { return }
    let isFirst =
      try before.map { before throws(Fault) in
        try before.files.statusIfPresent(before.layout.settings) == nil
      } ?? true
    let current = try before?.settings.read().settings.values ?? [:]
    for key in settings.keys where current[key] != settings[key] {
      // That a passing was declared once is no reason to declare it again.
      let isTaken = current[key] == nil && (isFirst || key != StoreSettings.passingName)
      if isTaken { report.settings.append(key) } else { report.settingsKept.append(key) }
      report.settingChanges.append(
        ImportReport.SettingChange(
          name: key, old: current[key], new: settings[key] ?? .null, isTaken: isTaken))
    }
    guard !isDryRun, !report.settings.isEmpty, let store else { return }
    let taken = report.settings
    try store.settings.change { changed throws(Fault) in
      for key in taken where changed.values[key] == nil { changed.set(key, to: settings[key]) }
    }
  }
}

extension StoreKeys {
  /// The identities among some of another copy of the store, or of another store, that are of use here and not
  /// here.
  ///
  /// - Throws: `.refused` where one is sealed with a passphrase that is not this store's: nothing here could
  ///   open what belongs to it.
  package func new(
    among given: [StoreIdentity]
  ) throws(Fault) -> [StoreIdentity] {
    let known = Set(own().map(\.recipient))
    if given.contains(where: { $0.isSealedWithPassphrase && !known.contains($0.recipient) }) {
      throw Fault(ArchiveFault.protected)
    }
    let former = header.former ?? []
    // The other sealed ones open with that passphrase only: they are of use where it is the store's own.
    return given.filter {
      !known.contains($0.recipient) && !former.contains($0.recipient)
        && (header.isProtected || !$0.isSealed)
    }
  }

  /// Adds identities to `identities/`; one whose file is there is left alone. Those that come into a protected
  /// store are sealed to its own, so that none of them lies there in the clear.
  package func add(_ identities: [StoreIdentity], now: Instant) throws(Fault) {
    guard !identities.isEmpty else { return }
    try store.trust.requireTrusted(toTake: identities.map(\.recipient))
    let identities = try identities.map { identity throws(Fault) in
      header.isProtected && !identity.isSealed ? try sealed(identity) : identity
    }
    try store.whileLocked { () throws(Fault) in
      for identity in identities {
        let temporary = layout.temporary.appending(try environment.temporaryName())
        let path = layout.file(of: identity)
        let isHere = stored().contains {
          $0.recipient == identity.recipient && $0.isUsable
        }
        if isHere { continue }
        // Another file of the name holds no such key: it is kept.
        if try files.statusIfPresent(path) != nil {
          try store.care.moveToBackups(path, now: now)
        }
        try files.createDirectories(layout.identities)
        try files.replace(path, Array(identity.file.utf8), mode: 0o400, by: temporary)
      }
      store.copies.keep()
    }
  }

  /// Seals an identity to the one of a protected store, whose passphrase opens both then.
  private func sealed(_ identity: StoreIdentity) throws(Fault) -> StoreIdentity {
    do {
      let own = try store.trust.recipients().map { try AgeRecipient($0, kinds: [.x25519]) }
      let text = try AgeWriter(to: own, random: environment.random)
        .seal(Array(identity.file.utf8), armor: true)
      return StoreIdentity(
        recipient: identity.recipient, file: String(decoding: text, as: UTF8.self))
    } catch AgeFailure.random(let fault) {
      throw fault
    } catch let error as Fault {
      throw error
    } catch {
      throw .headerDamaged(path: layout.header.text)
    }
  }
}

extension StoreCare {
  /// Moves a file that is not what was written into `backups/<Unix time>/`. Under the lock.
  func moveToBackups(_ path: FilePath, now: Instant) throws(Fault) {
    let folder = layout.backups.appending(String(now.seconds))
    try files.createDirectories(folder)
    for directory in [folder, layout.backups]
    where try files.status(directory).kind != .directory {
      throw Fault(.open, directory, code: FileRefusal.notRegularFile)
    }
    try files.rename(path, to: try files.freeName(of: path.lastComponent, in: folder))
    try files.synchronizeDirectory(folder)
  }
}
