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
    do throws(AgeFailure) {
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
  /// - Throws: `.file`, with `.noMatch` for a wrong passphrase or another identity, or `.damaged`.
  package func open(with identities: [any Identity]) throws(LockFailure) -> Content {
    var sink = LimitedSink(limit: Self.byteLimit)
    do throws(AgeFailure) {
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
    do throws(LockFault) {
      return .key(try SealedKey(&plaintext))
    } catch {
      throw .damaged(error)
    }
  }
}

/// A capsule's key as it came out of its lock; the gate decides whether it may be used.
package struct SealedKey: Sendable {
  private let file: KeyFile
  /// The key file, byte for byte as it was sealed.
  private let text: SecretBytes

  fileprivate init(_ text: inout [UInt8]) throws(LockFault) {
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
      do throws(AgeFailure) {
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
  /// - Throws: `.otherCapsule`, `.unlockEarlier`, `.otherForm` or `.otherRecipient`.
  package func use(
    id: RecordID, form: LockForm, recipient: AgeRecipient, pass: GatePass
  ) throws(LockFault) -> CapsuleKey {
    try requireFit(.init(id: id, unlock: pass.unlock, form: form), recipient: recipient)
    return CapsuleKey(file.identity)
  }

  /// Compares the key with what the capsule's record claims.
  ///
  /// - Throws: `.otherCapsule`, `.unlockEarlier`, `.otherForm` or `.otherRecipient`.
  func requireFit(
    _ claimed: CapsuleLock.Terms, recipient: AgeRecipient
  ) throws(LockFault) {
    try terms.requireFit(claimed)
    guard isKey(of: recipient) else { throw .otherRecipient }
  }

  /// Seals the key file once more, as it is, in other layers, the outermost first. Nothing of it comes
  /// out, so that no decision of the gate is needed.
  ///
  /// - Throws: `.recipients`, `.random` or `.memory`.
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
  ///
  /// - Throws: `.file`.
  package func outerLayer() throws(LockFailure) -> LockLayer {
    try LockLayer(Array(key.utf8), depth: 1)
  }

  /// Reads the terms that were sealed with the capsule's key; they hold no key, so that no decision of
  /// the gate is needed.
  ///
  /// - Throws: `.file` or `.damaged`.
  package func terms(with identities: [any Identity]) throws(LockFailure) -> Terms {
    try sealedKey(with: identities).terms
  }

  /// Opens the lock, and compares what is sealed in it with what its record claims and with the recipient beside
  /// it; no key comes out, so that no decision of the gate is needed.
  ///
  /// - Throws: `.file` or `.damaged`.
  func requireFit(
    _ claimed: Terms, with identities: [any Identity]
  ) throws(LockFailure) {
    let key = try sealedKey(with: identities)
    do throws(LockFault) { try key.requireFit(claimed, recipient: recipient) } catch {
      throw .damaged(error)
    }
  }

  /// Opens the lock of the record `id`, all layers with the same identities.
  ///
  /// - Parameters:
  ///   - form: the form of the record's lock.
  ///   - pass: the gate's decision about the record's unlock time.
  /// - Throws: `.file` or `.damaged`.
  package func open(
    id: RecordID, form: LockForm, with identities: [any Identity], pass: GatePass
  ) throws(LockFailure) -> CapsuleKey {
    let key = try sealedKey(with: identities)
    do throws(LockFault) {
      return try key.use(id: id, form: form, recipient: recipient, pass: pass)
    } catch {
      throw .damaged(error)
    }
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
