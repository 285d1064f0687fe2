import CapsuleCore

/// The keys that a person gives: identities in files, and a passphrase from a file, from a command, or
/// from the terminal.
struct InteractiveKeys: KeySource {
  let session: Session
  let invocation: Invocation
  /// The question for the passphrase.
  let question: String

  /// How often a passphrase may be mistyped.
  private static let tries = 3

  func identities() throws -> [any Identity] {
    try KeyOptions.identities(invocation, session)
  }

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
