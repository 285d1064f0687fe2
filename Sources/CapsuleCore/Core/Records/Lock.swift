/// The thing that a capsule's seal demands besides the date.
public enum LockKind: String, CaseIterable, Hashable, Sendable, FieldText {
  /// A seal to the store's own identity: it keeps honest people honest, and no more.
  case honor
  /// A seal with a passphrase (scrypt).
  case passphrase
  /// A seal to age recipients that were named at creation.
  case recipients
  /// A seal to a future beacon of a drand chain (tlock).
  case timelock
}

/// A capsule's lock: how its identity is sealed.
public struct Lock: Hashable, Sendable {
  public private(set) var kind = LockKind.honor
  /// An armored age file whose plaintext is the capsule's identity file.
  package private(set) var key = ""
  /// The capsule's own recipient, `age1…`, to which its contents are sealed.
  public private(set) var recipient = ""
  /// The drand round that lifts the lock; for a timelock only.
  public package(set) var timelock: Timelock?
  /// A second sealed copy of the capsule's identity file, for trustees in the place of a passphrase or of
  /// the store's identity.
  package private(set) var spare: String?
  package private(set) var unknown: JSONObject = [:]
}

extension Lock {
  /// Whether it is one that can have a spare: it asks for a passphrase, or for the store's identity.
  package var canHaveSpare: Bool {
    let inside = timelock?.inner ?? kind
    return inside == .passphrase || inside == .honor
  }

  /// The spare, where the lock is one that can have it.
  package var usableSpare: String? { canHaveSpare ? spare : nil }

  /// Whether trustees may be among those that it is sealed to; who they are cannot be seen.
  package var canBeOfTrustees: Bool {
    kind == .recipients || kind == .timelock || usableSpare != nil
  }

  /// The copy of the key that trustees can open by hand, whatever the time is.
  package enum TrusteeCopy: Hashable, Sendable {
    case spare
    /// The key in the lock itself.
    case key
    /// The key of a timelock, by its escrow; inside is a lock of that kind, where there is one.
    case escrow(inner: LockKind?)
  }

  /// The copy that trustees can open by hand, where they are among those that it is sealed to; who they are
  /// cannot be seen. A timelock without an escrow opens to nobody before its time.
  package var trusteeCopy: TrusteeCopy? {
    if let timelock { return timelock.escrow.isEmpty ? nil : .escrow(inner: timelock.inner) }
    if usableSpare != nil { return .spare }
    return kind == .recipients ? .key : nil
  }

  /// Takes a spare, in the place of another where there is one; with `nil` it has none.
  package mutating func take(spare: String?) { self.spare = spare }

  /// Takes the same identity file as it is sealed anew to the identity of a protected store.
  package mutating func take(keySealedAnew key: String) { self.key = key }
}

extension Lock: RecordPart {
  package static var blank: Lock { Lock() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("kind", &kind)
    try coder.field("key", &key)
    try coder.field("recipient", &recipient)
    try coder.optional("timelock", &timelock, writesNull: false)
    try coder.optional("spare", &spare, writesNull: false)
    coder.rest(&unknown)
    if (kind == .timelock) != (timelock != nil) {
      try coder.refuse("timelock", timelock == nil ? .missing : .invalid(kind.rawValue))
    }
  }
}
