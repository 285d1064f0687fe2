/// The bytes that come from a terminal after a question, taken apart: its answers, and the keys that were
/// typed meanwhile.
struct TerminalReplies: Sendable {
  /// The answers, each from its escape character to before its end (ECMA-48 §5.6): `ESC _ …` and the like;
  /// a control sequence (CSI) with its final byte.
  private(set) var answers: [[UInt8]] = []
  /// The bytes that are no answer, in their order.
  private(set) var keys: [UInt8] = []
  /// Whether the primary device attributes came (`CSI ? … c`), which every terminal gives last.
  private(set) var isWhole = false
  private var part: [UInt8] = []

  /// The most bytes of an answer.
  private static let limit = 4096
  private static let escape: UInt8 = 0x1b

  /// Takes the next byte.
  mutating func take(_ byte: UInt8) {
    part.append(byte)
    guard part[0] == Self.escape else { return endKeys() }
    guard part.count > 1 else { return }
    switch part[1] {
    case UInt8(ascii: "["): takeControl(byte)
    case UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "P"): takeString(byte)
    default: endKeys()
    }
  }

  /// Takes what is left as keys, at the end of the time.
  mutating func end() {
    // The rest of an answer that was cut off is none of the user's.
    if part.count <= 2 { endKeys() }
    part = []
  }

  private mutating func takeControl(_ byte: UInt8) {
    guard part.count > 2 else { return }
    if (0x40...0x7e).contains(byte) {
      // A key such as an arrow has no question mark.
      guard part[2] == UInt8(ascii: "?") else { return endKeys() }
      isWhole = isWhole || byte == UInt8(ascii: "c")
      endAnswer(part)
    } else if part.count > Self.limit || !(0x20...0x3f).contains(byte) {
      endKeys()
    }
  }

  private mutating func takeString(_ byte: UInt8) {
    if byte == 0x07 {
      endAnswer(part.dropLast())
    } else if byte == UInt8(ascii: "\\"), part.count > 2, part[part.count - 2] == Self.escape {
      endAnswer(part.dropLast(2))
    } else if part.count > Self.limit {
      part = []
    }
  }

  private mutating func endAnswer(_ answer: some Sequence<UInt8>) {
    answers.append(Array(answer))
    part = []
  }

  private mutating func endKeys() {
    keys += part
    part = []
  }
}
