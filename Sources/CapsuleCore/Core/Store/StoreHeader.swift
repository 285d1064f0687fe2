/// `store.json`: the facts about a store.
package struct StoreHeader: Hashable, Sendable {
  /// The version of the store's format.
  package private(set) var format = currentFormat
  /// The store's own id; the cache and the state of a machine are named by it.
  package private(set) var id = RecordID.zero
  package private(set) var createdAt = Instant.epoch
  /// Copies of the identity files by their recipients, so that a lost file can be made again.
  package var identities: [StoreIdentity] = []
  /// The recipients of the identities that a protected store had before. Machines that share the
  /// store go on meeting by them.
  package private(set) var former: [String]?
  /// Whether not all honor locks of a protected store are sealed anew yet.
  package private(set) var isUnfinished: Bool?
  /// A copy of the file that trustees open in the place of a protected store's passphrase, so that it is held
  /// against it and made again.
  package private(set) var trusteesCopy: String?
  package private(set) var unknown: JSONObject = [:]
  /// Whether the identity stands there as an object.
  private var isObject = false

  /// The version that this program makes.
  package static let currentFormat: Int64 = 1
  /// The version of a store whose identities are sealed with a passphrase: programs that know only the one
  /// before leave it alone.
  package static let protectedFormat: Int64 = 2

  /// Whether the identities are sealed with a passphrase.
  package var isProtected: Bool {
    format == Self.protectedFormat && identities.first?.isSealedWithPassphrase == true
  }

  /// Whether the identities are in the form that a program writes: a protected store has exactly one, sealed with a
  /// passphrase and as an object; any other has an array of identities in the clear.
  package var hasOwnForm: Bool {
    isProtected
      ? isObject && identities.count == 1
      : !isObject && !identities.contains(where: \.isSealed)
  }

  /// Whether this program knows all that the format may say.
  package var isKnown: Bool { format <= Self.currentFormat || isProtected }

  /// Returns the same header, of the next format.
  func raised() -> StoreHeader {
    var header = self
    header.format += 1
    return header
  }

  /// Returns the header of the same store, protected by one sealed identity.
  func protected(by identity: StoreIdentity) -> StoreHeader {
    var header = self
    header.format = Self.protectedFormat
    header.former = identities.map(\.recipient)
    header.isUnfinished = true
    header.trusteesCopy = nil
    header.identities = [identity]
    header.isObject = true
    return header
  }

  /// Returns the header when every lock is sealed anew.
  func finished() -> StoreHeader {
    var header = self
    header.isUnfinished = nil
    return header
  }

  /// Returns the header of the same protected store with this copy for trustees.
  func with(trusteesCopy: String) -> StoreHeader {
    var header = self
    header.trusteesCopy = trusteesCopy
    return header
  }

  /// Returns the header of the same store without protection.
  func unprotected(with identities: [StoreIdentity]) -> StoreHeader {
    var header = self
    header.format = Self.currentFormat
    (header.former, header.isUnfinished, header.trusteesCopy) = (nil, nil, nil)
    header.identities = identities
    header.isObject = false
    return header
  }
}

extension StoreHeader: RecordPart {
  package static var blank: StoreHeader { StoreHeader() }

  package init(id: RecordID, createdAt: Instant, identities: [StoreIdentity]) {
    self.init()
    self.id = id
    self.createdAt = createdAt
    self.identities = identities
    if identities.first?.isSealedWithPassphrase == true { format = Self.protectedFormat }
    isObject = format == Self.protectedFormat
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("format", &format)
    try walk.member("id", &id)
    try walk.member("createdAt", &createdAt)
    var list = HeaderIdentities(list: identities)
    try walk.optionalMember("identities", &list)
    (identities, isObject) = (list.list, list.isObject)
    try walk.optionalMember("former", &former, writesNull: false)
    try walk.optionalMember("isUnfinished", &isUnfinished, writesNull: false)
    try walk.optionalMember("trusteesCopy", &trusteesCopy, writesNull: false)
    walk.rest(&unknown)
  }
}

/// The identities in a header. The one of a protected store stands there as an object, not in an array:
/// programs that know only format 1 cannot read that, and refuse the store for its format.
private struct HeaderIdentities: FieldValue {
  var list: [StoreIdentity]
  /// Whether it stands there as an object.
  private(set) var isObject: Bool

