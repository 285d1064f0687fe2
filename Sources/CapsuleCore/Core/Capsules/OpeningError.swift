/// The reason why a capsule did not open.
public enum OpeningError: Error {
  /// Its record or a content cannot be read, or is not what was written.
  case capsule(CapsuleError)
  /// The gate is closed until then, or until a timelock's round is signed; `remaining` seconds are left, at
  /// least 1.
  case locked(until: Instant, remaining: Int64)
  /// The gate is closed by the clock, and the beacon that says otherwise is of a chain with this hash, which
  /// this device does not know: it proves nothing.
  case unknownChain(hash: String, until: Instant)
  /// A field of the record's timelock is wrong, or its beacon is not the signature of its round.
  case timelock(FieldError)
  /// The lock is sealed to another round or chain than its record says.
  case otherRound
  /// The lock is timelocked, and its record does not say to what.
  case unrecordedTimelock
  /// No key fits of those that were given.
  case noKey(WrongKey)
  /// A layer of the lock could not be opened for another reason: it is damaged, or its beacon is
  /// missing.
  case lock(any Error)
  /// The lock opened, and does not belong to the record.
  case lockFault(LockFault)
  /// The source of keys or of beacons failed.
  case source(any Error)

  init(_ failure: LockFailure) {
    switch failure {
    case .file(.noMatch): self = .noKey(.identity)
    case .file(let error): self = .lock(error)
    case .damaged(let fault): self = .lockFault(fault)
    }
  }
}

/// The kind of the keys of which none opened a lock.
public enum WrongKey: Hashable, Sendable {
  /// The passphrase, or there was none.
  case passphrase
  /// The shares of trustees.
  case shares
  /// The identities that were given, and the store's own.
  case identity
}
