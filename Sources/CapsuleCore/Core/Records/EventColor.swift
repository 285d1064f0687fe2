/// The colour of an event's title: one of the names, or `#rrggbb`.
public struct EventColor: Hashable, Sendable, LosslessStringConvertible, FieldText {
  /// A name or `#rrggbb`, in lower case.
  public let description: String
  public let red: UInt8
  public let green: UInt8
  public let blue: UInt8

  /// The names, and the colours that they mean.
  private static let table: [(name: String, value: UInt32)] = [
    ("red", 0xe53935), ("orange", 0xfb8c00), ("amber", 0xffb300), ("yellow", 0xfdd835),
    ("lime", 0xc0ca33), ("green", 0x43a047), ("teal", 0x00897b), ("cyan", 0x00acc1),
    ("blue", 0x1e88e5), ("indigo", 0x3949ab), ("purple", 0x8e24aa), ("magenta", 0xd81b8c),
    ("pink", 0xf06292), ("brown", 0x795548), ("gray", 0x9e9e9e), ("black", 0x000000),
    ("white", 0xffffff),
  ]

  /// The names that are known.
  package static let names = table.map(\.name)

  /// Reads a name, in capitals or not, or `#rrggbb`.
  public init?(_ text: some StringProtocol) {
    let word = text.lowercased() == "grey" ? "gray" : text.lowercased()
    let value: UInt32
    if let named = Self.table.first(where: { $0.name == word }) {
      value = named.value
    } else {
      let digits = word.utf8.dropFirst()
      let isHex = digits.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
      guard word.utf8.first == UInt8(ascii: "#"), digits.count == 6, isHex,
        let number = UInt32(word.dropFirst(), radix: 16)
      else { return nil }
      value = number
    }
    description = word
    red = UInt8(value >> 16)
    green = UInt8(value >> 8 & 0xff)
    blue = UInt8(value & 0xff)
  }

  /// The colour as `#rrggbb`.
  public var hex: String { "#" + Hex.encode([red, green, blue]) }

  /// The texts that are accepted, for messages.
  package static let accepted = "#rrggbb or one of \(names.joined(separator: ", "))"
}
