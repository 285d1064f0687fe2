import CapsuleCore

/// The keys that a person gives: identities in files, and a passphrase from a file, from a command, or
/// from the terminal.
struct InteractiveKeys: KeySource {
  let session: Session
  let invocation: Invocation
  /// The question for the passphrase.
  let question: String
  /// The failure of shares, where no trustees can be among those that it is sealed to.
  var refusalOfShares: Failure? = .notOfTrustees

  /// The number of times that a passphrase may be mistyped.
  private static let tries = 3

  var areOfTrustees: Bool { ShareOptions.isGiven(invocation) }

  var maximumWorkFactor: Int { invocation[PassphraseOptions.maximumWorkFactor] }

  func identities() throws -> [any Identity] {
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    guard ShareOptions.isGiven(invocation) else { return identities }
    if let refusalOfShares { throw refusalOfShares }
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
    let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
    identities += try TrusteeGroup.identities(joining: set, of: groups).identities as [any Identity]
    return identities
  }

  func opened(_ store: Store) throws -> Store { try session.passphrases.opened(store, invocation) }

  /// Returns the passphrase that is named, once, or else asks for one.
  func passphrase(attempt: Int) throws -> Passphrase? {
    if invocation[PassphraseOptions.file] != nil || invocation[PassphraseOptions.command] != nil {
      return attempt == 1 ? try PassphraseOptions.given(invocation, session) : nil
    }
    guard attempt <= Self.tries else { return nil }
    if attempt > 1 { session.console.warning("the passphrase is wrong; try again") }
    return try PassphraseOptions.asked(question, session)
  }
}

extension Failure {
  /// Shares were given, and trustees are none of those that it is sealed to.
  static let notOfTrustees = Failure(
    .key, "it is not sealed to trustees: no share opens it",
    hint: "leave out '--shares'; 'capsule show' says what its lock asks for")

  /// The failure of shares for a lock; `nil` where they may open it.
  static func ofShares(for lock: Lock, in store: Store) -> Failure? {
    if lock.canBeOfTrustees { return nil }
    guard lock.kind == .honor, store.hasTrusteesCopy else { return .notOfTrustees }
    return Failure(
      .key, "no share opens it alone: it is sealed to the store, which trustees can open",
      hint:
        "open the store to all with their shares, and this then: capsule store unprotect --shares")
  }
}
