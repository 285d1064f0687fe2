import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct CapsuleLockTests {
  private let id = RecordID(high: 0x1111_2222_3333_4444, low: 0x8555_6666_7777_8888)
  private let unlock = Instant(seconds: 2_000_000_000)
  private let form = LockForm(.blank)

  private func pass(_ unlock: Instant) throws -> GatePass {
    let decision = UnlockGate.decide(unlock: unlock, now: unlock, provenTime: nil)
    guard case .unlocked(let pass, _) = decision else { throw Shut() }
    return pass
  }

  private struct Shut: Error {}

  private func passphrase(_ text: String) throws -> Passphrase {
    try require(Passphrase(SecretBytes(copying: Array(text.utf8))))
  }

  private func lock(_ layers: [[any Recipient]]) throws -> CapsuleLock {
    try CapsuleLock(
      sealing: .init(id: id, unlock: unlock, form: form), layers: layers,
      isPostQuantum: false, random: .system)
  }

  private func seal(
    _ bytes: [UInt8], to lock: CapsuleLock, armor: Bool
  ) throws -> [UInt8] {
    try AgeWriter(to: [lock.recipient], random: .system).seal(bytes, armor: armor)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `the sealed key is an age identity file that says what it is for`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let lock = try lock([[owner.recipient]])
    var sink = MemorySink()
    var reader = try AgeReader(MemorySource(Array(lock.key.utf8)), encoding: .armor)
    _ = try reader.open(with: reader.unlock(with: [owner]), to: &sink)
    let lines = String(decoding: sink.bytes, as: UTF8.self).split(separator: "\n")
    expect(lines.count, is: 4)
    expect(lines[0], is: "# capsule \(id)")
    expect(lines[1], is: "# unlock 2033-05-18T03:33:20Z")
    expect(lines[2], is: "# lock honor")
    try expect(AgeIdentity(String(lines[3])).recipient, is: lock.recipient)
    expect(lock.key.hasSuffix("-----END AGE ENCRYPTED FILE-----\n"))
  }

  @Test func `contents go in without opening the lock, and come out with its key`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let lock = try lock([[owner.recipient]])
    let sealed = try seal(Array("{\"name\":\"a\"}".utf8), to: lock, armor: true)
    let blob = try seal(testPattern(70_000), to: lock, armor: false)
    let pass = try pass(unlock)
    let key = try lock.open(id: id, form: form, with: [owner], pass: pass)
    try expect(key.openContent(text(sealed), pass: pass), is: Array("{\"name\":\"a\"}".utf8))
    var out = MemorySink()
    try expect(key.openBlob(from: MemorySource(blob), to: &out, pass: pass), is: 70_000)
    expect(out.bytes, is: testPattern(70_000))
  }

  @Test func `the key of one capsule opens no content of another`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let sealed = try seal([1], to: lock([[owner.recipient]]), armor: true)
    let pass = try pass(unlock)
    let key = try lock([[owner.recipient]]).open(id: id, form: form, with: [owner], pass: pass)
    expect(
      failure { _ = try key.openContent(text(sealed), pass: pass) }, is: "header otherRecipient")
  }

  @Test func `a record with another id, unlock time or recipient is damaged`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let lock = try lock([[owner.recipient]])
    let other = RecordID(high: 1, low: 2)
    let pass = try pass(unlock)
    expect(
      fault { try lock.open(id: other, form: form, with: [owner], pass: pass) },
      is: .otherCapsule(id))
    let earlier = try self.pass(Instant(seconds: unlock.seconds - 1))
    expect(
      fault { try lock.open(id: id, form: form, with: [owner], pass: earlier) },
      is: .unlockEarlier(sealed: unlock))
    let swapped = CapsuleLock(key: lock.key, recipient: owner.recipient)
    expect(
      fault { try swapped.open(id: id, form: form, with: [owner], pass: pass) }, is: .otherRecipient
    )
  }

  @Test func `a record that says another kind of lock or chain than the sealed one is damaged`()
    throws
  {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let (one, other) = (try OwnChain(), try OwnChain(secret: 4712))
    func timelock(_ own: OwnChain, _ inner: LockKind?) -> LockForm {
      LockForm(
        LockRequest(
          kind: .timelock, layers: [],
          timelock: Timelock(chain: own.chain, round: 1, inner: inner, escrow: [])))
    }
    let forms = [
      form, LockForm(LockRequest(kind: .passphrase, layers: [])),
      LockForm(LockRequest(kind: .recipients, layers: [])), timelock(one, nil),
      timelock(other, nil), timelock(one, .passphrase), timelock(one, .recipients),
    ]
    let pass = try pass(unlock)
    for sealed in forms {
      let lock = try CapsuleLock(
        sealing: .init(id: id, unlock: unlock, form: sealed), layers: [[owner.recipient]],
        isPostQuantum: false, random: .system)
      for claimed in forms where claimed != sealed {
        expect(
          fault { try lock.open(id: id, form: claimed, with: [owner], pass: pass) },
          is: .otherForm(sealed: sealed.text))
      }
    }
  }

  @Test func `a lock without a sealed form opens as any, as before there was one`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let lock = try CapsuleLock(
      sealing: .init(id: id, unlock: unlock), layers: [[owner.recipient]], isPostQuantum: false,
      random: .system)
    _ = try lock.open(id: id, form: form, with: [owner], pass: pass(unlock))
  }

  @Test func `a record whose unlock time was moved later still opens`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let lock = try lock([[owner.recipient]])
    let later = try pass(Instant(seconds: unlock.seconds + 1))
    _ = try lock.open(id: id, form: form, with: [owner], pass: later)
    try expect(lock.terms(with: [owner]), is: .init(id: id, unlock: unlock, form: form))
  }

  @Test func `two layers demand both, and each can be asked for in turn`() throws {
    let outer = try AgeIdentity(isPostQuantum: false, random: .system)
    let secret = try passphrase("inner")
    let lock = try lock([[outer.recipient], [ScryptRecipient(secret, workFactor: 1)]])
    let pass = try pass(unlock)
    _ = try lock.open(id: id, form: form, with: [outer, ScryptIdentity(secret)], pass: pass)
    expect(isNoMatch { _ = try lock.open(id: id, form: form, with: [outer], pass: pass) })
    expect(
      isNoMatch {
        _ = try lock.open(id: id, form: form, with: [ScryptIdentity(secret)], pass: pass)
      })

    let first = try lock.outerLayer()
    expect(!first.needsPassphrase)
    guard case .layer(let second) = try first.open(with: [outer]) else { throw Shut() }
    expect(second.needsPassphrase)
    let wrong = ScryptIdentity(try passphrase("wrong"))
    expect(isNoMatch { _ = try second.open(with: [wrong]) })
    guard case .key(let sealed) = try second.open(with: [ScryptIdentity(secret)]) else {
      throw Shut()
    }
    expect(sealed.terms, is: .init(id: id, unlock: unlock, form: form))
    _ = try sealed.use(id: id, form: form, recipient: lock.recipient, pass: pass)
  }

  @Test(arguments: [Int64.min, -62_135_596_801, 253_402_300_800, .max])
  func `an unlock time that has no text is sealed as the nearest that has one`(
    seconds: Int64
  ) throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let unlock = Instant(seconds: seconds)
    let lock = try CapsuleLock(
      sealing: .init(id: id, unlock: unlock), layers: [[owner.recipient]],
      isPostQuantum: false, random: .system)
    try expect(lock.terms(with: [owner]).unlock, is: Instant(rfc3339: unlock.rfc3339))
  }

  @Test func `keys and parameters out of range are refused or taken as the nearest`() throws {
    expect(AgeRecipient(.x25519, publicKey: []) == nil)
    expect(AgeIdentity(seed: SecretBytes(copying: [1, 2]), isPostQuantum: false) == nil)
    expect(TlockRecipient(chain: .quicknet, round: 0).round, is: 1)
    let recipient = ScryptRecipient(try passphrase("a"), workFactor: .min)
    let writer = try AgeWriter(to: [recipient], random: .system)
    expect(writer.header.stanzas[0].arguments[2], is: "1")
  }

  @Test func `a lock with more layers than locks have is damaged`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    var text = Array(try lock([[owner.recipient]]).key.utf8)
    for _ in 0..<2 {
      text = try AgeWriter(to: [owner.recipient], random: .system).seal(text, armor: true)
    }
    let deep = CapsuleLock(key: String(decoding: text, as: UTF8.self), recipient: owner.recipient)
    expect(fault { _ = try deep.terms(with: [owner]) }, is: .layers)
  }

  static let notKeyFiles: [[String]] = [
    [], ["# capsule {id}", "{key}"], ["# unlock {unlock}", "{key}"],
    ["# capsule {id}", "# unlock {unlock}"],
    ["# capsule {id}", "# unlock {unlock}", "{key}", "{key}"],
    ["# capsule {id}", "# capsule {id}", "# unlock {unlock}", "{key}"],
    ["# capsule {id}", "# unlock {unlock}", "# unlock {unlock}", "{key}"],
    ["# capsule {id}", "# unlock tomorrow", "{key}"],
    ["# capsule 1234", "# unlock {unlock}", "{key}"],
    ["# capsule {id} ", "# unlock {unlock}", "{key}"],
    ["# capsule {id}", "# capsule \u{301}", "# unlock {unlock}", "{key}"],
    ["#capsule {id}", "#unlock {unlock}", "{key}"],
    ["# capsule {id}", "# unlock {unlock}", "not a key"],
    ["# capsule {id}", "# unlock {unlock}", "# lock honor", "# lock honor", "{key}"],
    ["# capsule {id}", "# unlock {unlock}", "# lock honour", "{key}"],
    ["# capsule {id}", "# unlock {unlock}", "# lock ", "{key}"],
    ["# capsule {id}", "# unlock {unlock}", "# lock timelock", "{key}"],
  ]

  @Test(arguments: notKeyFiles)
  func `a sealed text that is no key file of one capsule is damaged`(lines: [String]) throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let text = lines.map { line in
      line.replacing("{id}", with: "\(id)").replacing("{unlock}", with: unlock.rfc3339)
        .replacing("{key}", with: owner.secretText) + "\n"
    }
    let sealed = try AgeWriter(to: [owner.recipient], random: .system)
      .seal(Array(text.joined().utf8), armor: true)
    let lock = CapsuleLock(
      key: String(decoding: sealed, as: UTF8.self), recipient: owner.recipient)
    expect(fault { _ = try lock.terms(with: [owner]) }, is: .notKeyFile)
  }

  @Test func `a key file may hold other comments`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let text = "# new\n# capsule \(id)\n# unlock \(unlock.rfc3339)\n\n\(owner.secretText)\n"
    let sealed = try AgeWriter(to: [owner.recipient], random: .system)
      .seal(Array(text.utf8), armor: true)
    let lock = CapsuleLock(
      key: String(decoding: sealed, as: UTF8.self), recipient: owner.recipient)
    _ = try lock.open(id: id, form: form, with: [owner], pass: pass(unlock))
  }

  @Test func `a key file of a megabyte is damaged, not memory`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let sealed = try AgeWriter(to: [owner.recipient], random: .system)
      .seal([UInt8](repeating: 0x23, count: 1 << 17), armor: true)
    let lock = CapsuleLock(
      key: String(decoding: sealed, as: UTF8.self), recipient: owner.recipient)
    expect(fault { _ = try lock.terms(with: [owner]) }, is: .notKeyFile)
  }

  @Test func `a damaged lock says what is damaged`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let good = try lock([[owner.recipient]])
    let cut = CapsuleLock(key: String(good.key.dropLast(20)), recipient: good.recipient)
    guard case .file(.armor) = failureOfLock({ _ = try cut.terms(with: [owner]) }) else {
      Issue.record("a cut lock was not an armor failure")
      return
    }
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    expect(isNoMatch { _ = try good.terms(with: [stranger]) })
  }

  @Test func `a lock needs one or two layers, each with recipients`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    expect(failure { _ = try lock([]) }, is: "recipients none")
    expect(failure { _ = try lock([[]]) }, is: "recipients none")
    expect(failure { _ = try lock([[owner], []]) }, is: "recipients none")
    expect(failure { _ = try lock([[owner], [owner], [owner]]) }, is: "recipients none")
  }

  private func failureOfLock(_ body: () throws -> Void) -> LockFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? LockFailure
    }
  }

  private func fault(_ body: () throws -> Any) -> LockFault? {
    guard case .damaged(let fault) = failureOfLock({ _ = try body() }) else { return nil }
    return fault
  }

  private func isNoMatch(_ body: () throws -> Void) -> Bool {
    guard case .file(.noMatch) = failureOfLock(body) else { return false }
    return true
  }
}
