/// Reads what the headers of media files tell, of bounded parts of the file, every length checked.
///
/// A file that is cut short, or whose header contradicts itself, has told nothing.
package struct MediaProbe {
  private let size: Int64
  private let read: (Int64, Int) -> [UInt8]?
  /// How many parts of the file may be looked at.
  private static let stepLimit = 2000

  /// - Parameters:
  ///   - size: the file's bytes.
  ///   - read: gives exactly so many bytes from an offset on, or `nil`.
  package init(size: Int64, read: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]?) {
    self.size = size
    self.read = read
  }

  package func facts() -> MediaFacts {
    guard let head = bytes(0, 12) else { return MediaFacts() }
    if head.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return png() }
    if head.starts(with: [0xff, 0xd8, 0xff]) { return jpeg() }
    if head.starts(with: Array("GIF87a".utf8)) || head.starts(with: Array("GIF89a".utf8)) {
      return gif()
    }
    if head.starts(with: Array("RIFF".utf8)) {
      if head[8...].elementsEqual(Array("WEBP".utf8)) { return webP() }
      if head[8...].elementsEqual(Array("WAVE".utf8)) { return wave() }
      return MediaFacts()
    }
    if head.starts(with: Array("fLaC".utf8)) { return flac() }
    if head[4..<8].elementsEqual(Array("ftyp".utf8)) { return mpeg4() }
    if head.starts(with: Array("ID3".utf8)) || head[0] == 0xff { return mp3() }
    return MediaFacts()
  }

  /// Bytes of the file; `nil` where it does not have them all.
  private func bytes(_ offset: Int64, _ count: Int) -> [UInt8]? {
    guard offset >= 0, offset <= size - Int64(count), let bytes = read(offset, count),
      bytes.count == count
    else { return nil }
    return bytes
  }

  private static func big(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func little(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func pixels(_ width: UInt64, _ height: UInt64) -> MediaFacts {
    guard (1...0x7fff_ffff).contains(width), (1...0x7fff_ffff).contains(height) else {
      return MediaFacts()
    }
    return MediaFacts(width: Int64(width), height: Int64(height))
  }

  private static func duration(_ units: UInt64, perSecond rate: UInt64) -> MediaFacts {
    let (product, overflow) = units.multipliedReportingOverflow(by: 1000)
    guard rate > 0, units > 0, !overflow, product / rate < 1 << 40 else { return MediaFacts() }
    return MediaFacts(milliseconds: Int64(product / rate))
  }
}

/// Images.
extension MediaProbe {
  /// PNG (third edition) §11.2.2: the first chunk, by its checksum.
  private func png() -> MediaFacts {
    guard let chunk = bytes(8, 25), Self.big(chunk[0..<4]) == 13,
      chunk[4..<8].elementsEqual(Array("IHDR".utf8)),
      UInt64(Self.crc32(chunk[4..<21])) == Self.big(chunk[21..<25])
    else { return MediaFacts() }
    return Self.pixels(Self.big(chunk[8..<12]), Self.big(chunk[12..<16]))
  }

  private static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return ~crc
  }

  /// ITU T.81 §B.2.2: the frame header, behind whatever segments.
  private func jpeg() -> MediaFacts {
    var offset: Int64 = 2
    for _ in 0..<Self.stepLimit {
      guard let marker = bytes(offset, 2), marker[0] == 0xff else { return MediaFacts() }
      // Fill bytes may stand before a marker.
      if marker[1] == 0xff {
        offset += 1
        continue
      }
      guard let part = bytes(offset + 2, 2) else { return MediaFacts() }
      let length = Int64(Self.big(part))
      guard length >= 2, offset + 2 + length <= size else { return MediaFacts() }
      switch marker[1] {
      case 0xc0...0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
        guard let frame = bytes(offset + 4, 6), [8, 12, 16].contains(frame[0]),
          (1...4).contains(frame[5]), length == 8 + 3 * Int64(frame[5])
        else { return MediaFacts() }
        return Self.pixels(Self.big(frame[3..<5]), Self.big(frame[1..<3]))
      // The scan begins, or the file ends, without a frame; or it is no segment.
      case 0x00, 0x01, 0xd0...0xda: return MediaFacts()
      default: offset += 2 + length
      }
    }
    return MediaFacts()
  }

  /// GIF89a §18: the logical screen, when a block follows it and its colours.
  private func gif() -> MediaFacts {
    guard let screen = bytes(6, 7) else { return MediaFacts() }
    let colors: Int64 = screen[4] & 0x80 == 0 ? 0 : 3 << Int64(screen[4] & 7 + 1)
    guard let block = bytes(13 + colors, 1), [0x21, 0x2c].contains(block[0]) else {
      return MediaFacts()
    }
    return Self.pixels(Self.little(screen[0..<2]), Self.little(screen[2..<4]))
  }

  /// RFC 9649: the first chunk is one of three.
  private func webP() -> MediaFacts {
    guard let head = bytes(4, 4), let chunk = bytes(12, 8),
      Self.little(head) + 8 <= UInt64(size), Self.little(chunk[4..<8]) + 20 <= UInt64(size)
    else { return MediaFacts() }
    switch String(decoding: chunk[0..<4], as: UTF8.self) {
    case "VP8X":
      guard Self.little(chunk[4..<8]) == 10, let body = bytes(20, 10) else { return MediaFacts() }
      return Self.pixels(Self.little(body[4..<7]) + 1, Self.little(body[7..<10]) + 1)
    case "VP8L":
      guard let body = bytes(20, 5), body[0] == 0x2f, body[4] >> 5 == 0 else {
        return MediaFacts()
      }
      let bits = Self.little(body[1..<5])
      return Self.pixels(bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1)
    case "VP8 ":
      guard let body = bytes(20, 10), body[0] & 1 == 0,
        body[3..<6].elementsEqual([0x9d, 0x01, 0x2a])
      else { return MediaFacts() }
      return Self.pixels(Self.little(body[6..<8]) & 0x3fff, Self.little(body[8..<10]) & 0x3fff)
    default: return MediaFacts()
    }
  }
}

