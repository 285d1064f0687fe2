import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct ChaCha20Poly1305Tests {
  @Test func `the example of RFC 8439 is sealed and opened`() throws {
    // §2.8.2
    let message =
      Array(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
          .utf8) + Array("sunscreen would be it.".utf8)
    let cipher = ChaCha20Poly1305(key: (0x80...0x9f).map { UInt8($0) })
    let nonce = try require(Hex.decode("070000004041424344454647"))
    let associated = try require(Hex.decode("50515253c0c1c2c3c4c5c6c7"))
    let sealed = cipher.seal(message, nonce: nonce, associatedData: associated)
    expect(
      Hex.encode(sealed),
      is: "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69"
        + "da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad67594"
        + "5585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691")
    expect(cipher.open(sealed, nonce: nonce, associatedData: associated), is: message)
  }

  @Test func `the decryption of RFC 8439 A.5 gives its text`() throws {
    let key = try require(
      Hex.decode("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"))
    let hex = """
      64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e \
      382d26b0bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd \
      60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c76 \
      7b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a \
      0d072b04b3564eea1b422273f548271a0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a67276 \
      27097a1049e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b0270 \
      9beead9d67890cbb22392336fea1851f38
      """
    let sealed = try require(Hex.decode(hex.filter { $0 != " " }))
    let opened = ChaCha20Poly1305(key: key).open(
      sealed, nonce: try require(Hex.decode("000000000102030405060708")),
      associatedData: try require(Hex.decode("f33388860000000000004e91")))
    let draft = String(decoding: try require(opened), as: UTF8.self)
    expect(
      draft.hasPrefix("Internet-Drafts are draft documents valid for a maximum of six months"))
    expect(draft.hasSuffix("/\u{201c}work in progress./\u{201d}"))
  }

  @Test func `messages of every length around the blocks are sealed as another program does`()
    throws
  {
    for fields in try VectorFile("crypto-chacha20-poly1305.txt").cases {
      let count = try VectorFile.number(fields[0])
      let associated = VectorFile.stream(30_000 + count, try VectorFile.number(fields[1]))
      let cipher = ChaCha20Poly1305(key: VectorFile.stream(10_000 + count, 32))
      let nonce = VectorFile.stream(20_000 + count, 12)
      let message = VectorFile.stream(count, count)
      let sealed = cipher.seal(message, nonce: nonce, associatedData: associated)
      expect(Hex.encode(SHA256.hash(Array(sealed.dropLast(16)))), is: fields[2], "\(count)")
      expect(Hex.encode(Array(sealed.suffix(16))), is: fields[3], "\(count)")
      expect(
        cipher.open(sealed, nonce: nonce, associatedData: associated), is: message, "\(count)")
    }
  }

  @Test(arguments: [0, 1, 255, 256, 257, 600])
  func `a buffer is sealed and opened in place as from one to another`(count: Int) {
    let cipher = ChaCha20Poly1305(key: VectorFile.stream(1, 32))
    let nonce = VectorFile.stream(2, 12)
    let message = VectorFile.stream(3, count)
    let sealed = cipher.seal(message, nonce: nonce, associatedData: [7])
    var buffer = message
    var tag = [UInt8](repeating: 0, count: 16)
    buffer.withUnsafeMutableBytes { buffer in
      tag.withUnsafeMutableBytes { tag in
        cipher.seal(buffer, nonce: nonce, associatedData: [7], tag: tag)
      }
    }
    expect(buffer + tag, is: sealed)
    let valid = buffer.withUnsafeMutableBytes { buffer in
      tag.withUnsafeBytes { tag in
        cipher.open(buffer, nonce: nonce, associatedData: [7], tag: tag)
      }
    }
    expect(valid)
    expect(buffer, is: message)
  }

  @Test(arguments: [0, 1, 40, 300])
  func `a bit changed anywhere is refused`(count: Int) {
    let cipher = ChaCha20Poly1305(key: VectorFile.stream(4, 32))
    let nonce = VectorFile.stream(5, 12)
    let associated = VectorFile.stream(6, 20)
    let sealed = cipher.seal(
      VectorFile.stream(7, count), nonce: nonce, associatedData: associated)
    let step = TestScale.count(full: 1, debug: count < 100 ? 1 : 7)
    for bit in stride(from: 0, to: sealed.count * 8, by: step) {
      expect(
        cipher.open(flipped(sealed, bit), nonce: nonce, associatedData: associated) == nil)
    }
    for bit in 0..<(associated.count * 8) {
      expect(
        cipher.open(sealed, nonce: nonce, associatedData: flipped(associated, bit)) == nil)
    }
    for bit in 0..<96 {
      expect(
        cipher.open(sealed, nonce: flipped(nonce, bit), associatedData: associated) == nil)
    }
    for size in 0..<sealed.count {
      expect(
        cipher.open(Array(sealed.prefix(size)), nonce: nonce, associatedData: associated) == nil)
    }
  }

  private func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    return bytes
  }

  @Test(arguments: [5, 256, 700])
  func `a refused message leaves zeros and nothing of its text`(count: Int) {
    let cipher = ChaCha20Poly1305(key: VectorFile.stream(8, 32))
    let nonce = VectorFile.stream(9, 12)
    var sealed = cipher.seal(VectorFile.stream(10, count), nonce: nonce)
    sealed[sealed.count - 1] ^= 0x80
    var output = [UInt8](repeating: 0xAA, count: count)
    let valid = sealed.withUnsafeBytes { sealed in
      output.withUnsafeMutableBytes { output in
        cipher.open(
          UnsafeRawBufferPointer(rebasing: sealed[..<count]), into: output, nonce: nonce,
          tag: UnsafeRawBufferPointer(rebasing: sealed[count...]))
      }
    }
    expect(!valid)
    expect(output, is: [UInt8](repeating: 0, count: count))
  }

  @Test func `a short tag is refused`() {
    let cipher = ChaCha20Poly1305(key: VectorFile.stream(8, 32))
    let nonce = VectorFile.stream(9, 12)
    let tag = cipher.seal([], nonce: nonce)
    var empty: [UInt8] = []
    for count in 0..<16 {
      let valid = empty.withUnsafeMutableBytes { empty in
        tag.withUnsafeBytes { tag in
          cipher.open(empty, nonce: nonce, tag: UnsafeRawBufferPointer(rebasing: tag[..<count]))
        }
      }
      expect(!valid)
    }
  }

  @Test func `a key or a nonce of another size is not taken`() async {
    await #expect(processExitsWith: .failure) {
      _ = ChaCha20Poly1305(key: [UInt8](repeating: 0, count: 31))
    }
    await #expect(processExitsWith: .failure) {
      let cipher = ChaCha20Poly1305(key: [UInt8](repeating: 0, count: 32))
      _ = cipher.seal([], nonce: [UInt8](repeating: 0, count: 8))
    }
  }

  @Test func `tasks seal different buffers with one cipher at once`() async {
    let cipher = ChaCha20Poly1305(key: VectorFile.stream(11, 32))
    let nonces = (0..<8).map { VectorFile.stream($0, 12) }
    let message = VectorFile.stream(12, 2000)
    let alone = nonces.map { cipher.seal(message, nonce: $0) }
    let together = await withTaskGroup(of: (Int, [UInt8]).self) { group in
      for (place, nonce) in nonces.enumerated() {
        group.addTask { (place, cipher.seal(message, nonce: nonce)) }
      }
      var results = [[UInt8]](repeating: [], count: nonces.count)
      for await (place, sealed) in group { results[place] = sealed }
      return results
    }
    expect(together, is: alone)
  }
}
