import CapsuleCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The machine's zone files.
enum ZoneFiles {
  private static let directories = [
    "/usr/share/zoneinfo/", "/var/db/timezone/zoneinfo/", "/usr/lib/zoneinfo/",
    "/usr/share/lib/zoneinfo/", "/etc/zoneinfo/",
  ]

  /// Reads a file below the first directory that has it.
  @Sendable static func read(_ name: String) -> [UInt8]? {
    for directory in directories {
      if let bytes = Descriptor.contents(ofFile: directory + name) { return bytes }
    }
    return nil
  }

  /// Reads the machine's own zone.
  @Sendable static func localtime() -> LocalZone.File? {
    let path = "/etc/localtime"
    guard let bytes = Descriptor.contents(ofFile: path) else { return nil }
    var target = [CChar](repeating: 0, count: 4_096)
    let count = readlink(path, &target, target.count)
    let link =
      count > 0
      ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    return LocalZone.File(bytes: bytes, linkTarget: link)
  }
}
