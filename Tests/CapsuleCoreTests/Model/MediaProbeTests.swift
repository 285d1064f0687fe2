import CapsuleCore
import Testing

@Suite struct MediaProbeTests {
  /// A file and what its header tells.
  struct Sample: Sendable {
    let name: String
    let bytes: [UInt8]
    let facts: MediaFacts
  }

  static func facts(_ bytes: [UInt8]) -> MediaFacts {
    MediaProbe(size: Int64(bytes.count)) { offset, count in
      guard offset >= 0, offset + Int64(count) <= Int64(bytes.count) else {
        Issue.record("bytes behind the end were asked for")
        return nil
      }
      return Array(bytes[Int(offset)..<Int(offset) + count])
    }.facts()
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    big(value, count).reversed()
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func join(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }

  static let samples: [Sample] = {
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    // The IHDR of a picture of 1200 × 800 with 8 bits of RGB, and its CRC-32 by zlib.
    let png: [UInt8] = join(
      [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], big(13, 4), text("IHDR"), big(1200, 4),
      big(800, 4), [8, 2, 0, 0, 0], big(0xbc820c55, 4), zeros(20))
    let jpeg: [UInt8] = join(
      [0xff, 0xd8, 0xff, 0xe0], big(16, 2), text("JFIF\u{0}"), zeros(9), [0xff, 0xff, 0xc0],
      big(17, 2), [8], big(480, 2), big(640, 2), [3], zeros(9), zeros(10))
    let gif: [UInt8] = join(
      text("GIF89a"), little(320, 2), little(200, 2), [0x81, 0, 0], zeros(12), [0x2c], zeros(9))
    func webP(_ parts: [UInt8]...) -> [UInt8] {
      let body = parts.flatMap { $0 }
      return join(text("RIFF"), little(body.count + 4, 4), text("WEBP"), body)
    }
    let wave: [UInt8] = join(
      text("RIFF"), little(36 + 4000, 4), text("WAVEfmt "), little(16, 4), little(1, 2),
      little(2, 2), little(1000, 4), little(4000, 4), little(4, 2), little(16, 2), text("data"),
      little(4000, 4), zeros(4000))
    let flac: [UInt8] = join(
      text("fLaC"), [0x80], big(34, 3), big(4096, 2), big(4096, 2), zeros(6),
      big(44_100 << 44 | 1 << 41 | 15 << 36 | 88_200, 8), zeros(16), zeros(600))
    let mvhd: [UInt8] = join(big(28, 4), text("mvhd"), zeros(12), big(600, 4), big(1500, 4))
    let mpeg4: [UInt8] = join(
      big(16, 4), text("ftypM4A "), zeros(4), big(12, 4), text("mdat"), zeros(4),
      big(8 + mvhd.count, 4), text("moov"), mvhd)
    let mp3: [UInt8] = join(
      text("ID3"), [4, 0, 0, 0, 0, 1, 0], zeros(128), [0xff, 0xfb, 0x90, 0x00], zeros(32),
      text("Xing"), big(1, 4), big(100, 4), zeros(3000))
    return [
      Sample(name: "png", bytes: png, facts: MediaFacts(width: 1200, height: 800)),
      Sample(name: "jpeg", bytes: jpeg, facts: MediaFacts(width: 640, height: 480)),
      Sample(name: "gif", bytes: gif, facts: MediaFacts(width: 320, height: 200)),
      Sample(
        name: "webp extended",
        bytes: webP(text("VP8X"), little(10, 4), zeros(4), little(1199, 3), little(799, 3)),
        facts: MediaFacts(width: 1200, height: 800)),
      Sample(
        name: "webp lossless",
        bytes: webP(text("VP8L"), little(5, 4), [0x2f], little(99 | 49 << 14, 4)),
        facts: MediaFacts(width: 100, height: 50)),
      Sample(
        name: "webp lossy",
        bytes: webP(
          text("VP8 "), little(10, 4), [0, 0, 0, 0x9d, 1, 0x2a], little(64, 2), little(48, 2)),
        facts: MediaFacts(width: 64, height: 48)),
      Sample(name: "wave", bytes: wave, facts: MediaFacts(milliseconds: 1000)),
      Sample(name: "flac", bytes: flac, facts: MediaFacts(milliseconds: 2000)),
      Sample(name: "m4a", bytes: mpeg4, facts: MediaFacts(milliseconds: 2500)),
      Sample(name: "mp3", bytes: mp3, facts: MediaFacts(milliseconds: 2612)),
    ]
  }()

  @Test(arguments: samples)
  func `a header is read`(sample: Sample) {
    #expect(Self.facts(sample.bytes) == sample.facts, "\(sample.name)")
  }

  @Test(arguments: samples)
  func `a file cut anywhere tells the truth or nothing`(sample: Sample) {
    for length in 0..<sample.bytes.count {
      let told = Self.facts(Array(sample.bytes.prefix(length)))
      #expect(told == sample.facts || told == MediaFacts(), "\(sample.name) to \(length)")
    }
  }

  @Test func `1,000 random and broken files neither crash nor tell what cannot be`() {
    var numbers = SeededGenerator(seed: 1000)
    for round in 0..<1000 {
      var bytes = Self.samples[round % Self.samples.count].bytes
      switch round % 4 {
      case 0:
        bytes = (0..<Int.random(in: 0...300, using: &numbers)).map { _ in
          UInt8.random(in: 0...255, using: &numbers)
        }
      case 1:
        // A true beginning, and noise behind it.
        for place in bytes.indices.dropFirst(12) {
          bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        }
      default:
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
          let place = Int.random(in: 0..<min(200, bytes.count), using: &numbers)
          bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        }
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &numbers)))
      }
      let told = Self.facts(bytes)
      #expect((told.width == nil) == (told.height == nil))
      #expect(told.width ?? 1 > 0 && told.height ?? 1 > 0 && told.milliseconds ?? 0 >= 0)
      #expect(told.width == nil || told.milliseconds == nil)
      if bytes.count < 12 { #expect(told == MediaFacts()) }
    }
  }

  @Test func `a changed byte of a picture's header is found by its checksum`() throws {
    let png = try #require(Self.samples.first).bytes
    for place in 8..<33 {
      for bit in 0..<8 {
        var bytes = png
        bytes[place] ^= 1 << UInt8(bit)
        #expect(Self.facts(bytes) == MediaFacts())
      }
    }
  }
}
