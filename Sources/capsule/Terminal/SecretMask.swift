import CapsuleCore

/// Hides the secret keys of age in what is said of a mistake: such a line is kept by terminals and logs.
enum SecretMask {
  private static let prefix = Array("age-secret-key-".utf8)

  /// Returns a text with `…` in place of what follows each `AGE-SECRET-KEY-`, in any case.
  static func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count > prefix.count else { return text }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      guard isPrefix(bytes[place...]) else {
        result.append(bytes[place])
        place += 1
        continue
      }
      let start = place + prefix.count
      // Of a post-quantum key `PQ-` follows.
      let end = bytes[start...].firstIndex { !isOfKey($0) } ?? bytes.endIndex
      result += bytes[place..<start]
      result += end - start > 8 ? Array("…".utf8) : Array(bytes[start..<end])
      place = end
    }
    return String(decoding: result, as: UTF8.self)
  }

  static func masked(_ value: JSON) -> JSON {
    switch value {
    case .string(let text): .string(masked(text))
    case .array(let values): .array(values.map { masked($0) })
    case .object(let members): .object(masked(members))
    default: value
    }
  }

  static func masked(_ members: JSONObject) -> JSONObject {
    JSONObject(members.map { ($0.key, masked($0.value)) })
  }

  private static func isPrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= prefix.count && zip(bytes, prefix).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte.isASCIIDigit
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