  init(list: [StoreIdentity]) {
    self.list = list
    isObject = list.count == 1 && list[0].isSealedWithPassphrase
  }

  init(json: JSON) throws(FieldError) {
    if case .object = json {
      list = [try StoreIdentity(json: json)]
      isObject = true
    } else {
      list = try [StoreIdentity](json: json)
      isObject = false
    }
  }

  var json: JSON {
    isObject ? list[0].json : list.json
  }

  /// No index keeps a header.
  static func brief<Coder: BriefCoder>(
    _ value: inout HeaderIdentities?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    try walk.coder.refuse()
  }
}

/// One of the store's own age identities.
package struct StoreIdentity: Hashable, Sendable {
  /// `age1…`
  package private(set) var recipient = ""
  /// The identity file, as `age-keygen` writes it; of a protected store an armored age file that holds it.
  package private(set) var file = ""
  package private(set) var unknown: JSONObject = [:]
}

extension StoreIdentity {
  /// The identity of a secret key, with a file as `age-keygen` writes it.
  ///
  /// - Parameters:
  ///   - key: `AGE-SECRET-KEY-1…`.
  ///   - createdAt: the time that the file names; none where it is `nil`.
  init(key: String, recipient: String, createdAt: Instant? = nil) {
    let created = createdAt.map { Self.createdMark + $0.rfc3339 + "\n" } ?? ""
    self.init(recipient: recipient, file: "\(created)# public key: \(recipient)\n\(key)\n")
  }

  private static let createdMark = "# created: "
  private static let importMark = "# imported from "

  /// Returns the identity with a file that says where it came from: nothing new is sealed to it here.
  package func imported(from store: RecordID) -> StoreIdentity {
    isSealed || isImported ? self : with(file: "\(Self.importMark)\(store)\n\(file)")
  }

  /// Whether its file says that it came with an archive.
  var isImported: Bool {
    file.parts(at: "\n").contains { $0.hasPrefix(Self.importMark) }
  }

  /// The time in the first line of the file.
  var createdAt: Instant? {
    let line = file.parts(at: "\n").first ?? ""
    guard line.hasPrefix(Self.createdMark) else { return nil }
    return Instant(rfc3339: String(line.dropFirst(Self.createdMark.count)))
  }

  package init(recipient: String, file: String) {
    self.init()
    self.recipient = recipient
    self.file = file
  }

  /// Returns the same identity with another text of its file.
  package func with(file: String) -> StoreIdentity {
    var identity = self
    identity.file = file
    return identity
  }
}

extension StoreIdentity: RecordPart {
  package static var blank: StoreIdentity { StoreIdentity() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("recipient", &recipient)
    try walk.member("file", &file)
    walk.rest(&unknown)
  }
}

/// One step that brings a store from its format to the next.
package struct MigrationStep: Sendable {
  /// The format that it starts from.
  package let from: Int64
  /// Writes what the next format has otherwise, under the store's lock.
  ///
  /// It must be able to run again after an interruption, and leave alone what a program of the old
  /// format needs: until the header says the new format, the store is of the old one.
  package let run: @Sendable (Store) throws(Fault) -> Void

  package init(
    from format: Int64, run: @escaping @Sendable (Store) throws(Fault) -> Void
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
  func migrate(by steps: [MigrationStep], to format: Int64) throws(Fault) {
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
      try files.replace(layout.header, bytes, mode: 0o600, by: temporary)
    }
  }

  /// Keeps the header of the old format, once.
  private func keepHeader(of format: Int64) throws(Fault) {
    let folder = layout.backups.appending("format-\(format)")
    let copy = folder.appending("store.json")
    try files.createDirectories(folder)
    if try files.statusIfPresent(copy) != nil { return }
    let bytes = try files.readFile(layout.header, limit: RecordFile.sizeLimit)
    let temporary = folder.appending("store.json.new")
    try? files.unlink(temporary)
    _ = try files.writeTemporary(temporary, bytes, mode: 0o600)
    try files.rename(temporary, to: copy)
    try files.synchronizeDirectory(folder)
  }
}
