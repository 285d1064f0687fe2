package import CapsuleAge
import TestSupport
import Testing

/// The chains, signatures and ciphertexts of `Vectors/bls/tlock.txt`.
package enum TlockVectors {
  /// A ciphertext and all that it was made from.
  package struct Ciphertext {
    package let chain: TlockChain
    package let round: UInt64
    /// How many numbers H3 tries until one is below r.
    package let tries: Int
    package let fileKey: [UInt8]
    package let sigma: [UInt8]
    package let bytes: [UInt8]
  }

  /// The chain info of a chain of the script's own, as drand writes it.
  package static func chainInfo(_ name: String) throws -> [UInt8] {
    let line = try BLSVectors.cases("chain", in: "tlock").first { $0[0] == name }
    return Array(try require(line)[1].utf8)
  }

  package static func chain(_ name: String) throws -> TlockChain {
    name == "quicknet" ? .quicknet : try TlockChain(chainInfo: chainInfo(name + "-v1"))
  }

  /// The signatures of a chain, by round.
  package static func signatures(_ chain: String) throws -> [UInt64: [UInt8]] {
    var signatures: [UInt64: [UInt8]] = [:]
    for words in try BLSVectors.cases("signature", in: "tlock") where words[0] == chain {
      let signature = try require(Hex.decode(words[2]))
      signatures[try require(UInt64(words[1]))] = signature
    }
    return signatures
  }

  /// A verified beacon of the chain.
  package static func beacon(_ chain: String, round: UInt64) throws -> VerifiedTlockBeacon {
    let signature = try require(try signatures(chain)[round])
    return try self.chain(chain)
      .verify(TlockBeacon(round: round, signature: signature), round: round)
  }

  package static func ciphertexts() throws -> [Ciphertext] {
    try BLSVectors.cases("ibe", in: "tlock").map { words in
      Ciphertext(
        chain: try chain(words[0]), round: try require(UInt64(words[1])),
        tries: try require(Int(words[2])), fileKey: try require(Hex.decode(words[3])),
        sigma: try require(Hex.decode(words[4])), bytes: try require(Hex.decode(words[5])))
    }
  }
}
