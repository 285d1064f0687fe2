/// The reason why a file of keys cannot be used. Lines count from 1.
package enum KeyFileFault: Error, Hashable {
  /// The line holds no key that can be used here.
  case line(Int, KeyFault)
  /// There is no key in the file.
  case empty
  /// The file is longer than `KeyLines.maximumByteCount`.
  case tooLong
  /// The file is an age file itself, sealed with a passphrase or to other keys.
  case sealed
}

/// The lines of a file of keys: empty lines and those that start with `#` mean nothing.
package enum KeyLines {
  /// The most bytes of a file of keys that are read.
  package static let maximumByteCount = 1 << 24

  /// Calls `body` for every line that should hold a key. Lines end with LF or CRLF.
  ///
  /// - Throws: the fault of the first bad line, or of the whole file.
  static func each(
    _ text: [UInt8], _ body: (ArraySlice<UInt8>) throws(KeyFault) -> Void
  ) throws(KeyFileFault) {
    guard text.count <= maximumByteCount else { throw .tooLong }
    if text.starts(with: AgeHeader.versionLine) || text.starts(with: Armor.begin) { throw .sealed }
    var count = 0
    var number = 0
    // One line at a time: millions of empty ones must not cost memory.
    var rest = text[...]
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var line = rest[..<end]
      rest = rest[end...].dropFirst()
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      count += 1
      // No key is longer.
      guard line.count <= 8 << 10 else { throw .line(number, .malformed) }
      do throws(KeyFault) {
        try body(line)
      } catch {
        throw .line(number, error)
      }
    }
    if count == 0 { throw .empty }
  }
}

/// A file of secret keys, as `age-keygen` writes it.
package struct IdentityFile: Sendable {
  /// The identities, in the file's order; at least one.
  package let identities: [AgeIdentity]

  /// Reads a file; one bad line refuses all of it.
  package init(_ text: [UInt8]) throws(KeyFileFault) {
    var identities: [AgeIdentity] = []
    try KeyLines.each(text) { line throws(KeyFault) in
      // Nothing wipes a text.
      var characters = Array(line)
      defer { wipe(&characters) }
      identities.append(try AgeIdentity(characters: characters))
    }
    self.identities = identities
  }

  /// Writes a file of one identity: some comments, each a line behind `# `, and the secret key. The caller
  /// wipes it.
  package static func text(_ identity: AgeIdentity, comments: [String]) -> [UInt8] {
    let head = comments.map { "# \($0)\n" }.joined()
    return identity.secretCharacters.withUnsafeBytes { key in
      var text: [UInt8] = []
      // No copy is left behind where the array grows.
      text.reserveCapacity(head.utf8.count + key.count + 1)
      text += head.utf8
      text += key
      text.append(UInt8(ascii: "\n"))
      return text
    }
  }
}

/// A file of recipients, one a line.
package struct RecipientsFile: Hashable, Sendable {
  /// The recipients, in the file's order; at least one.
  package let recipients: [AgeRecipient]

  /// Reads a file; one bad line refuses all of it.
  package init(_ text: [UInt8]) throws(KeyFileFault) {
    var recipients: [AgeRecipient] = []
    try KeyLines.each(text) { line throws(KeyFault) in
      // A key that is no text is none.
      guard let text = String(validating: line, as: UTF8.self) else { throw .malformed }
      recipients.append(try AgeRecipient(text))
    }
    self.recipients = recipients
  }
}
