import CapsulePlatform

/// A store: the directory that holds everything, and the operations on it.
///
/// Readers take no lock and change nothing in the store, but for what a killed process has left half
/// written. Every change is committed by one `link` or `rename`, after the data
/// is on disk; the directory is synchronized afterwards.
public struct Store: Sendable {
  package let layout: StoreLayout
  package let environment: StoreEnvironment
  package let header: StoreHeader
  /// The problem of `store.json` itself: damage, or a bad sector below it.
  package let headerProblem: Finding?
  /// The device and inode of the store's directory: a copied store has a cache of its own.
  package let place: FileStatus
  /// The identities of a protected store in the clear, the one that it seals to first; `nil` where its
  /// passphrase was not given.
  package var opened: [OpenedIdentity]?
  /// The order in which records are made through this value.
  let makings = MakingOrder()
  /// The origin of the changes that are made through this value, as the journal notes it.
  package var origin = JournalFrame.Origin.person
  /// The operation that is taken back, or brought again, by what is changed through this value.
  var undoing: (undoes: String?, redoes: String?)?

  package var files: any FileSystem { environment.fileSystem }

  /// The directory in which this machine keeps the index; `nil` where there is no place for it.
  package var cacheDirectory: FilePath? {
    environment.cacheHome?.appending("\(header.id)-\(place.device)-\(place.inode)")
      .appending("index")
  }

  /// The directory in which this machine keeps what it has announced; `nil` where there is no place
  /// for it.
  package var stateDirectory: FilePath? {
    environment.stateHome?.appending(header.id.description)
  }
}

// The subjects of a store.
extension Store {
  /// What ought to be there, a second copy of every record, and its versions.
  package var journal: StoreJournal { StoreJournal(store: self) }
  /// What lists and searches need of the records, in this machine's cache.
  package var index: StoreIndex { StoreIndex(store: self) }
  /// The directories of the records, and `tmp/`.
  package var folders: StoreFolders { StoreFolders(store: self) }
  /// Changes that are about to be made, which whoever comes next goes through with where a process was interrupted.
  package var intents: StoreIntents { StoreIntents(store: self) }
  /// What this device's commands did to the store.
  package var operations: StoreOperations { StoreOperations(store: self) }
  /// The copies of the store's own files in the journals.
  package var copies: HeaderCopies { HeaderCopies(store: self) }
  /// The identities, and the trustees' copy of them.
  package var keys: StoreKeys { StoreKeys(store: self) }
  /// Whom the store seals to, held against what this device knows.
  package var trust: StoreTrust { StoreTrust(store: self) }
  /// `settings.json`.
  package var settings: SettingsFile { SettingsFile(store: self) }
  /// The switch, in the settings.
  package var `switch`: StoreSwitch { StoreSwitch(store: self) }
  /// Deleted records, until they are purged.
  public var trash: StoreTrash { StoreTrash(store: self) }
  /// The files that records name by the digests of their bytes.
  package var blobs: StoreBlobs { StoreBlobs(store: self) }
  /// What records have to do with others: references, names, and what is there once.
  package var relations: StoreRelations { StoreRelations(store: self) }
  /// What this machine remembers, apart from what it announced and whom it trusts.
  package var memory: StoreMemory { StoreMemory(store: self) }
  /// The groups of trustees.
  package var trustees: StoreTrustees { StoreTrustees(store: self) }
  /// What keeps a store whole: verifying, repairing, backups, and the steps from older formats.
  package var care: StoreCare { StoreCare(store: self) }

  /// The finds at a path where a store may be.
  private enum Presence {
    case absent
    /// There is nothing but what an interrupted creation leaves.
    case unfinished
    case header([UInt8])
    /// There are records, and no header, which is written before the first of them.
    case lostHeader
    /// There is a header that the disk does not give back.
    case unreadableHeader(Fault)
  }

  /// Opens a store that is there, and finishes what a killed process was about to write in it together.
  ///
  /// - Returns: `nil` where there is none: no directory, an empty one, or one whose making was
  ///   interrupted before its first record.
  package static func open(
    at path: FilePath, environment: StoreEnvironment
  ) throws(Fault) -> Store? {
    let layout = try layout(at: path, environment.fileSystem)
    let store: Store
    switch try presence(layout, environment.fileSystem) {
    case .absent, .unfinished: return nil
    case .header(let bytes): store = try Store(layout, environment, header: bytes)
    case .lostHeader: store = try Store(layout, environment, header: nil)
    case .unreadableHeader(let error): store = try Store(layout, environment, unreadable: error)
    }
    store.intents.finishInterruptedChanges()
    return store
  }

