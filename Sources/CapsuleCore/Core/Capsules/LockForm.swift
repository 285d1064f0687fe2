/// The form of a lock, as it is sealed with the capsule's key: its kind, and for a timelock what is needed inside it
/// and the chain that lifts it. A lock that somebody wraps in another one does not get another form by that.
package struct LockForm: Hashable, Sendable {
  private let kind: LockKind
  /// `passphrase` or `recipients`, where a timelock needs that too.
  private let inner: LockKind?
  /// The hash of a timelock's chain, 64 digits.
  private let chain: String?

  private init(_ kind: LockKind, _ timelock: Timelock?) {
    self.kind = kind
    inner = timelock?.inner
    chain = timelock?.chain
  }

  /// The form that a record claims.
  package init(_ lock: Lock) { self.init(lock.kind, lock.timelock) }

  /// The form of a lock that is to be made.
  package init(_ request: LockRequest) { self.init(request.kind, request.timelock) }

  /// The words, with a space between two: `honor`, or `timelock passphrase` and the chain's hash.
  package var text: String {
    [kind.rawValue, inner?.rawValue, chain].compactMap(\.self).joined(separator: " ")
  }

  /// Reads the words; `nil` where they are not exactly those of a form.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let kind = LockKind(rawValue: words[0]) else { return nil }
    self.kind = kind
    guard kind == .timelock else {
      (inner, chain) = (nil, nil)
      if words.count == 1 { return }
      return nil
    }
    guard (2...3).contains(words.count), let hash = words.last,
      let digest = Hex.decode(hash), digest.count == SHA256.byteCount, Hex.encode(digest) == hash
    else { return nil }
    chain = hash
    inner = words.count == 3 ? LockKind(rawValue: words[1]) : nil
    if words.count == 3, inner != .passphrase, inner != .recipients { return nil }
  }
}
