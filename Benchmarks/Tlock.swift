// Times what a timelock costs, for `Scripts/bench-tlock`.
import CapsuleAge

/// The fastest of many runs, in milliseconds.
func milliseconds(_ runs: Int, _ body: () throws -> Void) rethrows -> Double {
  var best = Duration.seconds(1 << 20)
  for _ in 0..<runs {
    best = min(best, try ContinuousClock().measure(body))
  }
  return best / .milliseconds(1)
}

/// Takes a result, so that the optimizer must compute it.
@inline(never) func keep<Value>(_ value: Value) {}

@main struct TlockBenchmark {
  static func main() throws {
    let chain = TlockChain.quicknet
    let signature =
      Hex.decode(
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
      ) ?? []
    let beacon = TlockBeacon(round: 1000, signature: signature)
    let sigma = try RandomSource.system.bytes(16)
    let key = try RandomSource.system.bytes(16)
    guard let point = G1.Affine(encoded: signature),
      let scalar = TlockIBE.scalar(sigma: sigma, message: key),
      let sealed = TlockIBE.seal(key, sigma: sigma, round: 1000, publicKey: chain.publicKey),
      try TlockIBE.open(sealed, signature: point) == key
    else { fatalError("it does not work, so its time says nothing") }
    let gt = GT.pairing(point, chain.publicKey)
    let encoded = Array(sealed.prefix(96))

    let rows: [(String, () throws -> Void)] = [
      ("pairing", { keep(GT.pairing(point, chain.publicKey)) }),
      ("hash to G1", { keep(TlockIBE.point(round: 1000)) }),
      ("multiplication in G2, secret scalar", { keep(G2.generator.multiplied(by: scalar)) }),
      ("power in GT, secret exponent", { keep(gt.power(scalar)) }),
      ("decoding a point of G1, all checks", { keep(G1.Affine(encoded: signature)) }),
      ("decoding a point of G2, all checks", { keep(G2.Affine(encoded: encoded)) }),
      ("verifying a beacon", { keep(try chain.verify(beacon, round: 1000)) }),
      (
        "sealing a file key",
        { keep(TlockIBE.seal(key, sigma: sigma, round: 1000, publicKey: chain.publicKey) ?? []) }
      ),
      ("opening a file key", { keep(try TlockIBE.open(sealed, signature: point)) }),
    ]
    for (name, body) in rows {
      print("\(name)\t\((try milliseconds(200, body) * 1000).rounded() / 1000)")
    }
  }
}
