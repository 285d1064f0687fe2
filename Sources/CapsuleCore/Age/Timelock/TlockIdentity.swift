/// An identity that opens timelocked files with beacons that were verified.
///
/// Without the beacon that a file needs it answers `.unproven` with a ``TlockError``: `.beaconNeeded`
/// for a chain it knows, with the round to ask for, or `.unknownChain`.
package struct TlockIdentity: Sendable {
  private let chains: [TlockChain]
  private let beacons: [VerifiedTlockBeacon]

  /// An identity of some chains and beacons.
  ///
  /// - Parameters:
  ///   - chains: the chains that count as known; those of the beacons always do.
  ///   - beacons: the beacons, of any rounds.
  package init(chains: [TlockChain], beacons: [VerifiedTlockBeacon]) {
    self.chains = chains
    self.beacons = beacons
  }
}

extension TlockIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    var answer = Unwrapped.noMatch
    for stanza in stanzas {
      let timelock: TlockStanza
      do throws(HeaderFault) {
        guard let parsed = try TlockStanza(stanza) else { continue }
        timelock = parsed
      } catch { return .damaged(error) }
      if let beacon = beacons.first(where: { $0.opens(timelock) }) {
        return unwrap(timelock, with: beacon)
      }
      // The first stanza that could be opened with one more beacon decides the answer.
      if case .unproven(TlockError.beaconNeeded) = answer { continue }
      let known = chains + beacons.map(\.chain)
      answer =
        if let chain = known.first(where: { Hex.encode($0.hash) == timelock.chainHash }) {
          .unproven(TlockError.beaconNeeded(chain: chain, round: timelock.round))
        } else {
          .unproven(TlockError.unknownChain(hash: timelock.chainHash))
        }
    }
    return answer
  }

  private func unwrap(_ timelock: TlockStanza, with beacon: VerifiedTlockBeacon) -> Unwrapped {
    do throws(TlockError) {
      var key = try TlockIBE.open(timelock.ciphertext, signature: beacon.point)
      return FileKey(SecretBytes(taking: &key)).map { .fileKey($0) } ?? .damaged(.timelock)
    } catch { return .damaged(.timelock) }
  }
}

extension VerifiedTlockBeacon {
  /// Whether the beacon is the one that a stanza waits for.
  fileprivate func opens(_ timelock: TlockStanza) -> Bool {
    round == timelock.round && Hex.encode(chain.hash) == timelock.chainHash
  }
}
