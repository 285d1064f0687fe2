extension Timelock {
  /// The timelock of a record: it keeps all of the chain, so that its beacons can be verified whatever
  /// becomes of the network's own description of it.
  package init(
    chain: TlockChain, round: UInt64, inner: LockKind?, escrow: [String]
  ) {
    self.init(
      chain: Hex.encode(chain.hash), publicKey: Hex.encode(chain.publicKey.encoded),
      genesis: chain.genesis.seconds, groupHash: Hex.encode(chain.seed),
      beaconID: chain.beaconID, period: Int64(chain.period), round: Int64(clamping: round),
      inner: inner, escrow: escrow)
  }

  /// Returns the recorded chain, its hash made again from its parameters.
  ///
  /// - Throws: ``FieldError`` for parameters that do not make a chain, or not the one named.
  package func recordedChain() throws(FieldError) -> TlockChain {
    let quicknet = TlockChain.quicknet
    if chain == Hex.encode(quicknet.hash), publicKey == Hex.encode(quicknet.publicKey.encoded),
      genesis == quicknet.genesis.seconds, period == Int64(quicknet.period),
      groupHash == Hex.encode(quicknet.seed), beaconID == quicknet.beaconID
    {
      return quicknet
    }
    guard let key = Hex.decode(publicKey), let seed = Hex.decode(groupHash),
      let period = UInt32(exactly: period)
    else { throw fault("publicKey", publicKey) }
    let recorded = try? TlockChain(
      publicKey: key, period: period, genesis: genesis, seed: seed, beaconID: beaconID)
    guard let recorded else { throw fault("publicKey", publicKey) }
    guard Hex.encode(recorded.hash) == chain else { throw fault("chain", chain) }
    return recorded
  }

  /// Returns the beacon in the record, verified; `nil` where there is none.
  ///
  /// - Parameter chain: the recorded chain.
  /// - Throws: ``FieldError`` for a beacon that is not the chain's signature of the round.
  package func keptBeacon(of chain: TlockChain) throws(FieldError) -> VerifiedTlockBeacon? {
    guard let beacon else { return nil }
    guard let signature = Hex.decode(beacon) else { throw fault("beacon", beacon) }
    do {
      return try chain.verify(TlockBeacon(round: nil, signature: signature), round: roundNumber)
    } catch {
      throw fault("beacon", beacon)
    }
  }

  /// Keeps a verified beacon: from then on the network is needed no more.
  package mutating func keep(_ beacon: VerifiedTlockBeacon) {
    self.beacon = Hex.encode(beacon.signature)
  }

  /// The round whose beacon lifts the lock.
  package var roundNumber: UInt64 { UInt64(clamping: round) }

  private func fault(_ key: String, _ value: String) -> FieldError {
    FieldError(path: "lock.timelock.\(key)", problem: .invalid(value))
  }
}
