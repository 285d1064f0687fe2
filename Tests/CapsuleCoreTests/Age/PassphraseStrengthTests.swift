import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// How hard passphrases are to guess, and those that are generated.
@Suite struct PassphraseStrengthTests {
  private func strength(_ bytes: [UInt8]) throws -> PassphraseStrength {
    PassphraseStrength(try require(Passphrase(SecretBytes(copying: bytes))))
  }

  private func bits(_ text: String) throws -> Int { try strength(Array(text.utf8)).bits }

  @Test(arguments: [
    "a", "7", " ", "é", "password", "Password1!", "p4ssw0rd", "PASSWORT", "Tr0ub4dor&3",
    "123456789012",
    "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "Mia2018", "summer2024!", "15.06.2018", "Lieselotte", "correct horse battery",
    "correct-horse-battery-staple", "CorrectHorseBattery", "correcthorsebatterystaple",
    "wordwordwordwordwordword", "kT9$kT9$kT9$kT9$kT9$kT9$", "98765432109876543210",
  ])
  func `words, years, rows of keys and repetitions are weak`(text: String) throws {
    let strength = try strength(Array(text.utf8))
    expect(strength.isWeak, "\(strength.bits) bits")
  }

  @Test(arguments: [
    "living damage headset isolate birthday valid", "five tall giraffes walked over yonder hill",
    "xK9$mQ2!vR7p", "q7Fz2LmXw0TgB4cV", "9f86d081884c7d659a2feaa0c55ad015",
    "Der alte Hund schläft unter dem Apfelbaum",
    // Only the beginning of a very long passphrase is looked at.
    "xK9$mQ2!vR7p" + String(repeating: "a", count: 300),
  ])
  func `enough words, or enough random characters, are strong`(text: String) throws {
    let strength = try strength(Array(text.utf8))
    expect(!strength.isWeak, "\(strength.bits) bits")
  }

  @Test func `a word of the list counts ten bits, and any other word thirteen`() throws {
    try expect(bits("academic acid"), is: 20)
    try expect(bits("correct horse battery staple"), is: 52)
  }

  @Test func `a sign counts as a character before the first word, and three bits between words`()
    throws
  {
    try expect(bits("-academic acid"), is: 25)
    try expect(bits("academic-acid"), is: 23)
  }

  @Test func `no part is worth less for being followed by more`() throws {
    let text = "mia 2018 kT9$ horse"
    var last = 0
    for length in 1...text.utf8.count {
      // A word that is not whole yet may count as letters: never by more than a few bits.
      let now = try bits(String(text.prefix(length)))
      expect(now >= last - 8, "\(text.prefix(length))")
      last = now
    }
  }

  @Test func `one byte again and again stays weak at any length`() throws {
    for count in [1, 255, 256, 257, 1 << 16] {
      expect(try strength([UInt8](repeating: 0x61, count: count)).isWeak)
    }
  }

  @Test func `any bytes at all are taken`() throws {
    var generator = SeededGenerator(seed: 16)
    for _ in 0..<TestScale.count(full: 2000, debug: 100) {
      let length = Int.random(in: 1...300, using: &generator)
      let alphabet: ClosedRange<UInt8> = Bool.random(using: &generator) ? 0...255 : 0x20...0x7e
      let bytes = (0..<length).map { _ in UInt8.random(in: alphabet, using: &generator) }
      expect(try strength(bytes).bits >= 0)
    }
  }

  @Test func `few random passphrases of 16 letters and digits are called weak`() throws {
    var generator = SeededGenerator(seed: 3)
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    let count = TestScale.count(full: 1000, debug: 100)
    let weak = try (0..<count).filter { _ in
      let bytes = (0..<16).map { _ in alphabet[Int.random(in: 0..<62, using: &generator)] }
      return try strength(bytes).isWeak
    }
    expect(weak.count * 100 < count * 3)
  }

  // MARK: Generated

  private func generated(_ seed: UInt64) throws -> String {
    let passphrase = try Passphrase(generatedBy: SeededRandomSource(seed: seed).source)
    return String(decoding: passphrase.bytes.bytes, as: UTF8.self)
  }

  @Test func `a generated passphrase is ten words of the list, of 100 bits`() throws {
    for seed: UInt64 in 0..<200 {
      let text = try generated(seed)
      let words = text.split(separator: " ")
      expect(words.count, is: 10)
      expect(words.allSatisfy { WordList.index(of: $0.utf8) != nil }, "\(text)")
    }
    expect(try bits(generated(1)) >= 96)
  }

  @Test func `two are not the same`() throws {
    try expect(Set((0..<500).map { try generated($0) }).count, is: 500)
  }

  @Test func `every word is as likely as every other`() throws {
    // All 65,536 pairs of bytes in the place of the first word; in a debug build every 1,024 of them
    // in a row for two beginnings.
    let pairs = TestScale.isFull ? Array(0..<65_536) : Array(0..<1024) + Array(41_984..<43_008)
    var counts = [Int](repeating: 0, count: 1024)
    for pair in pairs {
      let source = RandomSource { buffer throws(Fault) in
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        buffer[0] = UInt8(pair >> 8)
        buffer[1] = UInt8(pair & 0xff)
      }
      let bytes = try Passphrase(generatedBy: source).bytes.bytes
      let word = try require(bytes.split(separator: UInt8(ascii: " ")).first)
      counts[try require(WordList.index(of: word))] += 1
    }
    expect(Set(counts), is: [pairs.count / 1024])
  }

  @Test func `without random bytes there is none`() {
    let broken = RandomSource { _ throws(Fault) in throw .random(5) }
    expect(throws: Fault.self) { try Passphrase(generatedBy: broken) }
  }
}
