extension AgeHeader {
  /// Reads a header to the end of its last line, where the payload starts.
  ///
  /// The form is checked to the letter: a header that is read is written again with the same bytes.
  /// Stanzas of known kinds are checked by their kinds' rules; others are kept and mean nothing.
  ///
  /// - Throws: `.header`, `.armor` or `.source`.
  init(reading source: inout BufferedSource) throws(AgeFailure) {
    var reader = HeaderReader()
    do {
      try reader.read(&source)
    } catch let fault as HeaderFault {
      throw .header(fault)
    } catch let fault as ArmorFault {
      throw .armor(fault)
    } catch {
      throw .source(error)
    }
    self.init(stanzas: reader.stanzas, mac: reader.mac, authenticated: reader.text)
    do throws(HeaderFault) {
      for kind in KeyKind.allCases { try kind.check(stanzas) }
      try ScryptStanza.check(stanzas)
    } catch {
      throw .header(error)
    }
  }
}

/// A reader of headers, line by line, that keeps the text for the MAC.
private struct HeaderReader {
  var stanzas: [Stanza] = []
  var mac: [UInt8] = []
  var text: [UInt8] = []
  private var lineNumber = 0

  /// The most bytes of the first line that are looked at: no version has so long a name.
  private static let versionLineLimit = 256

  mutating func read(_ source: inout BufferedSource) throws {
    try readVersion(&source)
    while true {
      let line = try nextLine(&source)
      if line.starts(with: "---".utf8) {
        guard !stanzas.isEmpty else { throw HeaderFault.noStanza }
        return try readMAC(line)
      }
      guard line.starts(with: "->".utf8) else { throw fault(.unexpectedLine(lineNumber), line) }
      guard stanzas.count < AgeHeader.maximumStanzaCount else { throw HeaderFault.tooLong }
      keep(line)
      let arguments = try arguments(line)
      stanzas.append(Stanza(arguments: arguments, body: try readBody(&source)))
    }
  }

  private mutating func readVersion(_ source: inout BufferedSource) throws {
    guard try source.peek() != nil else { throw HeaderFault.empty }
    guard case .line(let line) = try source.line(limit: Self.versionLineLimit) else {
      throw HeaderFault.notAge
    }
    lineNumber = 1
    guard line != AgeHeader.versionLine else { return keep(line) }
    let stem = Array("age-encryption.org/".utf8)
    guard line.starts(with: stem), line.count > stem.count else { throw HeaderFault.notAge }
    if line == AgeHeader.versionLine + [UInt8(ascii: "\r")] {
      throw HeaderFault.carriageReturn(line: 1)
    }
    let isVersion = line[stem.count...].allSatisfy { (0x21...0x7e).contains($0) }
    throw isVersion ? HeaderFault.unsupportedVersion : .notAge
  }

  /// Reads the MAC line: the MAC is over everything before it, and its own `---`.
  private mutating func readMAC(_ line: [UInt8]) throws {
    guard line.count == 4 + 43, line[3] == UInt8(ascii: " "),
      let mac = Base64.decode(Array(line[4...]), padded: false), mac.count == 32
    else { throw fault(.macLine, line) }
    self.mac = mac
    text.append(contentsOf: "---".utf8)
  }

  private func arguments(_ line: [UInt8]) throws -> [String] {
    guard line.count > 3, line[2] == UInt8(ascii: " ") else {
      throw fault(.arguments(line: lineNumber), line)
    }
    let words = line[3...].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    return try words.map { word in
      guard !word.isEmpty, word.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        throw fault(.arguments(line: lineNumber), line)
      }
      return String(decoding: word, as: UTF8.self)
    }
  }

  private mutating func readBody(_ source: inout BufferedSource) throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try nextLine(&source)
      guard line.count <= Stanza.columns, let bytes = Base64.decode(line, padded: false) else {
        throw fault(.body(line: lineNumber), line)
      }
      keep(line)
      body.append(contentsOf: bytes)
      if line.count < Stanza.columns { return body }
    }
  }

  private mutating func nextLine(_ source: inout BufferedSource) throws -> [UInt8] {
    lineNumber += 1
    let limit = min(AgeHeader.maximumByteCount - text.count, AgeHeader.maximumLineByteCount)
    switch try source.line(limit: limit) {
    case .line(let line): return line
    case .end: throw HeaderFault.truncated
    case .tooLong: throw HeaderFault.tooLong
    }
  }

  private mutating func keep(_ line: [UInt8]) {
    text.append(contentsOf: line)
    text.append(UInt8(ascii: "\n"))
  }

  /// Returns the fault of a line: a carriage return, which explains a bad line better than the rule
  /// that it broke, or else the one given.
  private func fault(_ fault: HeaderFault, _ line: [UInt8]) -> HeaderFault {
    line.last == UInt8(ascii: "\r") ? .carriageReturn(line: lineNumber) : fault
  }
}
