import CapsuleCore
import Foundation
import TestSupport
import Testing

/// The media samples of `Vectors/media`, and what programs that share no code with capsule read from
/// them.
enum MediaVectors {
  /// An intact file.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let type: String
    /// Pixels by Pillow, milliseconds by ffmpeg.
    let facts: MediaFacts
    let bytes: [UInt8]

    var testDescription: String { name }
  }

  /// A damaged copy of one.
  struct Damaged: Sendable {
    let sample: Sample
    let bytes: [UInt8]
    /// What Pillow, ffmpeg and mutagen read from the damaged copy.
    let answers: [MediaFacts]
  }

  static func samples() throws -> [Sample] {
    try rows("samples.tsv").map { row in
      Sample(
        name: row[0], type: row[1],
        facts: MediaFacts(
          width: Int64(row[2]), height: Int64(row[3]), milliseconds: Int64(row[4])),
        bytes: [UInt8](try Data(contentsOf: folder.appending(path: row[0]))))
    }
  }

  static func damaged() throws -> [Damaged] {
    let samples = try Dictionary(uniqueKeysWithValues: samples().map { ($0.name, $0) })
    return try rows("damaged.tsv").map { row in
      let sample = try require(samples[row[0]])
      var bytes = Array(sample.bytes.prefix(try VectorFile.number(row[1])))
      for pair in row[2].split(separator: ",") where pair != "-" {
        let numbers = pair.split(separator: ":").compactMap { Int($0) }
        bytes[numbers[0]] = UInt8(numbers[1])
      }
      return Damaged(
        sample: sample, bytes: bytes,
        answers: [row[5], row[6]].map {
          MediaFacts(width: Int64(row[3]), height: Int64(row[4]), milliseconds: Int64($0))
        })
    }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Vectors/media")

  private static func rows(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
    try require(!rows.isEmpty)
    return rows
  }
}
