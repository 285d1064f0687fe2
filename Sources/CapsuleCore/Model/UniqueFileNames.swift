/// Names for files of one directory, no two of which are the same where neither case nor the form of
/// Unicode counts.
package struct UniqueFileNames: Sendable {
  private var taken: Set<NameKey> = []

  /// The longest name in bytes that leaves room for a number on every file system.
  package static let limit = 200

  package init() {}

  /// The name, or one with a number before its suffix where it is taken.
  package mutating func next(_ wanted: [UInt8]) -> [UInt8] {
    let (stem, suffix) = Self.parts(wanted)
    for attempt in 1... {
      let name = attempt == 1 ? wanted : stem + Array("-\(attempt)".utf8) + suffix
      if taken.insert(Self.key(name)).inserted { return name }
    }
    return wanted
  }

  /// By upper case and then lower: file systems that fold case fold `ß` with `SS`, too.
  private static func key(_ name: [UInt8]) -> NameKey {
    NameKey(String(decoding: name, as: UTF8.self).uppercased())
  }

  /// A name's part before its last point, and the rest.
  package static func parts(_ name: [UInt8]) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return (name, []) }
    return (Array(name[..<point]), Array(name[point...]))
  }

  /// The bytes that a name of at most ``limit`` may keep: of its stem, and a short suffix whole.
  package static func shortened(_ name: [UInt8]) -> (stem: ArraySlice<UInt8>, suffix: [UInt8]) {
    let (stem, suffix) = parts(name)
    if name.count <= limit { return (stem[...], suffix) }
    if suffix.count < 20 { return (stem.prefix(limit - suffix.count), suffix) }
    return (name.prefix(limit), [])
  }
}
