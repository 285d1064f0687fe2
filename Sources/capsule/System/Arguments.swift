/// What the program was started with, as bytes.
enum Arguments {
  /// The words of the command line after the program's name.
  static func words() -> [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map(bytes)
    }
  }

  /// The bytes of a C string, without its NUL.
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
