import CapsulePlatform

/// The environment that the program inherits.
enum Environment {
  /// Returns the variables, each as `NAME=VALUE`.
  @Sendable static func entries() -> [[UInt8]] {
    var result: [[UInt8]] = []
    #if canImport(Darwin)
      let block: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
    #else
      let block: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    #endif
    guard let block else { return [] }
    var index = 0
    while let entry = block[index] {
      result.append(Arguments.bytes(entry))
      index += 1
    }
    return result
  }

  /// Returns the working directory, if there is still one.
  @Sendable static func workingDirectory() -> [UInt8]? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return Arguments.bytes(path)
  }
}
