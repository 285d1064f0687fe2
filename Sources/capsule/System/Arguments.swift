/// The command line of the program, as bytes.
enum Arguments {
  /// Returns the words of the command line after the program's name.
  static func words() -> [[UInt8]] {
    guard let vector = StartWords.vector else { return [] }
    return (1..<max(1, Int(StartWords.count))).compactMap { index in vector[index].map(bytes) }
  }

  /// Returns the bytes of a C string, without its NUL.
  static func bytes(_ pointer: UnsafeMutablePointer<CChar>) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while pointer[index] != 0 {
      result.append(UInt8(bitPattern: pointer[index]))
      index += 1
    }
    return result
  }
}
