/// What a capsule's seal demands besides the date.
public enum LockKind: String, CaseIterable, Hashable, Sendable {
  /// Sealed to the store's own identity: it keeps honest people honest, and no more.
  case honor
  /// Sealed with a passphrase (scrypt).
  case passphrase
  /// Sealed to age recipients that were named at creation.
  case recipients
  /// Sealed to a future beacon of a drand chain (tlock).
  case timelock
}

/// A capsule's lock: how its identity is sealed.
public struct Lock: Hashable, Sendable {
  public let kind: LockKind
  /// An armored age file whose plaintext is the capsule's identity file.
  package let key: String
  /// The capsule's own recipient, `age1…`, to which its contents are sealed.
  public let recipient: String
  /// The drand round that lifts the lock; for a timelock only.
  public var timelock: Timelock?
  package let unknown: JSONObject

  package init(kind: LockKind, key: String, recipient: String, timelock: Timelock?) {
    self.kind = kind
    self.key = key
    self.recipient = recipient
    self.timelock = timelock
    unknown = [:]
  }
}

extension Lock: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    kind = try reader.choice("kind", as: LockKind.self)
    key = try reader.string("key")
    recipient = try reader.string("recipient")
    timelock = try reader.optionalModel("timelock", as: Timelock.self)
    unknown = reader.rest
    if (kind == .timelock) != (timelock != nil) {
      throw reader.error("timelock", timelock == nil ? .missing : .invalid(kind.rawValue))
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["kind"] = .string(kind.rawValue)
    fields["key"] = .string(key)
    fields["recipient"] = .string(recipient)
    if let timelock { fields["timelock"] = .object(timelock.fields) }
    return fields
  }
}
