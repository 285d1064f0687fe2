/// A path as the system has it: bytes, in no particular encoding.
package struct FilePath: Hashable, Sendable {
  /// The path's bytes, without a NUL.
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// A path from text, in UTF-8.
  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// This path with one more component (or several, separated by `/`).
  package func appending(_ component: String) -> FilePath {
    appending(bytes: Array(component.utf8))
  }

  /// This path with one more component, given as bytes.
  package func appending(bytes component: [UInt8]) -> FilePath {
    if bytes.isEmpty { return FilePath(bytes: component) }
    if bytes.last == UInt8(ascii: "/") { return FilePath(bytes: bytes + component) }
    return FilePath(bytes: bytes + [UInt8(ascii: "/")] + component)
  }

  /// The part behind the last `/`.
  package var lastComponent: [UInt8] {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
    return Array(bytes[(slash + 1)...])
  }

  /// The path of the directory that this one is in: `.` for a bare name, `/` for the root.
  package var parent: FilePath {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return FilePath(".") }
    return slash == 0 ? FilePath("/") : FilePath(bytes: bytes[..<slash])
  }

  /// This path without the `/` at its end, which shells put behind the name of a directory.
  package var withoutEndingSlash: FilePath {
    let slash = UInt8(ascii: "/")
    guard let last = bytes.lastIndex(where: { $0 != slash }) else { return self }
    return FilePath(bytes: bytes[...last])
  }

  /// The path as text; bytes that are not UTF-8 are replaced, so it is for messages only.
  package var text: String {
    String(decoding: bytes, as: UTF8.self)
  }
}