  /// Opens a store, and makes it first where there is none.
  ///
  /// - Parameter given: the header and the identities that it gets, as a copy of another; `nil` for new
  ///   ones.
  package static func openOrCreate(
    at path: FilePath, environment: StoreEnvironment, now: Instant,
    as given: (header: StoreHeader, identities: [StoreIdentity])? = nil
  ) throws(Fault) -> Store {
    let layout = try layout(at: path, environment.fileSystem)
    let files = environment.fileSystem
    if let store = try open(at: path, environment: environment) { return store }
    try files.createDirectories(path)
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    // Another process may have made it meanwhile.
    if let store = try open(at: path, environment: environment) { return store }
    for directory in layout.directories {
      try files.createDirectories(directory)
    }
    let identities: [StoreIdentity]
    if let given {
      identities = given.identities
    } else {
      identities = [try environment.newIdentity(now: now)]
    }
    for identity in identities {
      let temporary = layout.temporary.appending(try environment.temporaryName())
      let path = layout.file(of: identity)
      let bytes = Array(identity.file.utf8)
      // A making that was interrupted may have left one that was given.
      if given == nil {
        try files.writeNew(path, bytes, mode: 0o400, by: temporary)
      } else {
        try files.replace(path, bytes, mode: 0o400, by: temporary)
      }
    }
    try files.synchronizeDirectory(layout.identities)
    try files.synchronizeDirectory(layout.trash)
    try files.synchronizeDirectory(layout.root)
    try files.synchronizeAncestors(of: layout.root)
    let header: StoreHeader
    if let given {
      header = given.header
    } else {
      header = try newHeader(environment, identities, now)
    }
    let bytes = RecordFile.encode(header.fields)
    let beside = layout.temporary.appending(try environment.temporaryName())
    try files.writeNew(layout.header, bytes, mode: 0o600, by: beside)
    try files.synchronizeDirectory(layout.root)
    let store = try Store(layout, environment, header: bytes)
    // What came with a copy is compared with what this device knows, as that of any store.
    if given == nil { store.trust.vouchForAll() }
    store.copies.keep()
    return store
  }

  private static func newHeader(
    _ environment: StoreEnvironment, _ identities: [StoreIdentity], _ now: Instant
  ) throws(Fault) -> StoreHeader {
    StoreHeader(
      id: try RecordID(random: environment.random), createdAt: now, identities: identities)
  }

  /// The store's own directory may be a link, as to another disk; nothing in it may.
  private static func layout(
    at path: FilePath, _ files: any FileSystem
  ) throws(Fault) -> StoreLayout {
    StoreLayout(
      root: try files.resolvingLinks(path))
  }

  private static func presence(
    _ layout: StoreLayout, _ files: any FileSystem
  ) throws(Fault) -> Presence {
    do {
      return .header(try files.readFile(layout.header, limit: RecordFile.sizeLimit))
    } catch {
      if error.condition == .input { return .unreadableHeader(error) }
      // What is no file has taken its place: the copies say what it was.
      guard error.condition == .notFound || error.isOfKind && error.condition != .notDirectory
      else {
        throw error
      }
    }
    if (try? files.status(AwayName.placeholder(of: layout.header))) != nil {
      throw .headerAway(path: layout.header.text)
    }
    let names: [String]
    do {
      names = try files.contents(ofDirectory: layout.root)
        .filter { !BystanderName.contains($0.name) }
        .map { String(decoding: $0.name, as: UTF8.self) }
    } catch {
      if error.condition == .notFound { return .absent }
      if error.condition == .notDirectory { throw .notAStore(path: layout.root.text) }
      throw error
    }
    if names.isEmpty { return .absent }
    guard names.allSatisfy(StoreLayout.names.contains) else {
      throw .notAStore(path: layout.root.text)
    }
    // The header is written before any of these is.
    let later =
      RecordKind.allCases.flatMap { [layout.folder($0), layout.trash($0)] }
      + [layout.blobs, layout.journal]
    for folder in later {
      let entries = try? files.contents(ofDirectory: folder)
      if let entries, !entries.isEmpty { return .lostHeader }
    }
    return .unfinished
  }

