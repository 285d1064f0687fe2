import CapsuleCore

/// The names under which contents are written into a directory: never outside of it, whatever name
/// was stored, and never the same twice.
struct ContentFileNames {
  private var taken: Set<NameKey> = []

  /// The longest name, in bytes, that every file system takes.
  private static let limit = 200

  /// A name for a content that no other has been given, also where case does not count.
  mutating func next(_ details: ContentDetails, number: Int) -> [UInt8] {
    next(Self.safe(details.name) ?? Array(Self.fallback(details, number).utf8))
  }

  /// The same for a file that a record keeps in the clear.
  mutating func next(_ file: Attachment, number: Int) -> [UInt8] {
    let suffix = MediaType.suffix(for: file.mediaType).map { ".\($0)" } ?? ""
    return next(Self.safe(file.name) ?? Array("media-\(number)\(suffix)".utf8))
  }

  private mutating func next(_ wanted: [UInt8]) -> [UInt8] {
    let (stem, suffix) = Self.parts(wanted)
    for attempt in 1... {
      let name = attempt == 1 ? wanted : stem + Array("-\(attempt)".utf8) + suffix
      if taken.insert(NameKey(String(decoding: name, as: UTF8.self))).inserted { return name }
    }
    return wanted
  }

  /// The stored name as one component of a path; `nil` where nothing usable is left.
  private static func safe(_ name: [UInt8]) -> [UInt8]? {
    var safe = name.map { byte in
      byte == UInt8(ascii: "/") || byte == 0 ? UInt8(ascii: "_") : byte
    }
    if safe.count > limit {
      let (stem, suffix) = parts(safe)
      let kept = suffix.count < 20 ? suffix : []
      safe = stem.prefix(limit - kept.count) + kept
    }
    if safe.isEmpty || safe == Array(".".utf8) || safe == Array("..".utf8) { return nil }
    return safe
  }

  private static func fallback(_ details: ContentDetails, _ number: Int) -> String {
    if details.text != nil { return "text-\(number).txt" }
    return "content-\(number)" + (MediaType.suffix(for: details.mediaType).map { ".\($0)" } ?? "")
  }

  /// A name's part before its last point, and the rest.
  private static func parts(_ name: [UInt8]) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return (name, []) }
    return (Array(name[..<point]), Array(name[point...]))
  }
}
