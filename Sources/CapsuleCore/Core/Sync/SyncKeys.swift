import Synchronization

/// The secrets that all machines of one store have in common: they follow from its first identity, which no
/// carrier has.
package struct SyncKeys: Sendable {
  /// Proves that a segment was written by one of the machines.
  let segment: SecretBytes
  /// Gives blobs names in carriers that say nothing of their bytes.
  let blob: SecretBytes
  /// Seals each blob in the same way on every machine.
  private let sealing: SecretBytes
  /// The secret by which the carriers of this store are told apart from others.
  let carrier: SecretBytes
  /// The recipients and identities of the store.
  let recipients: [AgeRecipient]
  let identities: [AgeIdentity]

  /// The keys of a store; `nil` where none of its identities is there.
  package init?(_ store: Store) {
    let usable = store.keys.shared.sorted { $0.recipient < $1.recipient }
    var identities: [AgeIdentity] = []
    for identity in usable {
      identities += identity.keys.filter {
        $0.kind == .x25519 && $0.recipient.description == identity.recipient
      }
    }
    guard let first = identities.first else { return nil }
    self.identities = identities
    recipients = identities.map(\.recipient)
    var secret = first.seed.bytes
    defer { wipe(&secret) }
    let salt = Array(store.header.id.description.utf8)
    func derived(_ purpose: String) -> SecretBytes {
      var bytes = HKDFSHA256.derive(
        secret: secret, salt: salt, info: Array("capsule sync \(purpose)".utf8), count: 32)
      return SecretBytes(taking: &bytes)
    }
    segment = derived("segment")
    blob = derived("blob")
    sealing = derived("sealing")
    carrier = derived("carrier")
  }

  /// The name of a blob in every carrier.
  package func name(of blob: BlobName) -> CarrierName { .blob(digits(of: blob)) }

  /// Returns the name of a blob in every carrier as 64 digits.
  func digits(of blob: BlobName) -> String {
    Hex.encode(Self.code(self.blob, Array(blob.description.utf8)))
  }

  /// Returns the mark of the store in a carrier's header: it proves that both belong together.
  package func mark(of carrier: String) -> String {
    Hex.encode(Self.code(self.carrier, Array(carrier.utf8)))
  }

  /// The bytes with which a blob is sealed for carriers, in the place of random ones: HMAC-SHA-256 of a
  /// counter, under a key that follows from a secret of the store, the blob and the recipients.
  ///
  /// So the file is the same at each attempt and from each machine, and one that was cut off can be continued.
  /// Each key still seals one plaintext: the blob's name is its digest.
  func sealingSource(for blob: BlobName) -> RandomSource {
    let subject = [blob.description] + recipients.map(\.description)
    var secret = Self.code(sealing, Array(subject.joined(separator: "\n").utf8))
    let key = SecretBytes(taking: &secret)
    let counter = Counter()
    return RandomSource { buffer in
      for start in stride(from: 0, to: buffer.count, by: SHA256.byteCount) {
        let number = counter.next()
        let block = Self.code(key, withUnsafeBytes(of: number.bigEndian) { Array($0) })
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        piece.copyBytes(from: block.prefix(piece.count))
      }
    }
  }

  private final class Counter: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  func segmentCode() -> HMACSHA256 {
    segment.withUnsafeBytes { HMACSHA256(key: $0) }
  }

  private static func code(_ key: SecretBytes, _ data: [UInt8]) -> [UInt8] {
    var code = key.withUnsafeBytes { HMACSHA256(key: $0) }
    code.update(data)
    return code.finalize()
  }
}
