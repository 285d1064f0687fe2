/// The text of a stamp is six numbers parted by dots: inode, size, and the seconds and nanoseconds of the
/// last write and of the last change.
extension FileStamp {
  package init?(_ text: some Sequence<UInt8>) {
    var rest = text.makeIterator()
    var last: UInt8?
    func number(endsWith end: UInt8?) -> Int64? {
      var value: Int64 = 0
      var isNegative = false
      var count = 0
      while true {
        last = rest.next()
        switch last {
        case UInt8(ascii: "-")? where count == 0 && !isNegative: isNegative = true
        case let digit? where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit:
          // Numbers are kept in 64 bits, whatever their sign: an inode may use all of them.
          value = value &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
          count += 1
        case end: return count > 0 ? (isNegative ? 0 &- value : value) : nil
        default: return nil
        }
      }
    }
    let dot = UInt8(ascii: ".")
    guard let inode = number(endsWith: dot), let size = number(endsWith: dot),
      let modified = number(endsWith: dot), let modifiedPart = number(endsWith: dot),
      let changed = number(endsWith: dot), let changedPart = number(endsWith: nil)
    else { return nil }
    self.init(
      inode: UInt64(bitPattern: inode), size: size,
      modified: FileTime(seconds: modified, nanoseconds: modifiedPart),
      changed: FileTime(seconds: changed, nanoseconds: changedPart))
  }

  package var text: String {
    "\(inode).\(size).\(modified.seconds).\(modified.nanoseconds)"
      + ".\(changed.seconds).\(changed.nanoseconds)"
  }
}

/// The SHA-256 of a file's bytes.
package struct FileDigest: Hashable, Sendable {
  private let words: SIMD4<UInt64>

  /// - Parameter bytes: 32 of them.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == SHA256.byteCount)
    words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
  }

  /// Reads 64 digits.
  package init?(hex digits: ArraySlice<UInt8>) {
    guard let bytes = Hex.decode(utf8: digits), bytes.count == SHA256.byteCount else {
      return nil
    }
    self.init(bytes)
  }

  package var bytes: [UInt8] {
    withUnsafeBytes(of: words) { Array($0) }
  }

  package var text: String { Hex.encode(bytes) }
}
