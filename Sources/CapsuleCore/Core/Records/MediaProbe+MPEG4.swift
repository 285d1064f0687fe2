/// ISO base media files (ISO/IEC 14496-12): how long they last.
extension MediaProbe {
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
