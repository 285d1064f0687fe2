/// The reason why bytes are not a zone file that can be relied on (RFC 9636 §3).
package enum TZifProblem: Hashable, Sendable {
  /// They do not start with `TZif` and a known version.
  case notTZif
  /// They end too early.
  case truncated
  /// The header's counts contradict each other.
  case badCounts
  /// A transition is not later than the one before it.
  case unorderedTransitions
  /// A transition names a local time type that is not there.
  case badTypeIndex
  /// A local time type has an impossible offset, flag or abbreviation.
  case badType
  /// The footer is not a POSIX `TZ` string between two newlines.
  case badFooter
  /// The file counts leap seconds, so its times are not POSIX times (the `right/` zones).
  case leapSeconds
}

/// The content of a zone file.
package struct TZif: Hashable, Sendable {
  /// The seconds since the epoch at which the time changes, strictly ascending.
  var transitions: [Int64]
  /// The index in `types` that holds from each transition on.
  var typeIndexes: [UInt8]
  /// The types of local time, at least one; the first holds before the first transition.
  var types: [LocalTimeType]
  /// The rule after the last transition, where the file gives one.
  var footer: PosixZone?
  /// The footer as it stands in the file.
  var footerText: String
}

extension TZif {
  /// Reads a zone file of any version: the 64-bit data and footer where there are (RFC 9636 §3),
  /// else the 32-bit data.
  package init(_ bytes: [UInt8]) throws(ZoneError) {
    var reader = TZifReader(bytes: bytes)
    let first = try reader.header()
    guard first.version >= 2 else {
      self = try reader.data(first, timeSize: 4)
      return
    }
    try reader.skip(first.size(timeSize: 4))
    let second = try reader.header()
    guard second.version == first.version else { throw .damaged(.badCounts) }
    self = try reader.data(second, timeSize: 8)
    footerText = try reader.footer()
    guard !footerText.isEmpty else { return }
    guard let footer = PosixZone(footerText, defaultRule: false) else { throw .damaged(.badFooter) }
    self.footer = footer
  }
}

private struct TZifHeader {
  let version: Int
  let utcIndicators: Int
  let standardIndicators: Int
  let leapSeconds: Int
  let transitions: Int
  let types: Int
  let characters: Int

  func size(timeSize: Int) -> Int {
    transitions * (timeSize + 1) + types * 6 + characters + leapSeconds * (timeSize + 4)
      + standardIndicators + utcIndicators
  }
}

private struct TZifReader {
  let bytes: [UInt8]
  var index = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func skip(_ count: Int) throws(ZoneError) {
    guard count <= bytes.count - index else { throw .damaged(.truncated) }
    index += count
  }

  mutating func header() throws(ZoneError) -> TZifHeader {
    let start = index
    try skip(44)
    guard bytes[start..<(start + 4)].elementsEqual("TZif".utf8) else { throw .damaged(.notTZif) }
    let version: Int
    switch bytes[start + 4] {
    case 0: version = 1
    case UInt8(ascii: "2")...UInt8(ascii: "9"): version = Int(bytes[start + 4] - UInt8(ascii: "0"))
    default: throw .damaged(.notTZif)
    }
    func count(_ position: Int) -> Int {
      bytes[(start + 20 + position * 4)..<(start + 24 + position * 4)]
        .reduce(0) { $0 << 8 | Int($1) }
    }
    return TZifHeader(
      version: version, utcIndicators: count(0), standardIndicators: count(1),
      leapSeconds: count(2), transitions: count(3), types: count(4), characters: count(5))
  }

  mutating func data(_ header: TZifHeader, timeSize: Int) throws(ZoneError) -> TZif {
    guard (1...256).contains(header.types), header.characters >= 1,
      header.utcIndicators == 0 || header.utcIndicators == header.types,
      header.standardIndicators == 0 || header.standardIndicators == header.types
    else { throw .damaged(.badCounts) }
    let start = index
    try skip(header.size(timeSize: timeSize))
    guard header.leapSeconds == 0 else { throw .damaged(.leapSeconds) }
    let indexesStart = start + header.transitions * timeSize
    let typesStart = indexesStart + header.transitions
    let transitions = try times(at: start, count: header.transitions, size: timeSize)
    let indexes = Array(bytes[indexesStart..<typesStart])
    guard indexes.allSatisfy({ Int($0) < header.types }) else { throw .damaged(.badTypeIndex) }
    let charactersStart = typesStart + header.types * 6
    let characters = bytes[charactersStart..<(charactersStart + header.characters)]
    var types: [LocalTimeType] = []
    types.reserveCapacity(header.types)
    for position in 0..<header.types {
      types.append(try type(at: typesStart + position * 6, characters: characters))
    }
    return TZif(
      transitions: transitions, typeIndexes: indexes, types: types, footer: nil, footerText: "")
  }

  private func times(at start: Int, count: Int, size: Int) throws(ZoneError) -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(count)
    for position in 0..<count {
      let at = start + position * size
      var value: UInt64 = 0
      for byte in bytes[at..<(at + size)] { value = value << 8 | UInt64(byte) }
      let time = size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
      if let last = times.last, last >= time { throw .damaged(.unorderedTransitions) }
      times.append(time)
    }
    return times
  }

  private func type(at start: Int, characters: ArraySlice<UInt8>) throws(ZoneError) -> LocalTimeType
  {
    let raw = bytes[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let seconds = Int(Int32(bitPattern: raw))
    let (flag, nameIndex) = (bytes[start + 4], Int(bytes[start + 5]))
    let name = characters.dropFirst(nameIndex)
    // Offsets beyond these are not in use anywhere (RFC 9636 §3.2), and the search for local times
    // counts on it.
    guard (-89_999...93_599).contains(seconds), flag <= 1, let end = name.firstIndex(of: 0),
      name[..<end].allSatisfy({ (0x20...0x7e).contains($0) })
    else { throw .damaged(.badType) }
    return LocalTimeType(
      seconds: seconds, abbreviation: String(decoding: name[..<end], as: UTF8.self),
      isDaylight: flag == 1)
  }

  /// Reads the text between the two newlines, which are the last bytes of the file.
  mutating func footer() throws(ZoneError) -> String {
    guard index < bytes.count else { throw .damaged(.truncated) }
    let newline = UInt8(ascii: "\n")
    guard bytes[index] == newline else { throw .damaged(.badFooter) }
    guard let end = bytes[(index + 1)...].firstIndex(of: newline) else {
      throw .damaged(.truncated)
    }
    guard end == bytes.count - 1 else { throw .damaged(.badFooter) }
    return String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
  }
}
