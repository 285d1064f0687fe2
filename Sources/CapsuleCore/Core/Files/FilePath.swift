import CapsulePlatform

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

/// System calls on paths, which the system takes ended by a NUL.
extension FilePath {
  /// Makes a system call on this path.
  ///
  /// - Returns: the result of `call`; a negative result is thrown with its `errno`.
  @discardableResult
  func calling<Number: SignedInteger>(
    _ operation: FileRefusal.Operation, _ call: (UnsafePointer<CChar>) -> Number
  ) throws(Fault) -> Number {
    if hasNull { throw Fault(operation, self, code: EINVAL) }
    // `errno` is read while the text still lives: what frees it could change it.
    func outcome(_ text: UnsafePointer<CChar>) -> (Number, Int32) {
      let result = call(text)
      return (result, result < 0 ? errno : 0)
    }
    let (result, code) = outcome(systemText)
    if result < 0 { throw Fault(operation, self, code: code) }
    return result
  }

  /// Makes a system call on this path and a second one; a negative result is thrown.
  func calling(
    _ operation: FileRefusal.Operation, to destination: FilePath,
    _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
  ) throws(Fault) {
    if hasNull || destination.hasNull {
      throw Fault(operation, self, to: destination, code: EINVAL)
    }
    func outcome(_ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 {
      call(first, second) < 0 ? errno : 0
    }
    let code = outcome(systemText, destination.systemText)
    if code != 0 { throw Fault(operation, self, to: destination, code: code) }
  }

  private var hasNull: Bool {
    bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    }
  }

  private var systemText: [CChar] {
    [CChar](unsafeUninitializedCapacity: bytes.count + 1) { text, count in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(text).copyMemory(from: $0) }
      text[bytes.count] = 0
      count = bytes.count + 1
    }
  }
}
