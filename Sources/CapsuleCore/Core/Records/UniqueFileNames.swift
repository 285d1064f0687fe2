/// Names for the files of one directory. No two of them are the same where neither case nor the form
/// of Unicode counts.
package struct UniqueFileNames: Sendable {
  private var taken: Set<NameKey> = []
  /// The number from which on a wanted name may be free.
  private var numbers: [NameKey: Int] = [:]

  /// The longest name in bytes that leaves room for a number on every file system.
  package static let limit = 200

  package init() {}

  /// Returns the name, or one with a number before its suffix where it is taken.
  package mutating func next(_ wanted: [UInt8]) -> [UInt8] {
    let (stem, suffix) = Self.parts(wanted)
    let key = Self.key(wanted)
    for number in (numbers[key] ?? 1)... {
      let name = number == 1 ? wanted : stem + Array("-\(number)".utf8) + suffix
      guard taken.insert(Self.key(name)).inserted else { continue }
      numbers[key] = number + 1
      return name
    }
    return wanted
  }

  /// Returns the key of a name: by upper case and then lower, for file systems that fold case fold `ß`
  /// with `SS`, too.
  private static func key(_ name: [UInt8]) -> NameKey {
    NameKey(String(decoding: name, as: UTF8.self).uppercased())
  }

  /// Returns a name's part before its last point, and the rest.
  package static func parts(_ name: [UInt8]) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return (name, []) }
    return (Array(name[..<point]), Array(name[point...]))
  }

  /// Returns the bytes that a name of at most ``limit`` may keep: of its stem, and a short suffix whole.
  package static func shortened(_ name: [UInt8]) -> (stem: ArraySlice<UInt8>, suffix: [UInt8]) {
    let (stem, suffix) = parts(name)
    if name.count <= limit { return (stem[...], suffix) }
    if suffix.count < 20 { return (stem.prefix(limit - suffix.count), suffix) }
    return (name.prefix(limit), [])
  }
}
