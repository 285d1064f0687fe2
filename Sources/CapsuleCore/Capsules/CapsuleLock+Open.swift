/// One layer of a lock: an age file that holds the next layer, or the capsule's key.
package struct LockLayer: Sendable {
  /// The most layers a lock has: a timelock outside, a passphrase or recipients inside.
  package static let maximumDepth = 2
  /// The most plaintext bytes a layer may have.
  private static let byteLimit = 64 << 10

  /// The stanzas of this layer, which say what it takes to open it.
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

  /// What was in a layer.
  package enum Content: Sendable {
    case layer(LockLayer)
    case key(SealedKey)
  }

  /// Opens the layer; a wrong passphrase or another identity is `.file(.noMatch)`.
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
      return .key(SealedKey(try KeyFile(plaintext)))
    } catch {
      throw .damaged(error)
    }
  }
}

/// A capsule's key as it came out of its lock; the gate decides whether it may be used.
package struct SealedKey: Sendable {
  private let file: KeyFile

  fileprivate init(_ file: KeyFile) {
    self.file = file
  }

  /// What was sealed with the key.
  package var terms: CapsuleLock.Terms { file.terms }

  /// Compares the key with the capsule's record and gives it out.
  ///
  /// - Parameters:
  ///   - id: the record's id.
  ///   - recipient: the record's recipient.
  ///   - pass: the gate's decision about the record's unlock time.
  package func use(
    id: RecordID, recipient: X25519Recipient, pass: GatePass
  ) throws(LockFault) -> CapsuleKey {
    guard terms.id == id else { throw .otherCapsule(terms.id) }
    guard pass.unlock >= terms.unlock else { throw .unlockEarlier(sealed: terms.unlock) }
    guard file.identity.recipient == recipient else { throw .otherRecipient }
    return CapsuleKey(file.identity)
  }
}

extension CapsuleLock {
  /// The outermost layer, to open one layer after the other: who is asked for a passphrase is asked
  /// when that layer is reached.
  package func outerLayer() throws(LockFailure) -> LockLayer {
    try LockLayer(Array(key.utf8), depth: 1)
  }

  /// What was sealed with the capsule's key; it gives no key, so it needs no decision of the gate.
  package func terms(with identities: [any Identity]) throws(LockFailure) -> Terms {
    try sealedKey(with: identities).terms
  }

  /// Opens the lock of the record `id`, all layers with the same identities.
  ///
  /// - Parameters:
  ///   - pass: the gate's decision about the record's unlock time.
  package func open(
    id: RecordID, with identities: [any Identity], pass: GatePass
  ) throws(LockFailure) -> CapsuleKey {
    let key = try sealedKey(with: identities)
    do throws(LockFault) {
      return try key.use(id: id, recipient: recipient, pass: pass)
    } catch {
      throw .damaged(error)
    }
  }

  private func sealedKey(with identities: [any Identity]) throws(LockFailure) -> SealedKey {
    var layer = try outerLayer()
    while true {
      switch try layer.open(with: identities) {
      case .key(let key): return key
      case .layer(let inner): layer = inner
      }
    }
  }
}
