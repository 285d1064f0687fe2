import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct MediaProbeTests {
  /// Samples whose header does not tell the length, or not one that can be relied upon.
  static let untold: Set = ["streamed.wav", "uncounted.mp3", "unknown.flac", "fragments.m4a"]

  private static func facts(_ bytes: [UInt8]) -> MediaFacts {
    MediaProbe(size: Int64(bytes.count)) { offset, count in
      guard offset >= 0, offset + Int64(count) <= Int64(bytes.count) else {
        Issue.record("bytes behind the end were asked for")
        return nil
      }
      return Array(bytes[Int(offset)..<Int(offset) + count])
    }.facts()
  }

  private static func type(_ bytes: [UInt8], name: String) -> String {
    let head = Array(bytes.prefix(MediaType.headSize))
    return MediaType(
      head: head, isWhole: head.count == bytes.count, name: Array(name.utf8)
    ).description
  }

  @Test(arguments: try MediaVectors.samples())
  func `an intact header tells what other programs read`(sample: MediaVectors.Sample) {
    let isUntold = Self.untold.contains(sample.name)
    expect(Self.facts(sample.bytes) == (isUntold ? MediaFacts() : sample.facts))
    expect(Self.type(sample.bytes, name: sample.name), is: sample.type)
    expect(Self.type(sample.bytes, name: "nameless"), is: sample.type)
  }

  @Test(
    arguments: [
      ("\u{0}\u{0}\u{0}\u{18}ftypheic", "a", "image/heic"),
      ("\u{0}\u{0}\u{0}\u{18}ftypmif1", "a", "image/heif"),
      ("\u{0}\u{0}\u{0}\u{18}ftypavif", "a", "image/avif"),
      ("\u{0}\u{0}\u{0}\u{18}ftypqt  ", "a.mp4", "video/quicktime"),
      ("\u{0}\u{0}\u{0}\u{18}ftyp3gp5", "a", "video/3gpp"),
      ("RIFF....AVI LIST", "a.wav", "video/x-msvideo"), ("FORM....AIFFCOMM", "a", "audio/aiff"),
      ("FORM....AIFCCOMM", "a", "audio/aiff"), ("FORM....ILBMBMHD", "a", "text/plain"),
      ("OggS....theora", "a.ogg", "video/ogg"), ("OggS....vorbis", "a.ogv", "audio/ogg"),
      ("PK\u{3}\u{4}", "a", "application/zip"), ("PK\u{3}\u{4}", "a.epub", "application/epub+zip"),
      ("PK\u{3}\u{4}", "a.odt", "application/vnd.oasis.opendocument.text"),
      ("PK\u{3}\u{4}", "a.jpg", "application/zip"),
      ("BZh91AY&SY", "a", "application/x-bzip2"), ("BZh9, he said", "a", "text/plain"),
      ("BM\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1a}\u{0}\u{0}\u{0}", "a", "image/bmp"),
      ("BMW is a maker of cars", "a.bmp", "text/plain"),
    ])
  func `the bytes say which of several types begin alike`(text: String, name: String, type: String)
  {
    expect(Self.type(Array(text.utf8), name: name), is: type)
  }

  @Test(
    arguments: [
      ([0x1a, 0x45, 0xdf, 0xa3] + Array("..webm".utf8), "a", "video/webm"),
      ([0x1a, 0x45, 0xdf, 0xa3] + Array("..matroska".utf8), "a.webm", "video/x-matroska"),
      ([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], "a.doc", "application/msword"),
      ([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], "a.jpg", "application/x-ole-storage"),
      ([0xff, 0x0a, 0x01], "a.jxl", "image/jxl"),
      ([0xff, 0x0a, 0x01], "a.bin", "application/octet-stream"),
    ] as [([UInt8], String, String)])
  func `a name says which where the bytes alone do not`(bytes: [UInt8], name: String, type: String)
  {
    expect(Self.type(bytes, name: name), is: type)
  }

  @Test(arguments: try MediaVectors.samples())
  func `a file cut anywhere tells the truth or nothing`(sample: MediaVectors.Sample) {
    for length in 0..<sample.bytes.count {
      let told = Self.facts(Array(sample.bytes.prefix(length)))
      expect(told == sample.facts || told == MediaFacts(), "\(length)")
    }
  }

  @Test func `1,000 damaged files tell nothing, or what other programs read from them too`()
    throws
  {
    let files = try MediaVectors.damaged()
    expect(files.count, is: 1000)
    var claims = 0
    for (line, file) in files.enumerated() {
      let told = Self.facts(file.bytes)
      guard told != MediaFacts() else { continue }
      claims += 1
      let isTrue = told == file.sample.facts || file.answers.contains { answers(told, $0) }
      expect(isTrue, "line \(line + 2), \(file.sample.name): \(told) but \(file.answers)")
    }
    expect(claims > 200)
  }

  /// Lengths may be rounded otherwise.
  private func answers(_ told: MediaFacts, _ other: MediaFacts) -> Bool {
    guard told.width == other.width, told.height == other.height else { return false }
    guard let one = told.milliseconds, let two = other.milliseconds else {
      return told.milliseconds == other.milliseconds
    }
    return abs(one - two) <= 1
  }

  @Test func `1,000 random files neither crash nor tell what cannot be`() throws {
    var numbers = SeededGenerator(seed: 1000)
    let samples = try MediaVectors.samples()
    for round in 0..<1000 {
      var bytes = samples[round % samples.count].bytes
      switch round % 3 {
      case 0:
        bytes = (0..<Int.random(in: 0...3000, using: &numbers)).map { _ in
          UInt8.random(in: 0...255, using: &numbers)
        }
      case 1:
        // A true beginning, and noise behind it.
        for place in bytes.indices.dropFirst(Int.random(in: 2...40, using: &numbers)) {
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
      expect((told.width == nil) == (told.height == nil))
      expect(told.width ?? 1 > 0 && told.height ?? 1 > 0 && told.milliseconds ?? 0 >= 0)
      expect(told.width == nil || told.milliseconds == nil)
      if round % 3 == 0 {
        expect(told, is: MediaFacts(), "\(round)")
        expect(["text/plain", "application/octet-stream"].contains(Self.type(bytes, name: "x")))
      }
    }
  }

  @Test func `a changed byte of a picture's header is found by its checksum`() throws {
    let png = try MediaVectors.samples()[0].bytes
    for place in 8..<33 {
      for bit in 0..<8 {
        var bytes = png
        bytes[place] ^= 1 << UInt8(bit)
        expect(Self.facts(bytes), is: MediaFacts())
      }
    }
  }

  @Test(
    arguments: [
      ("ID3 is what the tag is called", "text/plain"), ("BZh is a prefix", "text/plain"),
      ("RIFFS AND ROLLS, WAVES", "text/plain"), ("\u{ff}", "text/plain"),
      ("GIF89", "text/plain"), ("OggS", "audio/ogg"),
    ])
  func `a text that begins as a signature does stays a text`(text: String, type: String) {
    expect(Self.type(Array(text.utf8), name: "note"), is: type)
  }

  @Test(arguments: [[0xff, 0xfb, 0x90, 0x00, 1, 2, 3], [0xff, 0xf1, 0x50, 0x80, 0, 0x1f, 0xfc]])
  func `two bytes alone make no sound`(bytes: [UInt8]) {
    expect(Self.type(bytes, name: "x"), is: "application/octet-stream")
  }
}
