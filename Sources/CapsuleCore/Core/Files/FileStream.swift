/// A source over an open file, from where its descriptor stands.
package struct FileSource: ByteSource {
  private let files: any FileSystem
  private let file: FileDescriptor

  /// The descriptor stays the caller's to close.
  package init(_ files: any FileSystem, _ file: FileDescriptor) {
    self.files = files
    self.file = file
  }

  package mutating func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    try files.read(file, into: buffer)
  }
}

/// A sink into an open file, without a buffer: callers hand it large pieces.
package struct FileSink: ByteSink {
  private let files: any FileSystem
  private let file: FileDescriptor

  /// The descriptor stays the caller's to close and to synchronise.
  package init(_ files: any FileSystem, _ file: FileDescriptor) {
    self.files = files
    self.file = file
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    try files.writeAll(file, bytes)
  }
}
