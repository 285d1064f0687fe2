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

  // Images: their size in pixels.

  /// Reads a PNG (third edition, §11.2.2): the first chunk, by its checksum.
  func png() -> MediaFacts {
    guard let chunk = bytes(8, 25), Self.big(chunk[0..<4]) == 13,
      Self.word(chunk[4..<8]) == "IHDR",
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

  /// Reads a JPEG (ITU T.81 §B.2.2): the frame header, behind whatever segments.
  func jpeg() -> MediaFacts {
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

  /// Reads a GIF (GIF89a §18, §20): the logical screen, when the first image lies in it and has data.
  func gif() -> MediaFacts {
    guard let screen = bytes(6, 7) else { return MediaFacts() }
    let (width, height) = (Self.little(screen[0..<2]), Self.little(screen[2..<4]))
    var offset = 13 + Self.gifColors(screen[4])
    for _ in 0..<Self.stepLimit {
      guard let block = bytes(offset, 2) else { return MediaFacts() }
      switch block[0] {
      case 0x2c:
        guard let place = bytes(offset + 1, 9),
          Self.little(place[0..<2]) + Self.little(place[4..<6]) <= width,
          Self.little(place[2..<4]) + Self.little(place[6..<8]) <= height,
          let data = bytes(offset + 10 + Self.gifColors(place[8]), 2), (1...11).contains(data[0]),
          data[1] > 0
        else { return MediaFacts() }
        return Self.pixels(width, height)
      case 0x21:
        // An extension: its label, then parts with their lengths up to one of none.
        offset += 2
        for step in 0... {
          guard step < Self.stepLimit, let part = bytes(offset, 1) else { return MediaFacts() }
          offset += 1 + Int64(part[0])
          if part[0] == 0 { break }
        }
      default: return MediaFacts()
      }
    }
    return MediaFacts()
  }

  /// Returns how many bytes the colour table has that follows some flags.
  private static func gifColors(_ flags: UInt8) -> Int64 {
    flags & 0x80 == 0 ? 0 : 3 << Int64(flags & 7 + 1)
  }

  /// Reads a WebP file (RFC 9649): the first chunk is one of three. An extended file's canvas must be
  /// as large as its picture.
  func webP() -> MediaFacts {
    guard let head = bytes(4, 4), Self.little(head) + 8 <= UInt64(size),
      let first = webPChunk(at: 12)
    else { return MediaFacts() }
    guard first.name == "VP8X" else { return webPPicture(first) ?? MediaFacts() }
    guard first.length == 10, let body = bytes(20, 10) else { return MediaFacts() }
    let canvas = Self.pixels(Self.little(body[4..<7]) + 1, Self.little(body[7..<10]) + 1)
    if body[0] & 0x02 != 0 { return canvas }
    var offset: Int64 = 30
    for _ in 0..<Self.stepLimit {
      guard let chunk = webPChunk(at: offset) else { return MediaFacts() }
      if chunk.name == "VP8 " || chunk.name == "VP8L" {
        return webPPicture(chunk) == canvas ? canvas : MediaFacts()
      }
      offset = chunk.start + chunk.length + chunk.length & 1
    }
    return MediaFacts()
  }

  private typealias Chunk = (name: String, start: Int64, length: Int64)

  private func webPChunk(at offset: Int64) -> Chunk? {
    guard let head = bytes(offset, 8) else { return nil }
    let length = Int64(Self.little(head[4..<8]))
    guard length <= size - offset - 8 else { return nil }
    return (Self.word(head[0..<4]), offset + 8, length)
  }

  private func webPPicture(_ chunk: Chunk) -> MediaFacts? {
    switch chunk.name {
    case "VP8L":
      guard chunk.length >= 5, let body = bytes(chunk.start, 5), body[0] == 0x2f, body[4] >> 5 == 0
      else { return nil }
      let bits = Self.little(body[1..<5])
      return Self.pixels(bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1)
    case "VP8 ":
      // RFC 6386 §9.1: a key frame that is shown, of a known version, its first part all there.
      guard chunk.length >= 10, let body = bytes(chunk.start, 10), body[0] & 0x19 == 0x10,
        Self.little(body[0..<3]) >> 5 < UInt64(chunk.length),
        body[3..<6].elementsEqual([0x9d, 0x01, 0x2a])
      else { return nil }
      return Self.pixels(Self.little(body[6..<8]) & 0x3fff, Self.little(body[8..<10]) & 0x3fff)
    default: return nil
    }
  }

  // Sounds: how long they last.

  /// Reads RIFF, or RF64 (EBU Tech 3306), with PCM or floating-point samples that are all there, whose
  /// chunks fill the file as it says.
  func wave() -> MediaFacts {
    guard let head = bytes(0, 8) else { return MediaFacts() }
    var end = Self.little(head[4..<8]) + 8
    var samplesLength: UInt64?
    var offset: UInt64 = 12
    if head[2] == UInt8(ascii: "6") {
      guard let sizes = bytes(12, 24), Self.word(sizes[0..<4]) == "ds64",
        Self.little(sizes[8..<16]) < 1 << 62
      else { return MediaFacts() }
      end = Self.little(sizes[8..<16]) + 8
      samplesLength = Self.little(sizes[16..<24])
    }
    guard end <= UInt64(size) else { return MediaFacts() }
    var rate: UInt64 = 0
    var block: UInt64 = 0
    var data: UInt64?
    for _ in 0..<Self.stepLimit {
      if offset >= end {
        guard let data, block > 0 else { return MediaFacts() }
        return Self.duration(data / block, perSecond: rate)
      }
      guard let chunk = bytes(Int64(offset), 8),
        chunk[0..<4].allSatisfy({ (0x20...0x7e).contains($0) })
      else { return MediaFacts() }
      var length = Self.little(chunk[4..<8])
      switch Self.word(chunk[0..<4]) {
      case "fmt ":
        guard block == 0, length >= 16, let body = bytes(Int64(offset) + 8, 16) else {
          return MediaFacts()
        }
        let (format, channels) = (Self.little(body[0..<2]), Self.little(body[2..<4]))
        rate = Self.little(body[4..<8])
        block = Self.little(body[12..<14])
        let bits = Self.little(body[14..<16])
        guard [1, 3, 0xfffe].contains(format), channels > 0, rate > 0,
          block == channels * ((bits + 7) / 8), Self.little(body[8..<12]) == rate * block
        else { return MediaFacts() }
      case "data":
        if length == 0xffff_ffff, let samplesLength { length = samplesLength }
        guard data == nil else { return MediaFacts() }
        data = length
      default: break
      }
      guard length <= end - min(end, offset + 8) else { return MediaFacts() }
      offset += 8 + length + length & 1
    }
    return MediaFacts()
  }

  /// Reads FLAC (RFC 9639 §8.2): the samples of the stream, where as many frames as they need can be
  /// behind the metadata.
  func flac() -> MediaFacts {
    guard let info = bytes(4, 38), info[0] & 0x7f == 0, Self.big(info[1..<4]) == 34 else {
      return MediaFacts()
    }
    let block = Self.big(info[6..<8])
    let (smallest, largest) = (Self.big(info[8..<11]), Self.big(info[11..<14]))
    let bits = Self.big(info[14..<22])
    let (rate, samples) = (bits >> 44, bits & 0xf_ffff_ffff)
    guard block >= 16, Self.big(info[4..<6]) <= block, rate <= 655_350,
      largest == 0 || smallest <= largest, let start = flacFrames(),
      let sync = bytes(start, 2), sync[0] == 0xff, sync[1] & 0xfe == 0xf8
    else { return MediaFacts() }
    let frames = (samples + block - 1) / block
    let room = UInt64(size - start)
    // A frame has at least eleven bytes; behind the last one an ID3 tag of 128 may stand.
    guard frames <= room / max(11, smallest),
      largest == 0 || Self.big(info[4..<6]) != block || room <= frames * largest + 128
    else { return MediaFacts() }
    return Self.duration(samples, perSecond: rate)
  }

  /// Returns where the metadata end.
  private func flacFrames() -> Int64? {
    var offset: Int64 = 4
    for _ in 0..<Self.stepLimit {
      guard let head = bytes(offset, 4) else { return nil }
      offset += 4 + Int64(Self.big(head[1..<4]))
      if head[0] & 0x80 != 0 { return offset }
    }
    return nil
  }

  /// Reads the first frame of MPEG layer III where it counts the others: `Xing`, `Info` or `VBRI`.
  func mp3() -> MediaFacts {
    var offset: Int64 = 0
    if let tag = bytes(0, 10), tag.starts(with: Array("ID3".utf8)) {
      guard tag[6..<10].allSatisfy({ $0 < 0x80 }) else { return MediaFacts() }
      offset = 10 + Int64(tag[6..<10].reduce(0) { $0 << 7 | UInt64($1) })
      if tag[5] & 0x10 != 0 { offset += 10 }
    }
    guard let frame = bytes(offset, 4).flatMap({ MP3Frame($0) }) else { return MediaFacts() }
    let rest = UInt64(size - offset)
    var count = MP3Count()
    if let tag = bytes(offset + 4 + frame.sideInformation, 16),
      ["Xing", "Info"].contains(Self.word(tag[0..<4])), tag[7] & 1 == 1
    {
      count.frames = Self.big(tag[8..<12])
      if tag[7] & 2 == 2 { count.bytes = Self.big(tag[12..<16]) }
      let fields = [(1, 4), (2, 4), (4, 100), (8, 4)] as [(UInt8, Int64)]
      let skipped = fields.reduce(0) { $0 + (tag[7] & $1.0 != 0 ? $1.1 : 0) }
      if let made = bytes(offset + 4 + frame.sideInformation + 8 + skipped, 24),
        ["LAME", "Lavc", "Lavf"].contains(Self.word(made[0..<4]))
      {
        // The tag has the samples in front and behind that are none of the sound, 12 bits each.
        let silence = Self.big(made[21..<24])
        count.silence = silence >> 12 + silence & 0xfff
      }
    } else if let tag = bytes(offset + 36, 18), Self.word(tag[0..<4]) == "VBRI" {
      count.bytes = Self.big(tag[10..<14])
      count.frames = Self.big(tag[14..<18])
    }
    guard let samples = count.samples(of: frame, room: rest) else { return MediaFacts() }
    return Self.duration(samples, perSecond: frame.rate)
  }

  // ISO base media files (ISO/IEC 14496-12): how long they last.

  private typealias Box = (type: String, body: Range<Int64>)

  /// A length in units, and how many of them are a second.
  private struct Length {
    let units: UInt64
    let perSecond: UInt64

    var seconds: Double { perSecond > 0 ? Double(units) / Double(perSecond) : .infinity }
  }

  /// Reads the movie header's length, in a file whose boxes are all there, where it is that of the
  /// longest track (§8.2.2.3) and that track's media are about as long.
  func mpeg4() -> MediaFacts {
    guard let movie = boxes(in: 0..<size)?.first(where: { $0.type == "moov" }),
      let parts = boxes(in: movie.body),
      let header = parts.first(where: { $0.type == "mvhd" }),
      let whole = length(header.body)
    else { return MediaFacts() }
    var longest: (track: UInt64, media: Length)?
    for part in parts where part.type == "trak" {
      guard let inner = boxes(in: part.body),
        let track = inner.first(where: { $0.type == "tkhd" }),
        let media = inner.first(where: { $0.type == "mdia" }).flatMap({ boxes(in: $0.body) }),
        let mediaHeader = media.first(where: { $0.type == "mdhd" }),
        let trackLength = trackLength(track.body),
        let mediaLength = length(mediaHeader.body)
      else { return MediaFacts() }
      if longest.map({ $0.track < trackLength }) ?? true { longest = (trackLength, mediaLength) }
    }
    guard let longest, longest.track == whole.units,
      abs(whole.seconds - longest.media.seconds) <= max(1, longest.media.seconds / 8)
    else { return MediaFacts() }
    return Self.duration(whole.units, perSecond: whole.perSecond)
  }

  /// Returns the time scale and the length behind it of `mvhd` or `mdhd`; `nil` where the length is
  /// not known.
  private func length(_ body: Range<Int64>) -> Length? {
    guard let version = bytes(body.lowerBound, 1)?[0], version <= 1 else { return nil }
    let place: Int64 = version == 1 ? 20 : 12
    guard let units = unsigned(body, at: place + 4, version: version),
      let scale = bytes(body.lowerBound + place, 4)
    else { return nil }
    return Length(units: units, perSecond: Self.big(scale))
  }

  private func trackLength(_ body: Range<Int64>) -> UInt64? {
    guard let version = bytes(body.lowerBound, 1)?[0], version <= 1 else { return nil }
    return unsigned(body, at: version == 1 ? 28 : 20, version: version)
  }

  private func unsigned(_ body: Range<Int64>, at place: Int64, version: UInt8) -> UInt64? {
    let count = version == 1 ? 8 : 4
    guard place + Int64(count) <= body.upperBound - body.lowerBound,
      let field = bytes(body.lowerBound + place, count),
      !field.allSatisfy({ $0 == 0xff })
    else { return nil }
    return Self.big(field)
  }

  /// Returns the boxes that fill a range; `nil` where they do not.
  private func boxes(in range: Range<Int64>) -> [Box]? {
    var found: [Box] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard found.count < Self.stepLimit, let box = box(offset, end: range.upperBound) else {
        return nil
      }
      found.append(box)
      offset = box.body.upperBound
    }
    return found
  }

  private func box(_ offset: Int64, end: Int64) -> Box? {
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
    return (Self.word(head[4..<8]), start..<(offset + Int64(length)))
  }
}

