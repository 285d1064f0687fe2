extension RecordFile {
  /// The bytes of the largest record in which every single bit is tried.
  static let bitSearchLimit = 16 << 10
  /// The bytes of the largest record in which every value of every single byte is tried.
  static let byteSearchLimit = 4 << 10

  /// The digits that the file has for its checksum, also where another program wrote the same members in
  /// other lines; `nil` where it has none.
  package static func storedChecksum(of bytes: [UInt8]) -> [UInt8]? {
    if let range = checksumRange(in: bytes) { return Array(bytes[range]) }
    let digits = (try? JSON.parseRecord(bytes))?.object?["checksum"]?.string.map { Array($0.utf8) }
    guard let digits, digits.count == 64, Hex.decode(String(decoding: digits, as: UTF8.self)) != nil
    else { return nil }
    return digits
  }

  /// Finds the bytes that were written: a twin that has the checksum which the file has, the same members
  /// in the lines of this program, or the file with one change put back.
  ///
  /// - Parameter twins: intact versions of the file.
  /// - Returns: the bytes, and the twin's place where it is one; `nil` where nothing is proven.
  static func proven(
    _ bytes: [UInt8], twins: [[UInt8]]
  ) -> (bytes: [UInt8], twin: Int?)? {
    let stored = storedChecksum(of: bytes)
    if let stored, let twin = twins.firstIndex(where: { storedChecksum(of: $0) == stored }) {
      return (twins[twin], twin)
    }
    // Another whole file that stands there needs no bit put back.
    guard integrity(of: bytes) != nil else { return nil }
    if let stored, let fields = try? decode(bytes).fields {
      let again = encode(fields)
      if storedChecksum(of: again) == stored { return (again, nil) }
    }
    return mended(bytes).map { ($0, nil) }
  }

  /// Puts one changed bit back, or in a smaller record one changed byte: proven by the record's own
  /// checksum.
  ///
  /// - Parameter onlyBits: whether nothing but a changed bit is looked for, which takes a thirtieth of the time.
  /// - Returns: the bytes that were written; `nil` where more than that was changed.
  package static func mended(_ bytes: [UInt8], onlyBits: Bool = false) -> [UInt8]? {
    guard bytes.count <= bitSearchLimit else { return nil }
    guard let range = checksumRange(in: bytes) else { return mendedMarker(bytes) }
    if let mended = mendedChecksum(bytes, range) { return mended }
    guard let stored = Hex.decode(String(decoding: bytes[range], as: UTF8.self)) else { return nil }
    var zeroed = bytes
    for index in range { zeroed[index] = UInt8(ascii: "0") }
    guard
      let (index, value) = change(
        of: zeroed, giving: stored, sparing: range, inBytes: !onlyBits)
    else {
      return nil
    }
    var mended = bytes
    mended[index] = value
    return integrity(of: mended) == nil ? mended : nil
  }

  /// Mends a record of which one digit of the checksum is the only thing that is wrong.
  private static func mendedChecksum(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
    var zeroed = bytes
    for index in range { zeroed[index] = UInt8(ascii: "0") }
    let digits = Array(Hex.encode(SHA256.hash(zeroed)).utf8)
    guard zip(digits, bytes[range]).count(where: { $0 != $1 }) == 1 else { return nil }
    zeroed.replaceSubrange(range, with: digits)
    return zeroed
  }

  /// Mends a record where the line of the checksum itself has one wrong byte, so that it is not found.
  private static func mendedMarker(_ bytes: [UInt8]) -> [UInt8]? {
    let count = marker.count + 65
    guard bytes.count >= count else { return nil }
    for start in 0...(bytes.count - count) {
      let end = start + count - 1
      var wrong = marker.indices.filter { bytes[start + $0] != marker[$0] }.prefix(2).map {
        start + $0
      }
      if bytes[end] != UInt8(ascii: "\"") { wrong.append(end) }
      guard wrong.count == 1, let index = wrong.first else { continue }
      var mended = bytes
      mended[index] = index == end ? UInt8(ascii: "\"") : marker[index - start]
      if integrity(of: mended) == nil { return mended }
    }
    return nil
  }

  /// Finds the one byte that gives the digest when it has another value: of one other bit, or in small
  /// records of any.
  private static func change(
    of bytes: [UInt8], giving digest: [UInt8], sparing range: Range<Int>, inBytes: Bool
  ) -> (index: Int, value: UInt8)? {
    let bits = (0..<8).map { UInt8(1) << $0 }
    let values = (1...255).map { UInt8($0) }.filter { $0.nonzeroBitCount > 1 }
    let rounds = inBytes && bytes.count <= byteSearchLimit ? [bits, values] : [bits]
    for masks in rounds {
      if let found = change(of: bytes, giving: digest, sparing: range, masks) { return found }
    }
    return nil
  }

  private static func change(
    of bytes: [UInt8], giving digest: [UInt8], sparing range: Range<Int>, _ masks: [UInt8]
  ) -> (index: Int, value: UInt8)? {
    var work = bytes
    return work.withUnsafeMutableBytes { buffer in
      // The bytes before the byte's block are hashed once.
      var before = SHA256()
      var start = 0
      while start < buffer.count {
        let end = min(start + SHA256.blockByteCount, buffer.count)
        for index in start..<end where !range.contains(index) {
          let value = buffer[index]
          for mask in masks {
            buffer[index] = value ^ mask
            var hash = before
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[start...]))
            if hash.finalize() == digest { return (index, value ^ mask) }
          }
          buffer[index] = value
        }
        before.update(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        start = end
      }
      return nil
    }
  }
}
