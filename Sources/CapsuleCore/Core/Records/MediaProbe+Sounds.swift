/// Sounds: how long they last.
extension MediaProbe {
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
