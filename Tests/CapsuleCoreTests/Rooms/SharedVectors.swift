package import CapsuleAge
import Foundation
import TestSupport
import Testing

/// Public test vectors that are not in this repository: the folder `shared/vectors` beside the
/// working tree or beside a folder above it. Tests that need them say so where they are skipped.
package enum SharedVectors {
  package static let absence = "there is no folder shared/vectors beside the working tree"

  package static var exist: Bool { folder != nil }

  private static var folder: URL? {
    var place = URL(filePath: #filePath)
    while place.pathComponents.count > 1 {
      place.deleteLastPathComponent()
      let candidate = place.appending(path: "shared/vectors")
      if FileManager.default.fileExists(atPath: candidate.path()) { return candidate }
    }
    return nil
  }

  /// Decodes one of the files, or `nil` where the folder is missing.
  package static func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws
    -> Value?
  {
    guard let folder else { return nil }
    return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: name)))
  }

  /// The lines of one of the files, `name = value` each, by their names.
  package static func fields(_ name: String) throws -> [String: String] {
    let folder = try require(folder)
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      if parts.count == 3, parts[1] == "=" { fields[String(parts[0])] = String(parts[2]) }
    }
    return fields
  }

  /// The lines of one of the files that `gzip` made.
  package static func compressedLines(_ name: String) throws -> [String] {
    let folder = try require(folder)
    var run = ProgramRun(environment: ["PATH": OtherPrograms.path])
    run.program = "/usr/bin/env"
    run.arguments = ["gzip", "-dc", folder.appending(path: name).path()].map { Array($0.utf8) }
    let result = try run.result()
    try require(result.end == .exited(0))
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// One of the files, read by this program's own parser.
  package static func json(_ name: String) throws -> JSON {
    let folder = try require(folder)
    return try JSON.parse([UInt8](Data(contentsOf: folder.appending(path: name))))
  }
}