/// The header of a frame of MPEG layer III (ISO 11172-3 §2.4.1.3, ISO 13818-3).
struct MP3Frame {
  /// The number of samples a second.
  let rate: UInt64
  /// The number of samples in a frame.
  let samples: UInt64
  /// The bytes of the smallest and of the largest frame that the bit rates allow.
  let lengths: ClosedRange<UInt64>
  /// The bytes of this frame.
  let length: UInt64
  /// The bytes between the header and the data.
  let sideInformation: Int64

  /// - Parameter head: the frame's first four bytes.
  init?(_ head: [UInt8]) {
    guard head.count >= 4, head[0] == 0xff, head[1] & 0xe6 == 0xe2 else { return nil }
    let version = head[1] >> 3 & 3
    let (speed, rate) = (Int(head[2] >> 4), Int(head[2] >> 2 & 3))
    guard version != 1, (1...14).contains(speed), rate < 3 else { return nil }
    let isFirst = version == 3
    self.rate = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
    samples = isFirst ? 1152 : 576
    let kilobits: [UInt64] =
      isFirst
      ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let scale = samples / 8 * 1000
    lengths = kilobits[0] * scale / self.rate...kilobits[13] * scale / self.rate + 1
    length = kilobits[speed - 1] * scale / self.rate + UInt64(head[2] >> 1 & 1)
    let isMono = head[3] >> 6 == 3
    sideInformation = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
  }
}

/// The counts that the first frame gives of those behind it.
private struct MP3Count {
  var frames: UInt64 = 0
  var bytes: UInt64?
  var silence: UInt64 = 0

  /// Returns the samples of the sound; `nil` where the file has no room for so many frames.
  func samples(of frame: MP3Frame, room: UInt64) -> UInt64? {
    let bytes = bytes ?? room
    guard frames > 0, bytes <= room, frames <= bytes / frame.lengths.lowerBound,
      self.bytes == nil || bytes <= (frames + 1) * frame.lengths.upperBound,
      silence < frames * frame.samples
    else { return nil }
    return frames * frame.samples - silence
  }
}
