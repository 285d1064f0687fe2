extension StoreEnvironment {
  /// A new age identity of the store's own, for the honor lock, in the form that `age-keygen` gives
  /// it.
  func newIdentity(now: Instant) throws(StoreError) -> StoreIdentity {
    var secret: [UInt8]
    do throws(RandomSource.Failure) { secret = try random.bytes(32) } catch { throw .random(error) }
    defer { wipe(&secret) }
    let recipient = Bech32.encode(hrp: "age", X25519.publicKey(secret: secret))
    let key = Bech32.encode(hrp: "age-secret-key-", secret).uppercased()
    return StoreIdentity(
      recipient: recipient,
      file: "# created: \(now.rfc3339)\n# public key: \(recipient)\n\(key)\n")
  }
}

extension StoreIdentity {
  /// Whether the file holds the secret key of the recipient: what `store.json` says of both may have
  /// been changed.
  package var holdsKey: Bool {
    file.parts(at: "\n").contains { line in
      guard let (part, bytes) = Bech32.decode(line.trimmed) else { return false }
      var secret = bytes
      defer { wipe(&secret) }
      return part == "AGE-SECRET-KEY-" && secret.count == X25519.byteCount
        && Bech32.encode(hrp: "age", X25519.publicKey(secret: secret)) == recipient
    }
  }

  /// Whether the file holds that key and nothing that `age` would refuse: each other line is empty, a
  /// comment, or a key.
  var isIntact: Bool {
    holdsKey
      && file.parts(at: "\n").allSatisfy { line in
        line.isEmpty || line.utf8.first == UInt8(ascii: "#")
          || Bech32.decode(line)?.0.hasPrefix("AGE-SECRET-KEY-") ?? false
      }
  }
}
