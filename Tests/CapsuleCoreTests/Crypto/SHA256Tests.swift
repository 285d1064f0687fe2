import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the examples of FIPS 180-4 have their digests`(message: String, digest: String) {
    expect(Hex.encode(SHA256.hash(Array(message.utf8))), is: digest)
  }

  @Test func `a million letters a have their digest`() {
    // The debug build takes a tenth of them.
    let (count, digest) =
      TestScale.isFull
      ? (1000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
      : (100, "6d1cf22d7cc09b085dfc25ee1a1f3ae0265804c607bc2074ad253bcc82fd81ee")
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    var hash = SHA256()
    for _ in 0..<count { hash.update(letters) }
    expect(Hex.encode(hash.finalize()), is: digest)
  }

  @Test func `messages of every length around the blocks have another program's digests`() throws {
    for fields in try VectorFile("crypto-sha256.txt").cases {
      let count = try VectorFile.number(fields[0])
      expect(Hex.encode(SHA256.hash(VectorFile.stream(count, count))), is: fields[1], "\(count)")
    }
  }

  @Test func `a message in pieces has the digest of the whole`() {
    var generator = SeededGenerator(seed: 256)
    for _ in 0..<TestScale.count(full: 2000, debug: 200) {
      let message = VectorFile.stream(5, Int.random(in: 0...700, using: &generator))
      var hash = SHA256()
      var rest = message[...]
      while !rest.isEmpty {
        let count = Int.random(in: 0...min(rest.count, 150), using: &generator)
        hash.update(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      expect(hash.finalize(), is: SHA256.hash(message))
    }
  }

  @Test func `a finished hash starts anew, and a copy goes on by itself`() {
    var hash = SHA256()
    hash.update(Array("ab".utf8))
    var copy = hash
    copy.update(Array("c".utf8))
    expect(hash.finalize(), is: SHA256.hash(Array("ab".utf8)))
    expect(copy.finalize(), is: SHA256.hash(Array("abc".utf8)))
    expect(hash.finalize(), is: SHA256.hash([]))
  }
}
