import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Timelocked age files: the stanza, its recipient and its identity.
@Suite struct TlockFileTests {
  @Test func `a file sealed to a past round opens with its beacon, and with nothing less`() throws {
    let sealed = try seal(to: [TlockRecipient(chain: .quicknet, round: 1000)])
    let beacon = try TlockVectors.beacon("quicknet", round: 1000)
    let other = try TlockVectors.beacon("quicknet", round: 1001)
    try expect(open(sealed, TlockIdentity(chains: [], beacons: [other, beacon])), is: "opened")
    let needed = TlockError.beaconNeeded(chain: .quicknet, round: 1000)
    let needs = "\(needed)"
    try expect(open(sealed, TlockIdentity(chains: [.quicknet], beacons: [])), is: needs)
    try expect(open(sealed, TlockIdentity(chains: [], beacons: [other])), is: needs)
  }

  @Test func `a chain that is not known is named`() throws {
    let oracle = try TlockVectors.chain("oracle")
    let sealed = try seal(to: [TlockRecipient(chain: oracle, round: 3)])
    let unknown = "\(TlockError.unknownChain(hash: Hex.encode(oracle.hash)))"
    try expect(open(sealed, TlockIdentity(chains: [.quicknet], beacons: [])), is: unknown)
    let beacon = try TlockVectors.beacon("oracle", round: 3)
    try expect(open(sealed, TlockIdentity(chains: [], beacons: [beacon])), is: "opened")
  }

  @Test func `an escrow recipient beside the timelock opens alone`() throws {
    let escrow = try AgeIdentity(isPostQuantum: false, random: .system)
    let sealed = try seal(to: [
      TlockRecipient(chain: .quicknet, round: .max), escrow.recipient,
    ])
    try expect(open(sealed, escrow), is: "opened")
    try expect(
      open(sealed, TlockIdentity(chains: [.quicknet], beacons: [])),
      is: "\(TlockError.beaconNeeded(chain: .quicknet, round: .max))")
  }

  @Test func `one beacon of two timelocks is enough, whichever stands first`() throws {
    let oracle = try TlockVectors.chain("oracle")
    let recipients = [
      TlockRecipient(chain: .quicknet, round: 99_999_999_999),
      TlockRecipient(chain: oracle, round: 2),
    ]
    let identity = TlockIdentity(
      chains: [.quicknet], beacons: [try TlockVectors.beacon("oracle", round: 2)])
    try expect(open(seal(to: recipients), identity), is: "opened")
    try expect(open(seal(to: recipients.reversed()), identity), is: "opened")
  }

  @Test func `the stanza has the form that other programs write`() throws {
    let fileKey = try FileKey(random: .system)
    let recipient = TlockRecipient(chain: .quicknet, round: 1000)
    let stanza = try require(try recipient.wrap(fileKey, random: .system).first)
    expect(
      stanza.arguments,
      is: [
        "tlock", "1000", "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
      ])
    expect(stanza.body.count, is: 128)
    expect(!recipient.standsAlone)
    try expect(TlockStanza(stanza)?.stanza, is: stanza)
  }

  @Test func `a recipient until a time takes the first round at it or later`() {
    let time = Instant(seconds: 1_893_456_000)
    expect(TlockRecipient(chain: .quicknet, until: time).round, is: 66_884_212)
  }

  static let hash = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"

  @Test(arguments: [
    ["tlock"], ["tlock", "1000"], ["tlock", "1000", hash, "x"], ["tlock", "0", hash],
    ["tlock", "01000", hash], ["tlock", "+1000", hash], ["tlock", "-1", hash],
    ["tlock", "18446744073709551616", hash], ["tlock", "1e3", hash], ["tlock", hash, "1000"],
  ])
  func `a stanza of another form is damaged`(arguments: [String]) throws {
    let stanza = Stanza(arguments: arguments, body: [UInt8](repeating: 0, count: 128))
    expect(throws: AgeFailure.self) { try TlockStanza(stanza) }
    expect(unwrap(stanza), is: "\(HeaderFault.stanza(kind: "tlock"))")
  }

  @Test(arguments: [0, 127, 129])
  func `a body of another length is damaged`(count: Int) {
    let stanza = Stanza(
      arguments: ["tlock", "1000", Self.hash], body: [UInt8](repeating: 0, count: count))
    expect(unwrap(stanza), is: "\(HeaderFault.fileKeyLength(kind: "tlock"))")
  }

  @Test func `a body that the beacon does not open is damaged`() throws {
    let one = try require(try TlockVectors.ciphertexts().first { $0.chain == .quicknet })
    for position in [0, 50, 96, 112, 127] {
      var body = one.bytes
      body[position] ^= 1
      let stanza = Stanza(arguments: ["tlock", "1000", Self.hash], body: body)
      let identity = TlockIdentity(
        chains: [], beacons: [try TlockVectors.beacon("quicknet", round: 1000)])
      expect(unwrap(stanza, identity), is: "\(HeaderFault.timelock)")
    }
  }

  @Test func `a stanza whose round was changed is damaged by the other round's beacon`() throws {
    let one = try require(try TlockVectors.ciphertexts().first { $0.chain == .quicknet })
    let stanza = Stanza(arguments: ["tlock", "1001", Self.hash], body: one.bytes)
    let identity = TlockIdentity(
      chains: [], beacons: [try TlockVectors.beacon("quicknet", round: 1001)])
    expect(unwrap(stanza, identity), is: "\(HeaderFault.timelock)")
  }

  @Test func `stanzas of other kinds are passed over`() {
    let stanza = Stanza(arguments: ["X25519", "abc"], body: [])
    expect(unwrap(stanza), is: "noMatch")
  }

  private func seal(to recipients: [any Recipient]) throws -> [UInt8] {
    try AgeWriter(to: recipients, random: .system).seal(Array("opened".utf8), armor: true)
  }

  /// The plaintext, or why there is none.
  private func open(_ sealed: [UInt8], _ identity: any Identity) throws -> String {
    do {
      return String(decoding: try openAge(sealed, with: [identity]), as: UTF8.self)
    } catch let error as AgeFailure {
      guard case .unproven(let why) = error else { return "\(error)" }
      return "\(why)"
    }
  }

  private func unwrap(
    _ stanza: Stanza, _ identity: TlockIdentity = TlockIdentity(chains: [.quicknet], beacons: [])
  ) -> String {
    switch identity.unwrap([stanza]) {
    case .failed(.header(let fault)): "\(fault)"
    case .unproven(let why): "\(why)"
    case let other: "\(other)"
    }
  }
}
