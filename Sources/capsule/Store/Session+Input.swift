package import CapsuleCore

extension Session {
  /// The bytes of a file, or of standard input for `-`.
  ///
  /// - Parameter limit: the most bytes that are read; of a longer stream the rest stays unread, a
  ///   longer file is refused.
  package func bytes(of path: FilePath, limit: Int) throws(Failure) -> [UInt8] {
    guard path == FilePath("-") else {
      do throws(FileSystemError) {
        return try host.files.readFile(path, limit: limit)
      } catch {
        throw Failure(error)
      }
    }
    var source = InputSource(port: host.input)
    var bytes: [UInt8] = []
    do {
      while bytes.count < limit {
        let size = min(65_536, limit - bytes.count)
        let part = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
          count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if part.isEmpty { break }
        bytes += part
      }
    } catch {
      throw Failure.unexpected(error)
    }
    return bytes
  }
}
