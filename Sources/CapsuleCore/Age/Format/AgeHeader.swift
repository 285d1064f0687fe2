/// The header of an age file: stanzas that each wrap the file key, and a MAC over them (C2SP
/// age.md, "Header").
package struct AgeHeader: Hashable, Sendable {
  /// The most bytes a header may have: room for some 20,000 recipients.
  ///
  /// The format sets no limit; these bound memory and time whatever is read.
  package static let maximumByteCount = 2 << 20
  /// The most stanzas a header may have.
  package static let maximumStanzaCount = 20_000
  /// The most bytes a line may have; the longest of a known kind has some 1,600.
  package static let maximumLineByteCount = 64 << 10

  /// The version line, without its line feed.
  package static let versionLine = Array("age-encryption.org/v1".utf8)

  /// The stanzas, at least one.
  package let stanzas: [Stanza]

  /// Whether it is sealed with a passphrase, and so with nothing else.
  package var asksForPassphrase: Bool { stanzas.contains { $0.kind == ScryptStanza.kind } }

  /// Refuses a passphrase that costs more than 2 to the limit, before anybody types it.
  package func requireWork(upTo limit: Int) throws(AgeFailure) {
    for stanza in stanzas where stanza.kind == ScryptStanza.kind {
      guard let workFactor = (try? ScryptStanza.parameters(stanza))?.workFactor, workFactor > limit
      else { continue }
      throw .tooMuchWork(workFactor: workFactor, limit: limit)
    }
  }

  /// The MAC as it was read, 32 bytes.
  let mac: [UInt8]
  /// The text that the MAC is over: the header up to and with `---`.
  let authenticated: [UInt8]

  init(stanzas: [Stanza], mac: [UInt8], authenticated: [UInt8]) {
    self.stanzas = stanzas
    self.mac = mac
    self.authenticated = authenticated
  }

  /// The header over some stanzas, with the MAC that the file key gives.
  package init(stanzas: [Stanza], fileKey: FileKey) {
    var text = Self.versionLine + [UInt8(ascii: "\n")]
    for stanza in stanzas { stanza.write(to: &text) }
    text.append(contentsOf: "---".utf8)
    self.init(
      stanzas: stanzas, mac: Self.authenticationCode(of: text, fileKey: fileKey),
      authenticated: text)
  }

  /// The header's bytes, the last line feed included.
  package var encoded: [UInt8] {
    authenticated + Array(" \(Base64.encode(mac, padded: false))\n".utf8)
  }

  /// Whether the file key was the one that the header was made with, and the header is as it was.
  package func isAuthentic(fileKey: FileKey) -> Bool {
    constantTimeEqual(mac, Self.authenticationCode(of: authenticated, fileKey: fileKey))
  }

  private static func authenticationCode(of text: [UInt8], fileKey: FileKey) -> [UInt8] {
    var key = fileKey.derive(salt: [], info: "header")
    defer { wipe(&key) }
    return HMACSHA256.authenticationCode(key: key, data: text)
  }

  /// Reads a header to the end of its last line, where the payload starts.
  ///
  /// The form is checked to the letter: a header that is read is written again with the same bytes.
  /// Stanzas of known kinds are checked by their kinds' rules; others are kept and mean nothing.
  init(reading source: inout BufferedSource) throws(AgeFailure) {
    var reader = HeaderReader()
    do {
      try reader.read(&source)
    } catch {
      throw AgeFailure(reading: error)
    }
    self.init(stanzas: reader.stanzas, mac: reader.mac, authenticated: reader.text)
    for kind in KeyKind.allCases { try kind.check(stanzas) }
    try ScryptStanza.check(stanzas)
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
        guard !stanzas.isEmpty else { throw AgeFailure.header(.noStanza) }
        return try readMAC(line)
      }
      guard line.starts(with: "->".utf8) else { throw fault(.unexpectedLine(lineNumber), line) }
      guard stanzas.count < AgeHeader.maximumStanzaCount else { throw AgeFailure.header(.tooLong) }
      keep(line)
      let arguments = try arguments(line)
      stanzas.append(Stanza(arguments: arguments, body: try readBody(&source)))
    }
  }

  private mutating func readVersion(_ source: inout BufferedSource) throws {
    guard try source.peek() != nil else { throw AgeFailure.header(.empty) }
    guard case .line(let line) = try source.line(limit: Self.versionLineLimit) else {
      throw AgeFailure.header(.notAge)
    }
    lineNumber = 1
    guard line != AgeHeader.versionLine else { return keep(line) }
    let stem = Array("age-encryption.org/".utf8)
    guard line.starts(with: stem), line.count > stem.count else { throw AgeFailure.header(.notAge) }
    if line == AgeHeader.versionLine + [UInt8(ascii: "\r")] {
      throw AgeFailure.header(.carriageReturn(line: 1))
    }
    let isVersion = line[stem.count...].allSatisfy { (0x21...0x7e).contains($0) }
    throw AgeFailure.header(isVersion ? .unsupportedVersion : .notAge)
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
    case .end: throw AgeFailure.header(.truncated)
    case .tooLong: throw AgeFailure.header(.tooLong)
    }
  }

  private mutating func keep(_ line: [UInt8]) {
    text.append(contentsOf: line)
    text.append(UInt8(ascii: "\n"))
  }

  /// Returns the fault of a line: a carriage return, which explains a bad line better than the rule
  /// that it broke, or else the one given.
  private func fault(_ fault: HeaderFault, _ line: [UInt8]) -> AgeFailure {
    .header(line.last == UInt8(ascii: "\r") ? .carriageReturn(line: lineNumber) : fault)
  }
}
