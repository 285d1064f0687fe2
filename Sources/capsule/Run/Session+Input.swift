import CapsuleCore

extension Session {
  /// The bytes of a file, or of standard input for `-`.
  ///
  /// - Parameter limit: the most bytes that are read; of a longer stream the rest stays unread, a
  ///   longer file is refused.
  func bytes(of path: FilePath, limit: Int) throws -> [UInt8] {
    guard path.isDash else {
      return try host.files.readFile(path, limit: limit)
    }
    var source = try inputSource()
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let size = min(65_536, limit - bytes.count)
      let part = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }
}

extension Session {
  /// Reads a whole file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - limit: the most bytes, a whole number of MiB.
  ///   - hint: the way out where there are more.
  func input(_ path: FilePath, limit: Int, hint: String) throws -> [UInt8] {
    let files = host.files
    let path = try inputFile(path)
    do throws(FileSystemError) {
      return try files.withFile(path, .readFollowingLinks(streams: true)) {
        file throws(FileSystemError) in
        let size = Int(clamping: (try? files.status(file))?.size ?? 0)
        return try files.readAll(file, limit: limit, expecting: size)
      }
    } catch {
      guard error.condition == .fileTooLarge else { throw error }
      throw Failure(
        .refused, "'\(path.text)' has more than the \(limit >> 20) MiB that are read at once",
        hint: hint, details: ["path": .string(path.text)])
    }
  }
}

extension Session {
  /// Notes that something reads standard input, which only one can: the other would get nothing.
  private func takeInput() throws {
    guard !isInputTaken else {
      throw Failure.usage(
        "standard input can be read once only", hint: "name a file for all but one of them")
    }
    isInputTaken = true
  }

  /// Returns standard input, for the one that reads it.
  func inputSource() throws -> InputSource {
    try takeInput()
    return InputSource(port: host.input)
  }

  /// Returns the file to read for a path: `-` is standard input.
  func inputFile(_ path: FilePath) throws -> FilePath {
    guard path.isStandardInput else { return path }
    try takeInput()
    return .standardInput
  }
}

extension FilePath {
  /// Whether it is `-`, which means standard input or standard output.
  var isDash: Bool { bytes == [UInt8(ascii: "-")] }

  fileprivate static let standardInput = FilePath("/dev/stdin")

  /// Whether it means standard input, by a hyphen or by its name.
  var isStandardInput: Bool { isDash || self == .standardInput }

  /// The name of an input for messages.
  var inputName: String { isDash ? "standard input" : text }

  /// The name of an input for messages, quoted where it is a file's.
  var inputSubject: String { isDash ? "standard input" : "'\(text)'" }
}
