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

}

extension AgeRecipient {
  /// Reads a recipient that a person named; what fails says which text it was.
  init(named text: String) throws(Fault) {
    do { try self.init(text) } catch { throw Fault(error, recipient: text) }
  }
}

extension Fault {
  /// Returns the fault of a file of keys with the name of the file.
  fileprivate func ofKeys(in path: FilePath) -> Fault {
    var fault = self
    fault.message = message.naming(path.text)
    if (cause as? KeyFileProblem) == .sealed {
      fault.hint = "open it first: capsule unseal -o keys.txt '\(path.text.quotedForShell)'"
    }
    return fault
  }
}

extension RecipientsFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do { try self.init(bytes) } catch { throw error.ofKeys(in: path) }
  }
}

extension IdentityFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do { try self.init(bytes) } catch { throw error.ofKeys(in: path) }
  }
}
