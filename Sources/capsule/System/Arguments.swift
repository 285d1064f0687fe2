/// The command line of the program, as bytes.
enum Arguments {
  /// Returns the words of the command line after the program's name.
  static func words() -> [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map(bytes)
    }
  }

  /// Ends the program where its command line is not known. On Linux the runtime finds them by way of
  /// `/proc`; without it every command line would look like an empty one.
  static func requireKnown() {
    if CommandLine.argc > 0 { return }
    let message = "capsule: error: the command line cannot be read: is /proc mounted?\n"
    Array(message.utf8).withUnsafeBytes { bytes in
      try? Descriptor.write(bytes, to: 2, "write to standard error")
    }
    ProcessEnd.exit(.io)
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
