/// The drand chains whose beacons prove the time on this device: quicknet, those that it sealed capsules to, and
/// those that the user names.
///
/// Anybody can make a chain and sign all of its rounds today. A chain that only a record or a file describes
/// therefore proves nothing about the time.
package struct KnownChains: Sendable {
  /// The first word of a line in ``DeviceMemory``; the chain's hash and its public key follow.
  private static let word = "chain"

  private let memory: DeviceMemory
  /// The public keys of the chains that this device sealed to, by the chains' hashes.
  private let sealedTo: [String: String]
  /// The chains that the user names.
  private let named: [TlockChain]

  /// - Parameter named: the chains that the user vouches for, in this run only.
  package init(_ environment: StoreEnvironment, named: [TlockChain] = []) {
    memory = DeviceMemory(environment, "pins")
    var sealedTo: [String: String] = [:]
    // Of a file that cannot be read none is known, and no gate moves.
    for line in (try? memory.lines()) ?? [] where line.count == 3 && line[0] == Self.word {
      sealedTo[line[1]] = sealedTo[line[1]] ?? line[2]
    }
    self.sealedTo = sealedTo
    self.named = named
  }

  /// Returns the time that a beacon proves to have come; `nil` for a beacon of a chain that is not known.
  package func time(provenBy beacon: VerifiedTlockBeacon) -> ProvenTime? {
    guard contains(beacon.chain) else { return nil }
    return beacon.time.map(ProvenTime.init)
  }

  private func contains(_ chain: TlockChain) -> Bool {
    chain == .quicknet || sealedTo[Hex.encode(chain.hash)] != nil || named.contains(chain)
  }

  /// Refuses a chain that has the public key of a known chain and other parameters.
  package func requireOwnKey(of chain: TlockChain) throws(Fault) {
    let (hash, key) = (Hex.encode(chain.hash), TlockChain.unsigned(chain.publicKey.encoded))
    for (known, knownKey) in sealedTo
    where known != hash && Hex.decode(knownKey).map(TlockChain.unsigned) == key {
      throw Fault(TlockChainProblem.keyTaken(by: known))
    }
  }

  /// Returns the chain in a record.
  ///
  /// - Throws: ``FieldError`` for parameters that do not make a chain, or not the one named, or one with the
  ///   public key of another.
  package func chain(of timelock: Timelock) throws(FieldError) -> TlockChain {
    let chain = try timelock.recordedChain()
    do { try requireOwnKey(of: chain) } catch {
      throw FieldError(
        path: "lock.timelock.publicKey", problem: .invalid(timelock.publicKey))
    }
    return chain
  }

  /// Keeps a chain that the user seals to.
  package func keep(_ chain: TlockChain) {
    let hash = Hex.encode(chain.hash)
    guard chain != .quicknet, sealedTo[hash] == nil else { return }
    memory.add([[Self.word, hash, Hex.encode(chain.publicKey.encoded)]])
  }
}

/// A time that has come, whatever the clock says; only ``KnownChains`` makes one, of a verified beacon.
package struct ProvenTime: Hashable, Sendable {
  package let instant: Instant

  fileprivate init(_ instant: Instant) {
    self.instant = instant
  }
}
