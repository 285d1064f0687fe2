/// A disagreement between a capsule's record and its lock, as far as can be seen without its keys.
public enum LockProblem: Hashable, Sendable {
  /// The recipient in the record is none.
  case noRecipient
  /// Contents that were added would be sealed to another recipient than the one whose key the lock holds.
  case otherRecipient
  /// The lock is that of another capsule.
  case otherCapsule(RecordID)
  /// The record's unlock time is earlier than the one that is sealed.
  case unlockEarlier(sealed: Instant)
  /// The record says another kind of lock, or another chain, than the form that is sealed with its key.
  case otherForm(sealed: String)
  /// The chain in the record is not one: its parameters do not fit each other, or have the public key of a known
  /// chain.
  case noChain
  /// The lock is sealed to another round or chain than the record says, or to none.
  case otherRound
  /// The lock of a timelock can be lifted by so many escrows, and the record names another number.
  case escrows(sealed: Int, recorded: Int)
  /// The lock cannot be read.
  case unreadable
}
