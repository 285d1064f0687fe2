/// The key of a capsule whose time has come: it opens files sealed to the capsule's recipient.
package struct CapsuleKey: Sendable {
  private let identity: AgeIdentity

  init(_ identity: AgeIdentity) {
    self.identity = identity
  }

  /// The most bytes of a content's description: a text of 1 MiB, every byte of it escaped.
  private static let contentByteLimit = 8 << 20

  /// Opens the description of a content, `contents[].sealed`.
  ///
  /// - Returns: the bytes of its JSON.
  /// - Throws: ``AgeFailure``, also for more than 8 MiB.
  package func openContent(_ sealed: String, pass: GatePass) throws(AgeFailure) -> [UInt8] {
    var sink = LimitedSink(limit: Self.contentByteLimit)
    _ = try open(MemorySource(Array(sealed.utf8)), to: &sink, encoding: .armor, threads: 1)
    return sink.take()
  }

  /// Opens a blob into a sink.
  ///
  /// On damage everything before it was written: write beside, and rename at the end.
  ///
  /// - Returns: the number of bytes.
  package func openBlob(
    from source: any ByteSource, to sink: inout some ByteSink, pass: GatePass,
    threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    try open(source, to: &sink, encoding: .binary, threads: threads)
  }

  private func open(
    _ source: any ByteSource, to sink: inout some ByteSink, encoding: AgeReader.Encoding,
    threads: Int
  ) throws(AgeFailure) -> UInt64 {
    var reader = try AgeReader(source, encoding: encoding)
    let fileKey: FileKey
    do {
      fileKey = try reader.unlock(with: [identity])
    } catch {
      // The key came out of the lock: a file that it does not fit is damaged.
      if case .noMatch = error { throw .header(.otherRecipient) }
      throw error
    }
    return try reader.open(with: fileKey, to: &sink, threads: threads)
  }
}

/// The form of a lock, as it is sealed with the capsule's key: its kind, and for a timelock what is needed inside it
/// and the chain that lifts it. A lock that somebody wraps in another one does not get another form by that.
package struct LockForm: Hashable, Sendable {
  private let kind: LockKind
  /// `passphrase` or `recipients`, where a timelock needs that too.
  private let inner: LockKind?
  /// The hash of a timelock's chain, 64 digits.
  private let chain: String?

  private init(_ kind: LockKind, _ timelock: Timelock?) {
    self.kind = kind
    inner = timelock?.inner
    chain = timelock?.chain
  }

  /// The form that a record claims.
  package init(_ lock: Lock) { self.init(lock.kind, lock.timelock) }

  /// The form of a lock that is to be made.
  package init(_ request: LockRequest) { self.init(request.kind, request.timelock) }

  /// The words, with a space between two: `honor`, or `timelock passphrase` and the chain's hash.
  package var text: String {
    [kind.rawValue, inner?.rawValue, chain].compactMap(\.self).joined(separator: " ")
  }

  /// Reads the words; `nil` where they are not exactly those of a form.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let kind = LockKind(rawValue: words[0]) else { return nil }
    self.kind = kind
    guard kind == .timelock else {
      (inner, chain) = (nil, nil)
      if words.count == 1 { return }
      return nil
    }
    guard (2...3).contains(words.count), let hash = words.last,
      let digest = Hex.decode(hash), digest.count == SHA256.byteCount, Hex.encode(digest) == hash
    else { return nil }
    chain = hash
    inner = words.count == 3 ? LockKind(rawValue: words[1]) : nil
    if words.count == 3, inner != .passphrase, inner != .recipients { return nil }
  }
}

