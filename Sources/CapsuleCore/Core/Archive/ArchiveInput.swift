/// The reading of an archive's file: an age file, or a tar file in the clear.
package enum ArchiveInput {
  /// Reads all of it into a sink.
  ///
  /// - Parameter unlock: gives the key of an age file; called with `nil` for one in the clear, before it is
  ///   read.
  /// - Returns: whether it is sealed.
  @discardableResult
  package static func read(
    _ source: any ByteSource, to sink: inout ArchiveSink,
    unlock: (AgeReader?) throws -> FileKey?
  ) throws -> Bool {
    var source = BufferedSource(source, capacity: 1 << 18)
    let mark = Array("age-encryption.org/".utf8)
    let isSealed =
      try source.peek(mark.count).elementsEqual(mark)
      || source.peek().map { Armor.isExpected(firstByte: $0) } ?? false
    guard isSealed else {
      _ = try unlock(nil)
      try copy(&source, to: &sink)
      return false
    }
    var reader = try AgeReader(source)
    guard let key = try unlock(reader) else { throw AgeFailure.noMatch }
    do throws(AgeFailure) {
      _ = try reader.open(with: key, to: &sink)
    } catch {
      // The sink's own error says more than the error of the writing to it.
      if case .sink(let cause) = error { throw cause }
      throw error
    }
    return true
  }

  private static func copy(
    _ source: inout BufferedSource, to sink: inout ArchiveSink
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return }
      try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
