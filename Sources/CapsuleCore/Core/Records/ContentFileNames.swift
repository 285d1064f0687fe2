/// The names under which contents are written into a directory: never outside of it, whatever name
/// was stored, and never the same twice.
package struct ContentFileNames: Sendable {
  private var names = UniqueFileNames()

  package init() {}

  /// Returns a name for a content that no other has been given, also where case does not count.
  package mutating func next(_ details: ContentDetails, number: Int) -> [UInt8] {
    names.next(Self.safe(details.name) ?? Array(Self.fallback(details, number: number).utf8))
  }

  /// Returns a name for a file that a record keeps in the clear.
  package mutating func next(_ file: Attachment, number: Int) -> [UInt8] {
    names.next(Self.safe(file.name) ?? Array(Self.fallback(file, number: number).utf8))
  }

  /// Returns the stored name as one component of a path; `nil` where nothing usable is left.
  private static func safe(_ name: [UInt8]) -> [UInt8]? {
    var safe = name.map { byte in
      byte == UInt8(ascii: "/") || byte == 0 ? UInt8(ascii: "_") : byte
    }
    let (stem, suffix) = UniqueFileNames.shortened(safe)
    safe = stem + suffix
    if safe.isEmpty || safe == Array(".".utf8) || safe == Array("..".utf8) { return nil }
    return safe
  }

  /// The name of a content without a usable one of its own.
  package static func fallback(_ details: ContentDetails, number: Int) -> String {
    if details.text != nil { return "text-\(number).txt" }
    return "content-\(number)" + suffix(details.mediaType)
  }

  /// Returns the name of an attachment without a usable one.
  package static func fallback(_ file: Attachment, number: Int) -> String {
    "media-\(number)" + suffix(file.mediaType)
  }

  private static func suffix(_ mediaType: String) -> String {
    MediaType.suffix(for: mediaType).map { ".\($0)" } ?? ""
  }
}
