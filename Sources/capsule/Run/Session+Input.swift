import CapsuleCore

extension Session {
  /// The bytes of a file, or of standard input for `-`.
  ///
  /// - Parameter limit: the most bytes that are read; of a longer stream the rest stays unread, a
  ///   longer file is refused.
  func bytes(of path: FilePath, limit: Int) throws -> [UInt8] {
    guard path == FilePath("-") else {
      return try host.files.readFile(path, limit: limit)
    }
    var source = InputSource(port: host.input)
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
