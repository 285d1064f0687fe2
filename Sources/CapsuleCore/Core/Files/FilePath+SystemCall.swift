import CapsulePlatform

/// System calls on paths, which the system takes ended by a NUL.
extension FilePath {
  /// Makes a system call on this path.
  ///
  /// - Returns: the result of `call`; a negative result is thrown with its `errno`.
  @discardableResult
  func calling<Number: SignedInteger>(
    _ operation: FileSystemError.Operation, _ call: (UnsafePointer<CChar>) -> Number
  ) throws(FileSystemError) -> Number {
    if hasNull { throw FileSystemError(operation, self, code: EINVAL) }
    // `errno` is read while the text still lives: what frees it could change it.
    func outcome(_ text: UnsafePointer<CChar>) -> (Number, Int32) {
      let result = call(text)
      return (result, result < 0 ? errno : 0)
    }
    let (result, code) = outcome(systemText)
    if result < 0 { throw FileSystemError(operation, self, code: code) }
    return result
  }

  /// Makes a system call on this path and a second one; a negative result is thrown.
  func calling(
    _ operation: FileSystemError.Operation, to destination: FilePath,
    _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
  ) throws(FileSystemError) {
    if hasNull || destination.hasNull {
      throw FileSystemError(operation, self, to: destination, code: EINVAL)
    }
    func outcome(_ first: UnsafePointer<CChar>, _ second: UnsafePointer<CChar>) -> Int32 {
      call(first, second) < 0 ? errno : 0
    }
    let code = outcome(systemText, destination.systemText)
    if code != 0 { throw FileSystemError(operation, self, to: destination, code: code) }
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
