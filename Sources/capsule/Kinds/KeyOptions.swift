import CapsuleCore

/// The options by which recipients and identities are named.
enum KeyOptions {
  static let recipient = Parameter.options(
    "recipient", short: "r", value: "RECIPIENT", .text,
    "Seal to this recipient, a public key (`age1…`, `age1pq1…`)")
  static let recipientsFile = Parameter.options(
    "recipients-file", short: "R", value: "FILE", .path, "Seal to the recipients in this file")
  static let identity = Parameter.options(
    "identity", short: "i", value: "FILE", .path,
    "Open with the identities (secret keys) in this file")

  /// Reads every recipient that is named.
  static func recipients(
    _ invocation: Invocation, _ session: Session
  ) throws -> [any Recipient] {
    var recipients: [any Recipient] = try invocation[recipient].map { try AgeRecipient(named: $0) }
    for path in invocation[recipientsFile] {
      recipients += try RecipientsFile(read(path, session), of: path).recipients
    }
    return recipients
  }

  /// Reads every identity that is named.
  static func identities(
    _ invocation: Invocation, _ session: Session
  ) throws -> [AgeIdentity] {
    var identities: [AgeIdentity] = []
    for path in invocation[identity] {
      var bytes = try readTrusted(path, session)
      defer { wipe(&bytes) }
      identities += try IdentityFile(bytes, of: path).identities
    }
    return identities
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    let path = try session.files.input(path)
    return try session.host.files.withFile(path, .readFollowingLinks(streams: true)) {
      file throws(FileSystemError) in
      try session.host.files.readAll(file, limit: KeyLines.maximumByteCount)
    }
  }

  /// Reads a file of secret keys.
  private static func readTrusted(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    try session.files.readTrusted(
      session.files.input(path), streams: true, limit: KeyLines.maximumByteCount)
  }
}
