@testable import CapsuleAge
@testable import CapsuleCore

/// A header that was read is, to the byte, what is written for it.
func fuzzHeader(_ input: [UInt8]) {
  var source = BufferedSource(MemorySource(input), capacity: 64)
  guard let header = try? AgeHeader(reading: &source) else { return }
  require(input.starts(with: header.encoded), "a header is written as it was read")
  var again = BufferedSource(MemorySource(header.encoded))
  require((try? AgeHeader(reading: &again)) == header, "a written header is read again")
  let identity = AgeIdentity(
    seed: SecretBytes(copying: [UInt8](repeating: 0x42, count: 32)), isPostQuantum: false)
  _ = identity?.unwrap(header.stanzas)
  if let stanza = header.stanzas.first(where: { $0.kind == ScryptStanza.kind }) {
    require(header.stanzas.count == 1, "a passphrase stanza stands alone")
    let parameters = try? ScryptStanza.parameters(stanza)
    require((1...22).contains(parameters?.workFactor ?? 0), "a work factor above 22 is refused")
  }
}

/// A post-quantum stanza of any two arguments and body is opened to nothing, damaged, or what was sealed.
func fuzzHybrid(_ input: [UInt8]) {
  let seed = SecretBytes(copying: [UInt8](repeating: 0x42, count: HybridKEM.seedByteCount))
  let text = Bech32.encode(hrp: "AGE-SECRET-KEY-PQ-", seed.bytes)
  guard let identity = try? AgeIdentity(text) else { return require(false, "a seed is a key") }
  let encapsulation = Array(input.prefix(HybridKEM.encapsulationByteCount))
  let stanza = Stanza(
    arguments: [KeyKind.hybrid.stanza, Base64.encode(encapsulation, padded: false)],
    body: Array(input.dropFirst(HybridKEM.encapsulationByteCount)))
  let isWhole = encapsulation.count == HybridKEM.encapsulationByteCount
  switch identity.unwrap([stanza]) {
  case .fileKey: require(false, "nobody sealed it")
  case .noMatch: require(isWhole && stanza.body.count == 32, "a stanza that is none is damaged")
  case .failed(.header): break
  default: require(false, "no other outcome is possible")
  }
  if let key = HybridKEM.PublicKey(input) {
    require(key.bytes == input, "a public key is written as it was read")
    let random = SecretBytes(copying: [UInt8](repeating: 7, count: HybridKEM.randomByteCount))
    if let made = key.encapsulate(random) {
      require(made.encapsulation.count == HybridKEM.encapsulationByteCount, "it has its length")
    }
  }
}

/// Armor that was read is what is written, but for white space around it and the ends of its lines.
func fuzzArmor(_ input: [UInt8]) {
  guard let bytes = readAll(ArmorSource(BufferedSource(MemorySource(input)))) else { return }
  guard var sink = try? ArmorSink(MemorySink()),
    (try? bytes.withUnsafeBytes { try sink.write($0) }) != nil, (try? sink.finish()) != nil
  else { return require(false, "armor is written") }
  let text = sink.target.bytes
  let found = input.filter { !Armor.isSpace($0) }
  require(found == text.filter { !Armor.isSpace($0) }, "armor is written as it was read")
  let again = ArmorSource(BufferedSource(MemorySource(text), capacity: 7))
  require(readAll(again) == bytes, "written armor is read again")
}

/// All bytes of a source, or `nil` where it fails.
private func readAll(_ source: ArmorSource) -> [UInt8]? {
  var source = source
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 100)
  while true {
    guard let count = try? buffer.withUnsafeMutableBytes({ try source.read(into: $0) }) else {
      return nil
    }
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// A text that is Bech32 is the one text of its part and bytes.
func fuzzBech32(_ input: [UInt8]) {
  let text = String(decoding: input, as: UTF8.self)
  if let (part, bytes) = Bech32.decode(text) {
    // A part without letters takes its case from the digits behind it.
    let hasLetters = part.utf8.contains { (65...90).contains($0) || (97...122).contains($0) }
    let written = Bech32.encode(hrp: part, bytes)
    require(!hasLetters || written == text, "Bech32 is written as it was read")
  }
  if let recipient = try? AgeRecipient(text) {
    require(recipient.description == text, "a recipient is written as it was read")
  }
  if let identity = try? AgeIdentity(text), !text.hasPrefix("AGE-PLUGIN-") {
    require(identity.secretText == text, "an identity is written as it was read")
  }
}

/// A file of keys holds as many keys as lines that are not empty and no comments.
func fuzzIdentityFile(_ input: [UInt8]) {
  let lines = input.split(separator: UInt8(ascii: "\n")).filter {
    $0.first != UInt8(ascii: "#") && $0 != [UInt8(ascii: "\r")]
  }
  if let file = try? IdentityFile(input) {
    require(file.identities.count == lines.count, "every line is an identity")
  }
  if let file = try? RecipientsFile(input) {
    require(file.recipients.count == lines.count, "every line is a recipient")
  }
}

/// The key file of a lock that was read says the same when it is written and read again, and the form of the lock in
/// the same words.
func fuzzKeyFile(_ input: [UInt8]) {
  guard let file = try? KeyFile(input) else { return }
  let forms = input.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "# lock ".utf8) }
  require(
    forms == (file.terms.form.map { [Array("# lock \($0.text)".utf8)[...]] } ?? []),
    "a form is written as it was read")
  guard let again = try? KeyFile(file.text) else {
    return require(false, "a written key file is read again")
  }
  require(
    again.terms == file.terms && again.identity.recipient == file.identity.recipient,
    "a written key file says the same")
}
