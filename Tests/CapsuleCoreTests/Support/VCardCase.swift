import Foundation
import Testing

@testable import CapsuleCore

/// One case of `Vectors/vcard/cards.txt`, whose head tells the form.
struct VCardCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// The file of vCards.
  let bytes: [UInt8]
  /// What each entry must yield: fields by their names.
  let expected: [[String: String]]

  var testDescription: String { name }

  static func all(file: String = #filePath) throws -> [VCardCase] {
    let folder = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.appending(path: "Vectors/vcard/cards.txt"), encoding: .utf8)
    var cases: [VCardCase] = []
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("== "), !lines.isEmpty {
        cases += [try VCardCase(lines)].filter { !$0.expected.isEmpty }
        lines = []
      }
      if !line.hasPrefix("#") { lines.append(line) }
    }
    return cases + [try VCardCase(lines)]
  }

  private init(_ lines: [Substring]) throws {
    name = String(lines[0].dropFirst(3))
    var end: [UInt8] = [0x0d, 0x0a]
    var isUTF16 = false
    var bytes: [UInt8] = []
    var expected: [[String: String]] = []
    for line in lines.dropFirst() {
      switch line.first {
      case "|": bytes += try Self.bytes(line.dropFirst()) + end
      case "@" where line.hasSuffix("utf16le"): isUTF16 = true
      case "@": end = line.hasSuffix("cr") ? [0x0d] : [0x0a]
      case ">":
        if line == "> card" || expected.isEmpty { expected.append([:]) }
        guard let colon = line.firstIndex(of: ":") else { continue }
        let field = String(line[..<colon].dropFirst(2))
        let value = try Self.bytes(line[colon...].dropFirst(2))
        expected[expected.count - 1][field] = Self.unescape(String(decoding: value, as: UTF8.self))
      default: continue
      }
    }
    if isUTF16 {
      let text = String(decoding: bytes, as: UTF8.self)
      bytes =
        [0xff, 0xfe] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
    self.bytes = bytes
    self.expected = expected
  }

  /// The bytes of a line, in which `{E9}` is one.
  private static func bytes(_ line: Substring) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(line.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "{"), rest.count >= 3, rest[rest.startIndex + 2] == UInt8(ascii: "}"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static func unescape(_ text: String) -> String {
    text.replacing("\\\\", with: "\u{0}").replacing("\\n", with: "\n")
      .replacing("\u{0}", with: "\\")
  }
}

extension ContactFile.Entry {
  /// The fields that are not empty, as the cases have them.
  var told: [String: String] {
    switch self {
    case .fault(let fault):
      let cause =
        switch fault.cause {
        case .noCard: "noCard"
        case .noEnd: "noEnd"
        case .noName: "noName"
        case .group: "group"
        case .notAProperty: "notAProperty"
        case .charset: "charset"
        case .tooLong: "tooLong"
        case .tooLarge: "tooLarge"
        case .tooMany: "tooMany"
        }
      return ["fault": "\(cause) \(fault.line)"]
    case .card(let card):
      var told = [
        "uid": card.uid ?? "", "name": card.name, "email": card.email, "phone": card.phone,
        "contact": card.contact, "recipient": card.recipient, "notes": card.notes,
      ]
      if card.hasUnusableRecipient { told["unusableRecipient"] = "yes" }
      if card.isNamedByAddress { told["isNamedByAddress"] = "yes" }
      return told.filter { !$0.value.isEmpty }
    }
  }
}
