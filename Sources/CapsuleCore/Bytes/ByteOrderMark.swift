/// Texts as programs of Windows save them: with a byte order mark, or in UTF-16.
package enum ByteOrderMark {
  /// Returns the bytes of a text in UTF-8 without its mark; `nil` where it has none, and is UTF-8 as it is. UTF-16
  /// without a mark is known by its first two characters, where they are ASCII.
  package static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return Array(bytes.dropFirst(3)) }
    var (isBig, start) = (bytes.starts(with: [0xfe, 0xff]), 2)
    if !isBig, !bytes.starts(with: [0xff, 0xfe]) {
      guard bytes.count >= 4 else { return nil }
      let zeros = bytes.prefix(4).map { $0 == 0 }
      guard zeros == [false, true, false, true] || zeros == [true, false, true, false] else {
        return nil
      }
      (isBig, start) = (zeros[0], 0)
    }
    var result: [UInt8] = []
    // Room for all, so that nothing of a secret is left behind where the array grew.
    result.reserveCapacity(bytes.count / 2 * 3)
    let units = stride(from: start, to: bytes.count - 1, by: 2).lazy.map { place in
      let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
    _ = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false
    ) { result.append($0) }
    return result
  }
}

/// The encoding of a text that is not in UTF-8.
package enum OldEncoding {
  /// Returns its name, as far as the beginning of a file shows it; `nil` for UTF-8, and for what is no text.
  package static func name(ofTextBeginningWith head: [UInt8]) -> String? {
    if head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) { return "UTF-16" }
    // The end of what was read may cut a letter.
    let isUnicode = (0...min(3, head.count)).contains {
      String(validating: head.dropLast($0), as: UTF8.self) != nil
    }
    let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7f || (0x09...0x0d).contains($0) }
    return isUnicode || !isText ? nil : "Windows-1252"
  }
}
