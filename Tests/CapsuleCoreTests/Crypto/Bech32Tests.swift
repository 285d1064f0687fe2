import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct Bech32Tests {
  @Test(arguments: [
    // BIP 173
    "A12UEL5L", "a12uel5l", "?1ezyfcl",
    "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
    "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
    // The example of age's specification.
    "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX",
    "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
  ])
  func `valid strings are read, and written back as they were`(text: String) throws {
    let decoded = try require(Bech32.decode(text))
    expect(Bech32.encode(hrp: decoded.hrp, decoded.bytes), is: text)
  }

  @Test(arguments: [
    // BIP 173: a character of the part out of range, twice; no separator; an empty part; a wrong
    // character; a short checksum; a wrong character in it; a checksum of the upper-case part;
    // an empty part, twice.
    " 1nwldj5", "\u{7f}1axkwrx", "\u{80}1eym55h", "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v",
    "li1dgmt3", "de1lg7wt\u{ff}", "A1G7SGD8", "10a06t8", "1qzzfhee",
    // Mixed case, of the part, of the data and between them.
    "A12uEL5L", "a12UEL5L", "A12uel5l", "aGE12uel5l",
    // White space, and nothing.
    "a12uel5l ", " a12uel5l", "a12uel5l\n", "", "1", "a1",
    // BIP 173: a part of 84 characters.
    "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx",
    // Checksums of Bech32m.
    "A1LQFN3A", "a1lqfn3a",
  ])
  func `invalid strings are refused`(text: String) {
    expect(Bech32.decode(text) == nil)
  }

  @Test func `strings are those of the reference implementation, in either case`() throws {
    for fields in try VectorFile("crypto-bech32.txt").cases {
      let bytes = try VectorFile.bytes(fields[1])
      expect(Bech32.encode(hrp: fields[0], bytes), is: fields[2])
      let decoded = try require(Bech32.decode(fields[2]))
      expect(decoded.hrp, is: fields[0])
      expect(decoded.bytes, is: bytes)
      guard fields[0].contains(where: \.isLetter) else { continue }
      expect(Bech32.encode(hrp: fields[0].uppercased(), bytes), is: fields[2].uppercased())
      let upper = try require(Bech32.decode(fields[2].uppercased()))
      expect(upper.hrp, is: fields[0].uppercased())
      expect(upper.bytes, is: bytes)
    }
  }

  @Test func `one changed character is always noticed`() {
    let text = Array(Bech32.encode(hrp: "age", VectorFile.stream(1, 32)).utf8)
    for place in text.indices {
      for letter in "qpzry9x8gf2tvdw0s3jn54khce6mua7lbio1A!".utf8 where letter != text[place] {
        var changed = text
        changed[place] = letter
        expect(Bech32.decode(String(decoding: changed, as: UTF8.self)) == nil)
      }
    }
  }

  @Test(arguments: [
    // Made with the reference implementation, of the part `a`: groups [0, 1], [0, 0, 0] and [0];
    // then an age recipient's 32 bytes with a group too few, and with bits left over.
    "a1qpamnt9j", "a1qqqd87cpp", "a1q3g6mn3",
    "age1ppppppppppppppppppppppppppppppppppppppppppppppppphzp33m",
    "age1rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrugkhft",
  ])
  func `padding that is too long or not zero is refused under a right checksum`(text: String) {
    expect(Bech32.decode(text) == nil)
  }

  @Test func `one byte of zeros is two groups`() throws {
    try expect(require(Bech32.decode("a1qqqd87cq")).bytes, is: [0])
  }
}
