@testable import CapsuleCore

/// A point that is read is one of the group, and is written as the same bytes.
func fuzzPoint(_ input: [UInt8]) {
  if let point = G1.Affine(encoded: input) {
    require(point.encoded == input, "a point of G1 is written as it was read")
    require(isOnCurve(point) && G1(point).isInSubgroup, "a point of G1 is one of its group")
  }
  if let point = G2.Affine(encoded: input) {
    require(point.encoded == input, "a point of G2 is written as it was read")
    require(isOnCurve(point) && G2(point).isInSubgroup, "a point of G2 is one of its group")
  }
}

/// The body of the stanza that `corpus/tlock` holds, and the signature that opens it.
private let fileKey = Hex.decode("e34e7bf8d0837c1c8438da5cbf9fb4f7")
private let signature = Hex.decode(
  "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
)
private let sealed = Hex.decode(
  "856a6d1d60e42803cbb407eb735b0681c111ec8d46469de0a0b868eaf4e7d546bcf56a90907c97ae"
    + "f36f5fec833f2e2211ffaf200b25d6b03cb9de1a9cf178dd0828e2a13f7b3091451297c474ac12e7"
    + "2ae889404739472488a6e7e1a5be004c02ef2185c44f65f07706ebcac6a59dd7e67a35668221a6fd"
    + "291e5e14fc1983f4")

/// The first 128 bytes are a body: it opens to the file key that was sealed, or to nothing. What
/// follows are the two arguments: what is read from them is what they say.
func fuzzTlock(_ input: [UInt8]) {
  let body = Array(input.prefix(TlockIBE.byteCount))
  if let signature, let point = G1.Affine(encoded: signature) {
    let key = try? TlockIBE.open(body, signature: point)
    require(key == (body == sealed ? fileKey : nil), "a changed ciphertext opens to nothing")
  }
  let words = input.dropFirst(TlockIBE.byteCount).split(separator: UInt8(ascii: " "))
  let stanza = Stanza(
    arguments: ["tlock"] + words.map { String(decoding: $0, as: UTF8.self) }, body: body)
  if let read = try? TlockStanza(stanza) {
    require(read.stanza == stanza, "a stanza is written as it was read")
  }
}

/// A beacon is valid for round 1000 of quicknet only with that round's one signature.
func fuzzBeacon(_ input: [UInt8]) {
  guard let beacon = TlockBeacon(parsing: input) else { return }
  guard let verified = try? TlockChain.quicknet.verify(beacon, round: 1000) else { return }
  require(verified.signature == signature, "a forged beacon is not valid")
}

/// The timelock of a record makes the chain that it names, and its beacon is that chain's.
func fuzzTimelock(_ input: [UInt8]) {
  guard let fields = (try? JSON.parse(input))?.object, let timelock = try? Timelock(fields: fields),
    let chain = try? timelock.recordedChain()
  else { return }
  require(Hex.encode(chain.hash) == timelock.chain, "a record names the chain that it describes")
  require(chain.genesis.seconds == timelock.genesis, "a record's chain begins when it says")
  requireQuicknetWhole(chain)
  let again = Timelock(
    chain: chain, round: timelock.roundNumber, inner: timelock.inner, escrow: timelock.escrow)
  require((try? again.recordedChain()) == chain, "a chain that is written is read again")
  let form = LockForm(LockRequest(kind: .timelock, layers: [], timelock: timelock))
  require(LockForm(form.text) == form, "a form that is written is read again")
  if let beacon = try? timelock.keptBeacon(of: chain), chain == .quicknet, beacon.round == 1000 {
    require(beacon.signature == signature, "a forged beacon is not valid")
  }
}

/// Quicknet's key makes no other chain.
private func requireQuicknetWhole(_ chain: TlockChain) {
  guard chain.publicKey == TlockChain.quicknet.publicKey else { return }
  require(
    chain == .quicknet && chain.genesis == TlockChain.quicknet.genesis
      && chain.period == TlockChain.quicknet.period, "quicknet's key is quicknet's alone")
}

/// Chain info that is read makes the hash it states.
func fuzzChain(_ input: [UInt8]) {
  guard let chain = try? TlockChain(chainInfo: input) else { return }
  let text = String(decoding: input, as: UTF8.self).lowercased()
  require(text.contains(Hex.encode(chain.hash)), "a chain has the hash that it states")
  requireQuicknetWhole(chain)
  require(chain.period > 0 && chain.genesis.seconds >= 0, "a chain has a period and a beginning")
  let round = chain.round(at: Instant(seconds: 1 << 40))
  require((chain.time(ofRound: round)?.seconds ?? .max) >= 1 << 40, "a round is never early")
}

/// Whether a point satisfies its curve's equation.
private func isOnCurve<Field>(_ point: CurvePoint<Field>.Affine) -> Bool {
  point.y.squared() == point.x.squared() * point.x + Field.curveB
}