  private init(
    _ layout: StoreLayout, _ environment: StoreEnvironment, header bytes: [UInt8]?
  ) throws(Fault) {
    self.layout = layout
    self.environment = environment
    place = try environment.fileSystem.statusFollowingLinks(layout.root)
    // Nothing in this one file keeps the records from their owner.
    let wrong = bytes.map { RecordFile.integrity(of: $0) } ?? .missing
    if let wrong, let header = HeaderCopies.recoveredHeader(layout, environment, from: bytes) {
      var damage: RecordDamage? = wrong
      self.header = Self.withRecipients(header, &damage)
      headerProblem = damage.map { Finding(.header, own: "store.json", .damage($0)) }
      return
    }
    guard let bytes else { throw .headerDamaged(path: layout.header.text) }
    let header: StoreHeader
    var damage: RecordDamage?
    do throws(RecordDamage) {
      let (fields, integrity) = try RecordFile.decode(bytes)
      if case .integer(let format)? = fields["format"], format > StoreHeader.currentFormat {
        // An addition of a newer version may not be understood, but the records may be read.
        do { header = try StoreHeader(fields: fields) } catch {
          throw .newer(format)
        }
      } else {
        do { header = try StoreHeader(fields: fields) } catch {
          throw .field(error)
        }
      }
      damage = integrity
    } catch {
      if case .newer(let format) = error {
        throw .newerFormat(format, path: layout.header.text)
      }
      // Another whole file may stand in its place.
      guard let recovered = HeaderCopies.recoveredHeader(layout, environment, from: nil) else {
        throw .headerDamaged(path: layout.header.text)
      }
      header = recovered
      damage = .notAnObject
    }
    self.header = Self.withRecipients(header, &damage)
    headerProblem = damage.map { Finding(.header, own: "store.json", .damage($0)) }
  }

  /// Opens a store by a copy of its header.
  private init(
    _ layout: StoreLayout, _ environment: StoreEnvironment, unreadable error: Fault
  ) throws(Fault) {
    guard let header = HeaderCopies.recoveredHeader(layout, environment, from: nil) else {
      throw error
    }
    self.layout = layout
    self.environment = environment
    place = try environment.fileSystem.statusFollowingLinks(layout.root)
    var damage: RecordDamage?
    self.header = Self.withRecipients(header, &damage)
    headerProblem = Finding(.unreadable, at: layout.header, .refused(code: error.errno))
  }

  /// A recipient is the name of a file: what is none is left out, and the header is damaged.
  private static func withRecipients(
    _ header: StoreHeader, _ damage: inout RecordDamage?
  ) -> StoreHeader {
    var header = header
    if let bad = header.identities.firstIndex(where: { !RecipientText.isX25519($0.recipient) }) {
      let recipient = header.identities[bad].recipient
      damage = .field(
        FieldError(path: "identities[\(bad)].recipient", problem: .invalid(recipient)))
      header.identities.removeAll { !RecipientText.isX25519($0.recipient) }
    }
    return header
  }

  /// Refuses to change a store of a newer format, and one whose own directories are links: a file
  /// would land elsewhere.
  package func requireWritable() throws(Fault) {
    if !header.isKnown { throw .newerFormat(header.format, path: layout.header.text) }
    for directory in layout.directories + [layout.backups] {
      if let kind = try files.statusIfPresent(directory)?.kind, kind != .directory {
        throw Fault(.open, directory, code: ENOTDIR)
      }
    }
  }
}

extension StoreFolders {
  /// Makes `tmp/` again where it is gone: git and some copying programs leave empty directories out.
  func requireTemporary() throws(Fault) {
    if (try? files.status(layout.temporary)) == nil {
      try files.createDirectories(layout.temporary)
    }
  }
}

extension Store {
  /// Refuses to change a store that was protected since it was opened, or the other way round: what this
  /// value knows of its identities is not so any more.
  private func requireSameProtection() throws(Fault) {
    guard headerProblem == nil,
      let bytes = try? files.readFile(layout.header, limit: RecordFile.sizeLimit),
      let current = StoreHeader(bytes: bytes), current.isProtected != header.isProtected
    else { return }
    throw .protectionChanged(path: layout.header.text)
  }

  /// Runs a change while no other process makes one.
  package func whileLocked<Value>(
    _ body: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    try requireWritable()
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    try folders.requireTemporary()
    try requireSameProtection()
    try care.migrate(by: StoreCare.migrations, to: StoreHeader.currentFormat)
    try intents.finishInterrupted()
    return try body()
  }
}

extension StoreEnvironment {
  /// A name for a temporary file that nobody else has.
  package func temporaryName() throws(Fault) -> String {
    Hex.encode(try random.bytes(16))
  }
}

/// A subject of a store, which the store hands out as a value: `store.trash`, `store.journal`.
package protocol StoreSubject: Sendable {
  var store: Store { get }
}

extension StoreSubject {
  var layout: StoreLayout { store.layout }
  var environment: StoreEnvironment { store.environment }
  var files: any FileSystem { store.files }
  var header: StoreHeader { store.header }
}
