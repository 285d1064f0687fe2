/// Images: their size in pixels.
extension MediaProbe {
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
}
