extension StoreEnvironment {
  /// A new age identity of the store's own, for the honor lock, in the form that `age-keygen` gives
  /// it.
  func newIdentity(now: Instant) throws(StoreError) -> StoreIdentity {
    var secret: [UInt8]
    do throws(RandomSource.Failure) { secret = try random.bytes(32) } catch { throw .random(error) }
    defer { wipe(&secret) }
    let recipient = Bech32.encode(hrp: "age", X25519.publicKey(secret: secret))
    let key = Bech32.encode(hrp: "age-secret-key-", secret).uppercased()
    return StoreIdentity(key: key, recipient: recipient, createdAt: now)
  }
}

extension StoreIdentity {
  /// Whether the file is an armored age file: that of a protected store.
  package var isSealed: Bool {
    file.hasPrefix(Self.armorBegin) && file.hasSuffix("-----END AGE ENCRYPTED FILE-----\n")
  }

  /// Whether a passphrase opens it, and no other identity does.
  package var isSealedWithPassphrase: Bool {
    // The first 30 bytes of such a file, which no other kind begins with.
    isSealed && file.dropFirst(Self.armorBegin.count).hasPrefix(Self.scryptBegin)
  }

  private static let armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----\n"
  /// `age-encryption.org/v1`, a line feed and `-> scryp`, in base64.
  private static let scryptBegin = "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlw"

  /// Whether it can be what was written: sealed, or the secret key of its recipient, which is the name of
  /// its file.
  package var isUsable: Bool { RecipientText.isX25519(recipient) && (isSealed || holdsKey) }

  /// Whether the file holds the secret key of the recipient: what `store.json` says of both may have
  /// been changed.
  package var holdsKey: Bool {
    file.parts(at: "\n").contains { isKey($0.trimmed) }
  }

  private static let keyPrefix = "AGE-SECRET-KEY-"

  private func isKey(_ text: String) -> Bool {
    guard let (part, bytes) = Bech32.decode(text) else { return false }
    var secret = bytes
    defer { wipe(&secret) }
    return part == Self.keyPrefix && secret.count == X25519.byteCount
      && Bech32.encode(hrp: "age", X25519.publicKey(secret: secret)) == recipient
  }

  /// Whether the file holds that key and nothing that `age` would refuse: each other line is empty, a
  /// comment, or a key.
  var isIntact: Bool {
    isSealed
      || holdsKey
        && file.parts(at: "\n").allSatisfy { line in
          line.isEmpty || line.utf8.first == UInt8(ascii: "#")
            || Bech32.decode(line)?.0.hasPrefix(Self.keyPrefix) ?? false
        }
  }

  /// The identity with a file of the key and the comments that are left in this one; `nil` where the key is not
  /// in it, wherever that stands.
  var mended: StoreIdentity? {
    guard !isSealed, let key = keyText else { return nil }
    let comments = file.parts(at: "\n").filter {
      $0.utf8.first == UInt8(ascii: "#") && !$0.has("AGE-SECRET-KEY-")
    }
    let lines = comments.map { String($0) } + [key]
    return StoreIdentity(recipient: recipient, file: lines.joined(separator: "\n") + "\n")
  }

  private var keyText: String? {
    let bytes = Array(file.utf8)
    for start in bytes.indices where bytes[start...].starts(with: Self.keyPrefix.utf8) {
      let digits = bytes[start...].dropFirst(Self.keyPrefix.utf8.count).prefix {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
      }
      let text = Self.keyPrefix + String(decoding: digits, as: UTF8.self)
      if isKey(text) { return text }
    }
    return nil
  }
}

/// The identities, and the trustees' copy of them.
package struct StoreKeys: StoreSubject {
  package let store: Store
}

extension StoreKeys {
  /// The identities of the store by their recipients: the files in `identities/`, and the copies of those that
  /// are lost.
  package func own() -> [StoreIdentity] {
    var found: [StoreIdentity] = []
    let all =
      stored().sorted { $0.recipient < $1.recipient } + header.identities
      + store.copies.identities()
    for identity in all where identity.isSealed == header.isProtected && identity.isUsable {
      if !found.contains(where: { $0.recipient == identity.recipient }) { found.append(identity) }
    }
    // The store's own first, in its order.
    let own = header.identities.map(\.recipient)
    let first = own.compactMap { recipient in found.first { $0.recipient == recipient } }
    return first + found.filter { !own.contains($0.recipient) }
  }
}

// The copy of the identities by which trustees open a protected store.
extension StoreKeys {
  /// The most bytes of a file of identities that are read.
  static let fileLimit = 1 << 20

  /// The file.
  package var trusteesCopy: FilePath {
    layout.identities.appending("\(header.identities.first?.recipient ?? "").trustees.age")
  }

  /// Whether the shares of trustees open the store in the place of its passphrase.
  package var hasTrusteesCopy: Bool { header.isProtected && !trusteesCopies().isEmpty }

  /// Its texts: the one in the header, and that of the file.
  func trusteesCopies() -> [[UInt8]] {
    let file = try? files.readFile(trusteesCopy, limit: Self.fileLimit)
    return [header.trusteesCopy.map { Array($0.utf8) }, file].compactMap(\.self).unique
  }

  /// Makes the file of the copy in the header, where it is not there.
  func makeTrusteesCopy() throws(StoreError) {
    guard header.isProtected, let copy = header.trusteesCopy else { return }
    try store.whileLocked { () throws(StoreError) in
      let status = try storeIO { () throws(FileSystemError) in
        try files.statusIfPresent(trusteesCopy)
      }
      if status == nil { try writeTrusteesCopy(Array(copy.utf8)) }
    }
  }

  /// Writes the file.
  func writeTrusteesCopy(_ copy: [UInt8]) throws(StoreError) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try storeIO { () throws(FileSystemError) in
      try files.createDirectories(layout.identities)
      try files.replace(trusteesCopy, copy, mode: 0o400, by: temporary)
    }
  }
}
