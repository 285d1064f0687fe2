import CapsuleAge
import Foundation
import TestSupport
import Testing

/// The cases of a file in the folder Vectors: one a line, fields parted by spaces, `#` for comments.
package struct VectorFile {
  package let cases: [[String]]

  package init(_ name: String, file: String = #filePath) throws {
    let folder = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.appending(path: "Vectors/\(name)"), encoding: .utf8)
    cases = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { line in line.split(separator: " ").map(String.init) }
    try require(!cases.isEmpty)
  }

  /// The bytes of a field in hexadecimal; `-` stands for none.
  package static func bytes(_ field: String) throws -> [UInt8] {
    try require(Hex.decode(field == "-" ? "" : field))
  }

  package static func number(_ field: String) throws -> Int {
    try require(Int(field))
  }

  /// The message that the vectors' generators make from a seed.
  package static func stream(_ seed: Int, _ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
