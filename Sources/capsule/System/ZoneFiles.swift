import CapsuleCore
import CapsulePlatform

/// The machine's zone files.
enum ZoneFiles {
  /// Reads a file below the first directory that has it.
  @Sendable static func read(_ name: String) -> [UInt8]? {
    for directory in ZoneDatabase.directories {
      if let bytes = Descriptor.contents(ofFile: "\(directory)/\(name)") { return bytes }
    }
    return nil
  }

  /// Reads a file that may hold a zone, by its absolute path; `nil` where there is none.
  @Sendable static func file(_ path: String) -> LocalZone.File? {
    var target = [CChar](repeating: 0, count: 4_096)
    let count = readlink(path, &target, target.count)
    let link =
      count > 0
      ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    let bytes = Descriptor.contents(ofFile: path)
    return bytes == nil && link == nil ? nil : LocalZone.File(bytes: bytes, linkTarget: link)
  }
}
