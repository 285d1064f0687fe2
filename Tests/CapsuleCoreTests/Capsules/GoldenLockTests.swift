import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Locks that an earlier version made, in Vectors/capsule-lock: every later one must open them. They
/// are never made again; a new version of the format adds files.
@Suite struct GoldenLockTests {
  private func text(_ name: String) throws -> String {
    String(decoding: try vector("capsule-lock", name), as: UTF8.self)
  }

  @Test(arguments: ["one", "two"])
  func `a lock of an earlier version opens, with its contents`(name: String) throws {
    let unlock = Instant(seconds: 1_900_000_000)
    let decision = UnlockGate.decide(unlock: unlock, now: unlock, provenTime: nil)
    guard case .unlocked(let pass, _) = decision else {
      Issue.record("the gate stayed shut")
      return
    }
    let passphrase = try require(Passphrase(SecretBytes(copying: Array("golden".utf8))))
    let identities: [any Identity] =
      try IdentityFile(vector("capsule-lock", "identity.txt")).identities + [
        ScryptIdentity(passphrase)
      ]
    let recipient = try text("\(name).lock.recipient").filter { $0 != "\n" }
    let lock = CapsuleLock(
      key: try text("\(name).lock.key"), recipient: try AgeRecipient(recipient))
    let id = RecordID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8888)
    try expect(lock.terms(with: identities), is: .init(id: id, unlock: unlock))
    let key = try lock.open(id: id, form: LockForm(.blank), with: identities, pass: pass)
    let content = try key.openContent(text("\(name).content.age"), pass: pass)
    expect(String(decoding: content, as: UTF8.self), is: "{\"size\":100}")
    var blob = MemorySink()
    let source = MemorySource(try vector("capsule-lock", "\(name).blob.age"))
    try expect(key.openBlob(from: source, to: &blob, pass: pass), is: 100)
    expect(blob.bytes, is: testPattern(100))
  }
}
