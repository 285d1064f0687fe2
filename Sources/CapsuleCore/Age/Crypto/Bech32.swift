/// Bech32 (BIP 173) over whole bytes and without its limit of 90 characters, as age writes its keys.
package enum Bech32 {
  private static let alphabet: StaticString = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
  private static let checksumCount = 6

  /// Returns the text of a byte string behind a human-readable part, in the case of that part.
  ///
  /// The part must be 1 to 83 characters of visible ASCII, and not of mixed case.
  package static func encode(hrp: String, _ bytes: [UInt8]) -> String {
    var text = encoded(hrp: hrp, bytes)
    defer { wipe(&text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the characters of that text. The caller wipes those of a secret.
  package static func encoded(hrp: String, _ bytes: [UInt8]) -> [UInt8] {
    let upper = hrp.utf8.contains { isUpper($0) }
    precondition(isPart(Array(hrp.utf8)))
    let part = hrp.utf8.map { lowered($0) }
    var groups = regroup(bytes, from: 8, to: 5, padding: true) ?? []
    defer { wipe(&groups) }
    var text: [UInt8] = []
    // No copy is left behind where the array grows.
    text.reserveCapacity(part.count + 1 + groups.count + checksumCount)
    text += part
    text.append(UInt8(ascii: "1"))
    for group in groups { text.append(alphabet.utf8Start[Int(group)]) }
    var sum = checksum(part, groups, room: checksumCount) ^ 1
    for _ in 0..<checksumCount {
      text.append(alphabet.utf8Start[Int(sum >> 25 & 31)])
      sum <<= 5
    }
    if upper {
      for place in text.indices { text[place] = raised(text[place]) }
    }
    return text
  }

  /// Returns the human-readable part, as it is written, and the bytes; `nil` for a wrong checksum
  /// or character, mixed case, or bits left over that are not fewer than five zeros.
  package static func decode(_ text: String) -> (hrp: String, bytes: [UInt8])? {
    var characters = Array(text.utf8)
    defer { wipe(&characters) }
    return decode(characters)
  }

  /// Does the same with the characters of a text.
  package static func decode(_ characters: [UInt8]) -> (hrp: String, bytes: [UInt8])? {
    let upper = characters.contains { isUpper($0) }
    guard !upper || !characters.contains(where: { isLower($0) }) else { return nil }
    guard let separator = characters.lastIndex(of: UInt8(ascii: "1")),
      isPart(Array(characters[..<separator]))
    else { return nil }
    var groups: [UInt8] = []
    groups.reserveCapacity(characters.count)
    defer { wipe(&groups) }
    for character in characters[(separator + 1)...] {
      guard let value = value(of: lowered(character)) else { return nil }
      groups.append(value)
    }
    let part = characters[..<separator].map { lowered($0) }
    guard groups.count >= checksumCount, checksum(part, groups) == 1 else { return nil }
    groups.removeLast(checksumCount)
    guard let bytes = regroup(groups, from: 5, to: 8, padding: false) else { return nil }
    return (String(decoding: characters[..<separator], as: UTF8.self), bytes)
  }

  /// Returns the value of a digit, found by masks over the whole alphabet: identities are secret.
  private static func value(of character: UInt8) -> UInt8? {
    let digits = alphabet.utf8Start
    var value: UInt8 = 0
    var isFound: UInt8 = 0
    var index: UInt8 = 0
    while index < 32 {
      // The top bit is set where any bit differs; less one, all are set where none does.
      let difference = digits[Int(index)] ^ character
      let mask = ((difference | (0 &- difference)) &>> 7) &- 1
      value |= index & mask
      isFound |= mask
      index &+= 1
    }
    return isFound == 0 ? nil : value
  }

  private static func isPart(_ part: [UInt8]) -> Bool {
    (1...83).contains(part.count)
      && part.allSatisfy { (33...126).contains($0) }
      && !(part.contains { isUpper($0) } && part.contains { isLower($0) })
  }

  /// - Parameter room: the number of zeros that count behind the groups.
  private static func checksum(_ part: [UInt8], _ groups: [UInt8], room: Int = 0) -> UInt32 {
    var sum: UInt32 = 1
    for character in part { fold(&sum, character >> 5) }
    fold(&sum, 0)
    for character in part { fold(&sum, character & 31) }
    for group in groups { fold(&sum, group) }
    for _ in 0..<room { fold(&sum, 0) }
    return sum
  }

  private static func fold(_ sum: inout UInt32, _ group: UInt8) {
    let top = sum >> 25
    sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(group)
    sum ^= 0x3b6a_57b2 & (0 &- (top & 1))
    sum ^= 0x2650_8e6d & (0 &- (top >> 1 & 1))
    sum ^= 0x1ea1_19fa & (0 &- (top >> 2 & 1))
    sum ^= 0x3d42_33dd & (0 &- (top >> 3 & 1))
    sum ^= 0x2a14_62b3 & (0 &- (top >> 4 & 1))
  }

  /// Reads groups of some bits as groups of others; `nil` where padding is not to be made and the
  /// bits left over are a whole group or not zero.
  private static func regroup(
    _ groups: [UInt8], from: Int, to: Int, padding: Bool
  ) -> [UInt8]? {
    var regrouped: [UInt8] = []
    regrouped.reserveCapacity((groups.count * from + to - 1) / to)
    var bits: UInt32 = 0
    var bitCount = 0
    for group in groups {
      bits = (bits << UInt32(from) | UInt32(group)) & 0xfff
      bitCount += from
      while bitCount >= to {
        bitCount -= to
        regrouped.append(
          UInt8(truncatingIfNeeded: bits >> UInt32(bitCount) & (1 << UInt32(to) - 1)))
      }
    }
    let rest = bits & (1 << UInt32(bitCount) - 1)
    if padding {
      if bitCount > 0 { regrouped.append(UInt8(rest << UInt32(to - bitCount))) }
    } else if bitCount >= from || rest != 0 {
      return nil
    }
    return regrouped
  }

  private static func isUpper(_ character: UInt8) -> Bool { (65...90).contains(character) }
  private static func isLower(_ character: UInt8) -> Bool { (97...122).contains(character) }
  private static func lowered(_ character: UInt8) -> UInt8 {
    isUpper(character) ? character + 32 : character
  }
  private static func raised(_ character: UInt8) -> UInt8 {
    isLower(character) ? character - 32 : character
  }
}