/// The lock of one capsule: its own key, sealed once by whatever the lock demands, and the recipient
/// that its contents are sealed to.
package struct CapsuleLock: Hashable, Sendable {
  /// The facts that are sealed together with a capsule's key, so that a record cannot claim
  /// otherwise.
  package struct Terms: Hashable, Sendable {
    /// The capsule.
    package let id: RecordID
    /// The earliest unlock time that its record may have.
    package let unlock: Instant
    /// The form of the lock; `nil` in locks that were made before it was sealed.
    package let form: LockForm?

    /// Terms; in place of an instant outside the years 0001 to 9999 stands the nearest inside, as
    /// where it is written.
    package init(id: RecordID, unlock: Instant, form: LockForm? = nil) {
      self.id = id
      self.unlock = unlock.clamped
      self.form = form
    }

    /// The terms that a capsule's record claims.
    init(of capsule: Capsule) {
      self.init(id: capsule.id, unlock: capsule.unlockAt, form: LockForm(capsule.lock))
    }

    /// Compares the sealed terms with those that a record claims.
    func requireFit(_ claimed: Terms) throws(LockFailure) {
      guard id == claimed.id else { throw .damaged(.otherCapsule(id)) }
      guard claimed.unlock >= unlock else { throw .damaged(.unlockEarlier(sealed: unlock)) }
      if let form, form != claimed.form { throw .damaged(.otherForm(sealed: form.text)) }
    }
  }

  /// `lock.key`: an armored age file whose plaintext is an age identity file; with two layers, one
  /// whose plaintext is another such file.
  package let key: String
  /// `lock.recipient`: the public key of the capsule.
  package let recipient: AgeRecipient

  /// `lock.spare`: the same plaintext in other layers; `nil` for none.
  package let spare: String?

  /// The lock in a record.
  package init(key: String, recipient: AgeRecipient, spare: String? = nil) {
    self.key = key
    self.recipient = recipient
    self.spare = spare
  }

  /// The spare as a lock of its own; `nil` where there is none.
  package var spareLock: CapsuleLock? {
    spare.map { CapsuleLock(key: $0, recipient: recipient) }
  }

  /// Makes a capsule's key and seals it.
  ///
  /// - Parameters:
  ///   - layers: for each layer, the outermost first, its recipients: one of each layer is needed to
  ///     open the lock.
  ///   - spareLayers: the same for a second copy; none for no spare.
  ///   - isPostQuantum: whether the capsule's key is hybrid, so that its contents are no easier to
  ///     read for a quantum computer than its lock.
  package init(
    sealing terms: Terms, layers: [[any Recipient]], spareLayers: [[any Recipient]] = [],
    isPostQuantum: Bool, random: RandomSource
  ) throws(AgeFailure) {
    guard (1...LockLayer.maximumDepth).contains(layers.count),
      spareLayers.count <= LockLayer.maximumDepth
    else { throw .recipients(.none) }
    let identity: AgeIdentity
    do {
      identity = try AgeIdentity(isPostQuantum: isPostQuantum, random: random)
    } catch {
      throw .random(error)
    }
    var text = KeyFile(terms: terms, identity: identity).text
    defer { wipe(&text) }
    key = try Self.sealed(text, to: layers, random: random)
    spare = spareLayers.isEmpty ? nil : try Self.sealed(text, to: spareLayers, random: random)
    recipient = identity.recipient
  }

  /// Seals a key file in layers, the outermost first.
  static func sealed(
    _ text: [UInt8], to layers: [[any Recipient]], random: RandomSource
  ) throws(AgeFailure) -> String {
    var inner = text
    for recipients in layers.reversed() {
      let sealed = try AgeWriter(to: recipients, random: random).seal(inner, armor: true)
      // The text that was handed in is never wiped: it is another's, and a copy is wiped in its place.
      wipe(&inner)
      inner = sealed
    }
    return String(decoding: inner, as: UTF8.self)
  }
}

/// The reason why a lock did not open.
package enum LockFailure: Error {
  /// A layer of it did not open.
  case file(AgeFailure)
  /// It opened, and does not belong to the record.
  case damaged(LockFault)
}

/// A disagreement between a lock and its record.
package enum LockFault: Hashable, Sendable {
  /// The plaintext is not the key of a capsule.
  case notKeyFile
  /// There are more layers than locks have.
  case layers
  /// It is the lock of another capsule.
  case otherCapsule(RecordID)
  /// The record's unlock time is earlier than the sealed one.
  case unlockEarlier(sealed: Instant)
  /// The record says another kind of lock, or another chain, than the sealed form, such as `passphrase` or
  /// `timelock` and a chain's hash.
  case otherForm(sealed: String)
  /// The record's recipient is not that of the sealed key.
  case otherRecipient
}

/// The plaintext of the innermost layer: an age identity file that names its capsule.
struct KeyFile: Sendable {
  let terms: CapsuleLock.Terms
  let identity: AgeIdentity

  init(terms: CapsuleLock.Terms, identity: AgeIdentity) {
    self.terms = terms
    self.identity = identity
  }

  var text: [UInt8] {
    let form = terms.form.map { ["lock \($0.text)"] } ?? []
    return IdentityFile.text(
      identity, comments: ["capsule \(terms.id)", "unlock \(terms.unlock.rfc3339)"] + form)
  }

