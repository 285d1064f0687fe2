/// An identity of a store in the clear, in memory that is kept out of swap and wiped in the end.
package struct OpenedIdentity: Sendable {
  /// `age1…`
  package let recipient: String
  /// The identity file, as `age-keygen` writes it.
  package let file: SecretBytes

  package init(recipient: String, file: SecretBytes) {
    (self.recipient, self.file) = (recipient, file)
  }

  /// The identity of a store that is not protected, whose file lies in the clear.
  init(_ identity: StoreIdentity) {
    self.init(recipient: identity.recipient, file: SecretBytes(copying: identity.file.utf8))
  }
}

extension StoreIdentity {
  /// The identity as it is written in the clear.
  init(_ identity: OpenedIdentity) {
    self.init(
      recipient: identity.recipient,
      file: identity.file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }
}
