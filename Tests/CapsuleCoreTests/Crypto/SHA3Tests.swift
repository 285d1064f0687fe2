import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct SHA3Tests {
  @Test func `nothing at all has the digests of the standard`() {
    expect(
      Hex.encode(SHA3.hash(.sha3x256, [], count: 32)),
      is: "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a")
    expect(
      Hex.encode(SHA3.hash(.sha3x512, [], count: 64)),
      is: "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
        + "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26")
    expect(
      Hex.encode(SHA3.hash(.shake128, [], count: 32)),
      is: "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26")
    expect(
      Hex.encode(SHA3.hash(.shake256, [], count: 32)),
      is: "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f")
  }

  @Test func `digests and outputs are those of another program`() throws {
    for fields in try VectorFile("crypto-sha3.txt").cases {
      let count = try VectorFile.number(fields[0])
      let message = VectorFile.stream(100_000 + count, count)
      expect(Hex.encode(SHA3.hash(.sha3x256, message, count: 32)), is: fields[1])
      expect(Hex.encode(SHA3.hash(.sha3x512, message, count: 64)), is: fields[2])
      for (function, place) in [(SHA3.Function.shake128, 3), (.shake256, 4)] {
        let output = SHA3.hash(function, message, count: 500)
        expect(Hex.encode(SHA3.hash(.sha3x256, output, count: 32)), is: fields[place])
      }
    }
  }

  @Test(arguments: [1, 7, 8, 135, 136, 137, 168, 400])
  func `a message in pieces has the output of the whole, also in pieces`(size: Int) {
    let message = VectorFile.stream(1, 1000)
    for function in [SHA3.Function.shake128, .shake256] {
      let whole = SHA3.hash(function, message, count: 900)
      var hash = SHA3(function)
      for start in stride(from: 0, to: message.count, by: size) {
        hash.update(Array(message[start..<min(start + size, message.count)]))
      }
      var output: [UInt8] = []
      while output.count < 900 { output += hash.squeeze(min(size, 900 - output.count)) }
      expect(output, is: whole)
    }
  }
}