/// Sounds.
extension MediaProbe {
  /// RIFF with PCM or floating-point samples that are all there.
  private func wave() -> MediaFacts {
    var offset: Int64 = 12
    var rate: UInt64 = 0
    var block: UInt64 = 0
    for _ in 0..<Self.stepLimit {
      guard let chunk = bytes(offset, 8) else { return MediaFacts() }
      let length = Self.little(chunk[4..<8])
      switch String(decoding: chunk[0..<4], as: UTF8.self) {
      case "fmt ":
        guard length >= 16, let body = bytes(offset + 8, 16) else { return MediaFacts() }
        let (format, channels) = (Self.little(body[0..<2]), Self.little(body[2..<4]))
        rate = Self.little(body[4..<8])
        block = Self.little(body[12..<14])
        let bits = Self.little(body[14..<16])
        guard [1, 3, 0xfffe].contains(format), channels > 0, rate > 0,
          block == channels * ((bits + 7) / 8), Self.little(body[8..<12]) == rate * block
        else { return MediaFacts() }
      case "data":
        guard block > 0, offset + 8 + Int64(length) <= size else { return MediaFacts() }
        return Self.duration(length / block, perSecond: rate)
      default: break
      }
      offset += 8 + Int64(length + length & 1)
    }
    return MediaFacts()
  }

  /// RFC 9639 §8.2: the samples of the stream, where there is room for the frames they need.
  private func flac() -> MediaFacts {
    guard let info = bytes(4, 38), info[0] & 0x7f == 0, Self.big(info[1..<4]) == 34 else {
      return MediaFacts()
    }
    let block = Self.big(info[6..<8])
    let smallest = Self.big(info[8..<11])
    let bits = Self.big(info[14..<22])
    let (rate, samples) = (bits >> 44, bits & 0xf_ffff_ffff)
    guard block >= 16, Self.big(info[4..<6]) <= block, rate <= 655_350 else { return MediaFacts() }
    let frames = (samples + block - 1) / block
    // A frame has at least eleven bytes.
    guard frames <= UInt64(size - 42) / max(11, smallest) else { return MediaFacts() }
    return Self.duration(samples, perSecond: rate)
  }

