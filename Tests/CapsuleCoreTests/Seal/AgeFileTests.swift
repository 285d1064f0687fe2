import CapsuleCore
import Testing

@Suite struct AgeFileTests {
  static let sizes = [
    0, 1, 47, 48, 49, 65_535, 65_536, 65_537, 131_072, 300_000, 2_097_151, 2_097_152, 2_097_153,
    4_194_304, 4_259_840, 5_000_001,
  ]

  @Test(arguments: sizes)
  func `a file of any size comes back, with one thread and with several`(size: Int) throws {
    let identity = try X25519Identity(random: .system)
    let plaintext = pattern(size)
    var source = MemorySource(plaintext)
    var sealed = MemorySink()
    let count = try AgeWriter(to: [identity.recipient], random: .system)
      .seal(from: &source, to: &sealed)
    #expect(count == UInt64(size))
    for threads in [1, 3] {
      var opened = MemorySink()
      var reader = try AgeReader(MemorySource(sealed.bytes))
      let key = try reader.unlock(with: [identity])
      #expect(try reader.open(with: key, to: &opened, threads: threads) == UInt64(size))
      #expect(opened.bytes == plaintext)
    }
  }

  @Test func `any of several recipients opens a file, and nobody else`() throws {
    let identities = try (0..<3).map { _ in try X25519Identity(random: .system) }
    let sealed = try AgeWriter(to: identities.map(\.recipient), random: .system)
      .seal(Array("hello".utf8), armor: true)
    for identity in identities {
      let reader = try AgeReader(MemorySource(sealed))
      _ = try reader.unlock(with: [identity])
    }
    let reader = try AgeReader(MemorySource(sealed))
    let stranger = try X25519Identity(random: .system)
    #expect(outcome { _ = try reader.unlock(with: [stranger]) } == "no match")
  }

  private func pattern(_ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  private func outcome(_ body: () throws -> Void) -> String {
    do { try body() } catch AgeFailure.noMatch { return "no match" } catch { return "\(error)" }
    return "success"
  }
}
