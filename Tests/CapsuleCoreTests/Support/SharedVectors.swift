import CapsuleCore
import Foundation
import Testing

/// Public test vectors that are not in this repository: the folder `shared/vectors` beside the
/// working tree or beside a folder above it. Tests that need them say so where they are skipped.
enum SharedVectors {
  static let absence = "there is no folder shared/vectors beside the working tree"

  static var exist: Bool { folder != nil }

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
  static func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws -> Value? {
    guard let folder else { return nil }
    return try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: name)))
  }

  /// One of the files, read by this program's own parser.
  static func json(_ name: String) throws -> JSON {
    let folder = try #require(folder)
    return try JSON.parse([UInt8](Data(contentsOf: folder.appending(path: name))))
  }
}
