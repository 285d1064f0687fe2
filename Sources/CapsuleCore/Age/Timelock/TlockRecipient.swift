/// A round of a chain to seal to: nobody opens the file before the network signs that round.
package struct TlockRecipient: Hashable, Sendable {
  package let chain: TlockChain
  /// The number of the round, at least 1.
  package let round: UInt64

  /// A recipient; in place of round 0, which nobody signs, stands the first.
  package init(chain: TlockChain, round: UInt64) {
    self.chain = chain
    self.round = max(round, 1)
  }

  /// The first round that is signed at the instant or later.
  package init(chain: TlockChain, until instant: Instant) {
    self.init(chain: chain, round: chain.round(at: instant))
  }
}

extension TlockRecipient: Recipient {
  package var label: RecipientLabel { .timelock }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    var key = fileKey.bytes.bytes
    defer { wipe(&key) }
    while true {
      var sigma: [UInt8]
      do throws(RandomSource.Failure) {
        sigma = try random.bytes(TlockIBE.keyByteCount)
      } catch { throw .random(error) }
      defer { wipe(&sigma) }
      if let ciphertext = TlockIBE.seal(
        key, sigma: sigma, round: round, publicKey: chain.publicKey)
      {
        let stanza = TlockStanza(
          round: round, chainHash: Hex.encode(chain.hash), ciphertext: ciphertext)
        return [stanza.stanza]
      }
    }
  }
}