  /// ISO 14496-12: the movie header, in a file whose boxes are all there.
  private func mpeg4() -> MediaFacts {
    var offset: Int64 = 0
    var movie: Range<Int64>?
    for step in 0... {
      if offset == size { break }
      guard step < Self.stepLimit, let box = box(offset, end: size) else { return MediaFacts() }
      if box.type == "moov", movie == nil { movie = box.body }
      offset = box.body.upperBound
    }
    guard let movie else { return MediaFacts() }
    offset = movie.lowerBound
    for _ in 0..<Self.stepLimit {
      guard offset < movie.upperBound, let box = box(offset, end: movie.upperBound) else {
        return MediaFacts()
      }
      if box.type == "mvhd" { return movieHeader(box.body) }
      offset = box.body.upperBound
    }
    return MediaFacts()
  }

  private func movieHeader(_ body: Range<Int64>) -> MediaFacts {
    guard let version = bytes(body.lowerBound, 1)?[0] else { return MediaFacts() }
    let isLong = version == 1
    guard version <= 1, body.count >= (isLong ? 32 : 20),
      let times = bytes(body.lowerBound + (isLong ? 20 : 12), isLong ? 12 : 8)
    else { return MediaFacts() }
    let units = Self.big(times[4...])
    guard units != (isLong ? UInt64.max : 0xffff_ffff) else { return MediaFacts() }
    return Self.duration(units, perSecond: Self.big(times[0..<4]))
  }

  private func box(_ offset: Int64, end: Int64) -> (type: String, body: Range<Int64>)? {
    guard end - offset >= 8, let head = bytes(offset, 8) else { return nil }
    var length = Self.big(head[0..<4])
    var start = offset + 8
    if length == 1 {
      guard let long = bytes(offset + 8, 8) else { return nil }
      length = Self.big(long)
      start += 8
    } else if length == 0 {
      length = UInt64(end - offset)
    }
    guard length >= UInt64(start - offset), length <= UInt64(end - offset) else { return nil }
    return (String(decoding: head[4..<8], as: UTF8.self), start..<(offset + Int64(length)))
  }

  /// A first frame of MPEG layer III that counts the others: `Xing`, `Info` or `VBRI`.
  private func mp3() -> MediaFacts {
    var offset: Int64 = 0
    if let tag = bytes(0, 10), tag.starts(with: Array("ID3".utf8)) {
      guard tag[6..<10].allSatisfy({ $0 < 0x80 }) else { return MediaFacts() }
      offset = 10 + Int64(tag[6..<10].reduce(0) { $0 << 7 | UInt64($1) })
      if tag[5] & 0x10 != 0 { offset += 10 }
    }
    guard let frame = bytes(offset, 4), frame[0] == 0xff, frame[1] & 0xe6 == 0xe2 else {
      return MediaFacts()
    }
    let version = frame[1] >> 3 & 3
    let rates: [UInt64] = [44_100, 48_000, 32_000]
    guard version != 1, frame[2] >> 4 != 15, frame[2] >> 4 != 0, frame[2] >> 2 & 3 != 3 else {
      return MediaFacts()
    }
    let isFirst = version == 3
    let rate = rates[Int(frame[2] >> 2 & 3)] / (isFirst ? 1 : version == 2 ? 2 : 4)
    let isMono = frame[3] >> 6 == 3
    let side: Int64 = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
    let rest = UInt64(size - offset)
    var frames: UInt64 = 0
    var length: UInt64?
    if let tag = bytes(offset + 4 + side, 16),
      ["Xing", "Info"].contains(String(decoding: tag[0..<4], as: UTF8.self)), tag[7] & 1 == 1
    {
      frames = Self.big(tag[8..<12])
      if tag[7] & 2 == 2 { length = Self.big(tag[12..<16]) }
    } else if let tag = bytes(offset + 36, 18), tag[0..<4].elementsEqual(Array("VBRI".utf8)) {
      length = Self.big(tag[10..<14])
      frames = Self.big(tag[14..<18])
    }
    // The smallest frame has 24 bytes.
    guard length.map({ $0 <= rest }) ?? true, frames > 0, frames <= rest / 24 else {
      return MediaFacts()
    }
    return Self.duration(frames * (isFirst ? 1152 : 576), perSecond: rate)
  }
}
