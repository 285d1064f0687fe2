import CapsuleCore

/// The options by which recipients and identities are named.
enum KeyOptions {
  static let recipient = RepeatableOption(
    "recipient", short: "r", value: "RECIPIENT", .text,
    "Seal to this recipient (`age1…`, `age1pq1…`)")
  static let recipientsFile = RepeatableOption(
    "recipients-file", short: "R", value: "FILE", .path, "Seal to the recipients in a file")
  static let identity = RepeatableOption(
    "identity", short: "i", value: "FILE", .path, "Open with the identities in a file")

  /// Reads every recipient that is named.
  static func recipients(
    _ invocation: Invocation, _ session: Session
  ) throws -> [any Recipient] {
    var recipients: [any Recipient] = []
    for text in invocation[recipient] {
      do throws(KeyFault) {
        recipients.append(try AgeRecipient(text))
      } catch {
        throw Failure(error, recipient: text)
      }
    }
    for path in invocation[recipientsFile] {
      let bytes = try read(path, session)
      do throws(KeyFileFault) {
        recipients += try RecipientsFile(bytes).recipients
      } catch {
        throw Failure(error, path: path)
      }
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
      do throws(KeyFileFault) {
        identities += try IdentityFile(bytes).identities
      } catch {
        throw Failure(error, path: path)
      }
    }
    return identities
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    try session.host.files.withFile(file(path), .readFollowingLinks(streams: true)) {
      file throws(FileSystemError) in
      try session.host.files.readAll(file, limit: KeyLines.maximumByteCount)
    }
  }

  /// Reads a file of secret keys.
  private static func readTrusted(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    try session.readTrusted(file(path), streams: true, limit: KeyLines.maximumByteCount)
  }

  /// The file that a word means: `-` is standard input.
  private static func file(_ path: FilePath) -> FilePath {
    path.bytes == Array("-".utf8) ? FilePath("/dev/stdin") : path
  }
}

extension Failure {
  /// A text that is no recipient, cut where it is long.
  init(_ error: KeyFault, recipient text: String) {
    // A secret is not repeated, wherever the message goes.
    if error == .secretKey {
      self = .usage("a recipient is expected, and \(error.words)", hint: error.hint)
      return
    }
    self = .usage(
      "'\(RecipientText.shortened(text))' is no recipient: \(error.words)", hint: error.hint)
  }

  /// A file of keys that cannot be used.
  init(_ error: KeyFileFault, path: FilePath) {
    switch error {
    case .line(let line, let fault):
      self.init(
        .key, "line \(line) of '\(path.text)' is no key that can be used: \(fault.words)",
        hint: fault.hint)
    case .empty: self.init(.key, "'\(path.text)' holds no key")
    case .tooLong: self.init(.key, "'\(path.text)' is too long to be a file of keys")
    case .sealed:
      self.init(
        .key, "'\(path.text)' is sealed itself",
        hint: "open it first: capsule unseal -o keys.txt '\(path.text.quotedForShell)'")
    }
  }
}

extension KeyFault {
  /// The fault of a key in words.
  var words: String {
    switch self {
    case .malformed: "it is no key, or has an error in it"
    case .tagged: "it is the key of a hardware token"
    case .plugin(let name): "it is a key of the plugin '\(name)'"
    case .ssh: "it is an SSH key"
    case .secretKey: "it is a secret key"
    case .recipient: "it is a recipient, not a secret key"
    }
  }

  var hint: String {
    switch self {
    case .malformed:
      "a recipient begins with 'age1' or 'age1pq1', an identity with 'AGE-SECRET-KEY-'"
    case .tagged, .plugin, .ssh:
      "X25519 and post-quantum keys are known here; 'capsule keygen' makes one"
    case .secretKey:
      "its recipient stands in the comment above it, and 'capsule keygen -y' tells it"
    case .recipient: "give the file with the secret key"
    }
  }
}
