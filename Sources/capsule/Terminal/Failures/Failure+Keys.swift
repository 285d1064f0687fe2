import CapsuleCore

extension Fault {
  /// A text that is no recipient, cut where it is long.
  fileprivate init(_ error: KeyFault, recipient text: String) {
    // A secret is not repeated, wherever the message goes.
    if error == .secretKey {
      self = .usage("a recipient is expected, and \(error.words)", hint: error.hint)
      return
    }
    self = .usage(
      "'\(RecipientText.shortened(text))' is no recipient: \(error.words)", hint: error.hint)
  }

  /// A file of keys that cannot be used.
  fileprivate init(_ error: KeyFileFault, path: FilePath) {
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

extension AgeRecipient {
  /// Reads a recipient that a person named; what fails says which text it was.
  init(named text: String) throws(Fault) {
    do throws(KeyFault) { try self.init(text) } catch { throw Fault(error, recipient: text) }
  }
}

extension RecipientsFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do throws(KeyFileFault) { try self.init(bytes) } catch { throw Fault(error, path: path) }
  }
}

extension IdentityFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do throws(KeyFileFault) { try self.init(bytes) } catch { throw Fault(error, path: path) }
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

extension Fault {
  /// A line of an identity that was typed, in words.
  init(_ fault: IdentityLineFault) {
    let again = "compare it with the page, and type it again"
    switch fault {
    case .number(let line, let found):
      self.init(
        .key, "line \(line) is expected, and the one that was typed begins with '\(found)'",
        hint: again)
    case .length(let line, let expected, let found):
      self.init(
        .key,
        "line \(line) has \(expected) characters, and four more with its check; \(found) were typed",
        hint: again)
    case .character(let line, let character):
      self.init(.key, "line \(line) has a '\(character)', which is in no key", hint: again)
    case .beginning:
      self.init(
        .key, "line 1 is not 'AGE-SECRET-KEY-1' or 'AGE-SECRET-KEY-PQ-1'", hint: again)
    case .check(let line):
      self.init(.key, "line \(line) is wrong: its check does not fit", hint: again)
    case .missing(let count):
      self.init(
        .key, "\(String.counting(count, "line is", "lines are")) missing",
        hint: "a page has five lines for each identity")
    case .whole:
      self.init(
        .key, "the lines together are no key: one of those without a check is wrong",
        hint: "type them with their checks")
    case .key(let line):
      self.init(
        .key, "line \(line) of the text is no whole key: it has an error in it",
        hint: "compare it with the page, or type its five lines")
    case .tooLong:
      self.init(.key, "it is too long to be a page of identities")
    }
  }
}