  /// Reads the file: one capsule, one unlock time, at most one form of the lock, one key; other comments mean
  /// nothing.
  init(_ text: [UInt8]) throws(LockFailure) {
    var ids: [RecordID] = []
    var unlocks: [Instant] = []
    var forms: [LockForm] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "#") {
      if let text = Self.text(of: line, behind: "# capsule ") {
        guard let id = RecordID(text) else { throw .damaged(.notKeyFile) }
        ids.append(id)
      } else if let text = Self.text(of: line, behind: "# unlock ") {
        guard let unlock = Instant(rfc3339: text) else { throw .damaged(.notKeyFile) }
        unlocks.append(unlock)
      } else if let text = Self.text(of: line, behind: "# lock ") {
        guard let form = LockForm(text) else { throw .damaged(.notKeyFile) }
        forms.append(form)
      }
    }
    guard let identities = (try? IdentityFile(text))?.identities else {
      throw .damaged(.notKeyFile)
    }
    guard ids.count == 1, unlocks.count == 1, forms.count <= 1, identities.count == 1 else {
      throw .damaged(.notKeyFile)
    }
    terms = .init(id: ids[0], unlock: unlocks[0], form: forms.first)
    identity = identities[0]
  }

  private static func text(of line: ArraySlice<UInt8>, behind prefix: String) -> String? {
    guard line.starts(with: prefix.utf8) else { return nil }
    return String(decoding: line.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}

/// One layer of a lock: an age file that holds the next layer, or the capsule's key.
package struct LockLayer: Sendable {
  /// The most layers a lock has: a timelock outside, a passphrase or recipients inside.
  package static let maximumDepth = 2
  /// The most plaintext bytes a layer may have.
  private static let byteLimit = 64 << 10

  /// The header of this layer, whose stanzas show which keys open it.
  package let header: AgeHeader
  private let text: [UInt8]
  private let depth: Int

  fileprivate init(_ text: [UInt8], depth: Int) throws(LockFailure) {
    guard depth <= Self.maximumDepth else { throw .damaged(.layers) }
    self.text = text
    self.depth = depth
    do {
      header = try AgeReader(MemorySource(text)).header
    } catch {
      throw .file(error)
    }
  }

  /// Whether the layer waits for a round of a drand chain.
  package var isTimelocked: Bool {
    header.stanzas.contains { $0.kind == TlockStanza.kind }
  }

  /// The number of keys besides the beacon that open a timelocked layer.
  package var escrowCount: Int {
    header.stanzas.count { $0.kind != TlockStanza.kind }
  }

  /// Whether the layer is sealed with a passphrase, which is then the only way in.
  package var needsPassphrase: Bool {
    header.stanzas.contains { $0.kind == ScryptStanza.kind }
  }

  /// Whether the layer is sealed to the round and the chain that a record says.
  package func fits(_ timelock: Timelock) -> Bool {
    header.stanzas.contains { stanza in
      guard let sealed = try? TlockStanza(stanza) else { return false }
      return sealed.round == timelock.roundNumber && sealed.chainHash == timelock.chain
    }
  }

  /// The plaintext of a layer.
  package enum Content: Sendable {
    case layer(LockLayer)
    case key(SealedKey)
  }

  /// Opens the layer.
  ///
  /// - Throws: ``LockFailure``, for a wrong passphrase or another identity too.
  package func open(with identities: [any Identity]) throws(LockFailure) -> Content {
    var sink = LimitedSink(limit: Self.byteLimit)
    do {
      var reader = try AgeReader(MemorySource(text))
      let fileKey = try reader.unlock(with: identities)
      _ = try reader.open(with: fileKey, to: &sink, threads: 1)
    } catch {
      if case .sink = error { throw .damaged(.notKeyFile) }
      throw .file(error)
    }
    var plaintext = sink.take()
    if plaintext.starts(with: Armor.begin) || plaintext.starts(with: AgeHeader.versionLine) {
      return .layer(try LockLayer(plaintext, depth: depth + 1))
    }
    defer { wipe(&plaintext) }
    return .key(try SealedKey(&plaintext))
  }
}

/// A capsule's key as it came out of its lock; the gate decides whether it may be used.
package struct SealedKey: Sendable {
  private let file: KeyFile
  /// The key file, byte for byte as it was sealed.
  private let text: SecretBytes

  fileprivate init(_ text: inout [UInt8]) throws(LockFailure) {
    file = try KeyFile(text)
    self.text = SecretBytes(taking: &text)
  }

  /// The terms that were sealed with the key.
  package var terms: CapsuleLock.Terms { file.terms }

  /// The size of the key file, in bytes.
  var byteCount: Int64 { Int64(text.count) }

  /// Writes the key file, as it is: for an estate alone, which is sealed to the owner's trustees and
  /// opens what the store opens by itself, without the gate.
  func write(to sink: inout some ByteSink) throws {
    try text.withUnsafeBytes { try sink.write($0) }
  }

  /// Whether the key belongs to a recipient and opens texts that are sealed to it. The opened texts
  /// are dropped as they come, so that no decision of the gate is needed.
  func opens(_ sealed: [String], sealedTo recipient: String) -> Bool {
    guard file.identity.recipient.description == recipient else { return false }
    return sealed.allSatisfy { text in
      do {
        var sink = NullSink()
        var reader = try AgeReader(MemorySource(Array(text.utf8)), encoding: .armor)
        let key = try reader.unlock(with: [file.identity])
        _ = try reader.open(with: key, to: &sink, threads: 1)
        return true
      } catch {
        return false
      }
    }
  }

  /// Whether it is the key of a recipient.
  fileprivate func isKey(of recipient: AgeRecipient) -> Bool {
    file.identity.recipient == recipient
  }

  /// Compares the key with the capsule's record and returns it.
  ///
  /// - Parameters:
  ///   - id: the record's id.
  ///   - form: the form of the record's lock.
  ///   - recipient: the record's recipient.
  ///   - pass: the gate's decision about the record's unlock time.
  package func use(
    id: RecordID, form: LockForm, recipient: AgeRecipient, pass: GatePass
  ) throws(LockFailure) -> CapsuleKey {
    try requireFit(.init(id: id, unlock: pass.unlock, form: form), recipient: recipient)
    return CapsuleKey(file.identity)
  }

  /// Compares the key with what the capsule's record claims.
  func requireFit(
    _ claimed: CapsuleLock.Terms, recipient: AgeRecipient
  ) throws(LockFailure) {
    try terms.requireFit(claimed)
    guard isKey(of: recipient) else { throw .damaged(.otherRecipient) }
  }

  /// Seals the key file once more, as it is, in other layers, the outermost first. Nothing of it comes
  /// out, so that no decision of the gate is needed.
  func sealedAgain(
    to layers: [[any Recipient]], random: RandomSource
  ) throws(AgeFailure) -> String {
    var bytes = text.bytes
    defer { wipe(&bytes) }
    return try CapsuleLock.sealed(bytes, to: layers, random: random)
  }
}

extension CapsuleLock {
  /// Reads the outermost layer, to open one layer after the other: a passphrase is asked for when its
  /// layer is reached.
  package func outerLayer() throws(LockFailure) -> LockLayer {
    try LockLayer(Array(key.utf8), depth: 1)
  }

  /// Reads the terms that were sealed with the capsule's key; they hold no key, so that no decision of
  /// the gate is needed.
  package func terms(with identities: [any Identity]) throws(LockFailure) -> Terms {
    try sealedKey(with: identities).terms
  }

  /// Opens the lock, and compares what is sealed in it with what its record claims and with the recipient beside
  /// it; no key comes out, so that no decision of the gate is needed.
  func requireFit(
    _ claimed: Terms, with identities: [any Identity]
  ) throws(LockFailure) {
    let key = try sealedKey(with: identities)
    try key.requireFit(claimed, recipient: recipient)
  }

  /// Opens the lock of the record `id`, all layers with the same identities.
  ///
  /// - Parameters:
  ///   - form: the form of the record's lock.
  ///   - pass: the gate's decision about the record's unlock time.
  package func open(
    id: RecordID, form: LockForm, with identities: [any Identity], pass: GatePass
  ) throws(LockFailure) -> CapsuleKey {
    let key = try sealedKey(with: identities)
    return try key.use(id: id, form: form, recipient: recipient, pass: pass)
  }

  func sealedKey(with identities: [any Identity]) throws(LockFailure) -> SealedKey {
    var layer = try outerLayer()
    while true {
      switch try layer.open(with: identities) {
      case .key(let key): return key
      case .layer(let inner): layer = inner
      }
    }
  }
}
