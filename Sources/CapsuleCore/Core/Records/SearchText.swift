/// A text that is searched for, without regard to case, accents and the Unicode form.
package struct SearchText: Sendable {
  private let table: [Unicode.Scalar: String]
  private let wanted: [UInt8]
  /// The wanted text in lower case, where folding leaves letters that Unicode can write in several
  /// ways; else `nil`.
  private let exact: String?

  /// A search for a text; an empty one is found everywhere.
  package init(_ wanted: String) {
    var table: [Unicode.Scalar: String] = [:]
    for group in Self.groups {
      for letter in group.letters.unicodeScalars { table[letter] = group.base }
    }
    self.table = table
    self.wanted = Self.fold(wanted, table)
    exact = self.wanted.allSatisfy { $0 < 0x80 } ? nil : wanted.lowercased()
  }

  /// Returns whether a text holds what is searched for.
  package func matches(_ text: String) -> Bool {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { $0 < 0x80 } ? isFound(in: bytes) : nil
    }
    // Most texts are ASCII only: nothing has to be made of them.
    if case .some(.some(let isFound)) = found { return isFound }
    if isFound(in: Self.fold(text, table)) { return true }
    return exact.map { text.lowercased().contains(run: $0) } ?? false
  }

  /// Returns whether bytes hold the wanted ones; a capital of ASCII counts as its small letter.
  private func isFound(in bytes: some RandomAccessCollection<UInt8>) -> Bool {
    guard let first = wanted.first else { return true }
    func small(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    var start = bytes.startIndex
    while bytes.distance(from: start, to: bytes.endIndex) >= wanted.count {
      if small(bytes[start]) == first, zip(wanted, bytes[start...]).allSatisfy({ $0 == small($1) })
      {
        return true
      }
      start = bytes.index(after: start)
    }
    return false
  }

  private static func fold(_ text: String, _ table: [Unicode.Scalar: String]) -> [UInt8] {
    var bytes: [UInt8] = []
    let lower = text.lowercased()
    if lower.utf8.allSatisfy({ $0 < 0x80 }) { return Array(lower.utf8) }
    for scalar in lower.unicodeScalars {
      if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else if let base = table[scalar] {
        bytes += Array(base.utf8)
      } else if scalar.properties.generalCategory != .nonspacingMark {
        bytes += Array(String(Character(scalar)).utf8)
      }
    }
    return bytes
  }
}
