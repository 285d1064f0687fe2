/// A reader of the headers of media files. It looks at bounded parts of the file, and checks every
/// length.
///
/// Facts that the file gives more than once must agree: of a file that is cut short, or whose header
/// contradicts itself, nothing is taken.
package struct MediaProbe {
  let size: Int64
  private let read: (Int64, Int) -> [UInt8]?
  /// The most parts of the file that may be looked at.
  static let stepLimit = 2000
  /// The largest size that is believed, so that no sum of offsets overflows.
  private static let sizeLimit: Int64 = 1 << 60

  /// - Parameters:
  ///   - size: the file's bytes.
  ///   - read: returns exactly so many bytes from an offset on, or `nil`.
  package init(size: Int64, read: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]?) {
    self.size = min(max(size, 0), Self.sizeLimit)
    self.read = read
  }

  /// Looks at a whole file in memory.
  package init(_ file: [UInt8]) {
    self.init(size: Int64(file.count)) { offset, count in
      guard let start = Int(exactly: offset), file.indices.contains(start),
        count <= file.count - start
      else { return nil }
      return Array(file[start..<(start + count)])
    }
  }

  /// Reads the facts; none of a type that is not known.
  package func facts() -> MediaFacts {
    guard let head = bytes(0, 12) else { return MediaFacts() }
    if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return png() }
    if head.starts(with: [0xff, 0xd8, 0xff]) { return jpeg() }
    if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) {
      return gif()
    }
    switch (Self.word(head[0..<4]), Self.word(head[8..<12])) {
    case ("RIFF", "WEBP"): return webP()
    case ("RIFF", "WAVE"), ("RF64", "WAVE"): return wave()
    case ("fLaC", _): return flac()
    default: break
    }
    if Self.word(head[4..<8]) == "ftyp" { return mpeg4() }
    if head.starts(with: Array("ID3".utf8)) || head[0] == 0xff { return mp3() }
    return MediaFacts()
  }

  /// Returns bytes of the file; `nil` where it does not have them all.
  func bytes(_ offset: Int64, _ count: Int) -> [UInt8]? {
    guard offset >= 0, offset <= size - Int64(count), let bytes = read(offset, count),
      bytes.count == count
    else { return nil }
    return bytes
  }

  /// Returns the name of a chunk or box.
  static func word(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
  }

  static func big(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func little(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func pixels(_ width: UInt64, _ height: UInt64) -> MediaFacts {
    guard (1...0x7fff_ffff).contains(width), (1...0x7fff_ffff).contains(height) else {
      return MediaFacts()
    }
    return MediaFacts(width: Int64(width), height: Int64(height))
  }

  static func duration(_ units: UInt64, perSecond rate: UInt64) -> MediaFacts {
    let (product, overflow) = units.multipliedReportingOverflow(by: 1000)
    guard rate > 0, units > 0, !overflow, product / rate < 1 << 40 else { return MediaFacts() }
    return MediaFacts(milliseconds: Int64(product / rate))
  }
}
