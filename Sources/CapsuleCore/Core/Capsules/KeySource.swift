/// A place that keys come from while a capsule opens.
package protocol KeySource {
  /// Returns the identities that each layer of the lock is tried with; asked once, when the gate is
  /// open.
  func identities() throws -> [any Identity]

  /// Returns a passphrase for a layer that is sealed with one; `nil` where there is none, or no other.
  ///
  /// - Parameter attempt: 1, and one more each time that the last one was wrong.
  func passphrase(attempt: Int) throws -> Passphrase?

  /// The highest work factor of a passphrase that is computed.
  var maximumWorkFactor: Int { get }

  /// Whether the identities are those of trustees, who open a lock's spare where it has one.
  var areOfTrustees: Bool { get }

  /// Returns a protected store with its identities opened, for an honor lock of it.
  ///
  /// - Throws: ``Fault``, or what a question ends with.
  func opened(_ store: Store) throws -> Store
}

extension KeySource {
  package var areOfTrustees: Bool { false }

  package var maximumWorkFactor: Int { ScryptIdentity.foreignLimit }

  /// Opens the store with the passphrase, as often as there is another one to try.
  package func opened(_ store: Store) throws -> Store {
    var isAsked = false
    let opened = try tryingPassphrases { passphrase throws(Fault) -> Store? in
      isAsked = true
      do throws(Fault) { return try store.protection.opened(with: passphrase) } catch {
        guard error.code == .wrongStorePassphrase else { throw error }
        return nil
      }
    }
    guard let opened else { throw isAsked ? Fault.wrongStorePassphrase : .storeClosed }
    return opened
  }

  /// Returns the key of an age file: with a passphrase where it is sealed with one, as often as there is
  /// another one to try, with the identities otherwise.
  ///
  /// - Throws: ``Fault``, ``AgeFailure`` where no identity fits or the passphrase asks for too much work, or
  ///   what a question ends with.
  package func fileKey(of reader: AgeReader) throws -> FileKey {
    guard reader.header.asksForPassphrase else {
      let identities = try identities()
      if identities.isEmpty { throw Fault.noIdentityGiven }
      return try reader.unlock(with: identities)
    }
    let limit = maximumWorkFactor
    try reader.header.requireWork(upTo: limit)
    let key = try tryingPassphrases { passphrase throws(AgeFailure) -> FileKey? in
      do throws(AgeFailure) {
        return try reader.unlock(with: [ScryptIdentity(passphrase, upTo: limit)])
      } catch {
        guard case .noMatch = error else { throw error }
        return nil
      }
    }
    guard let key else { throw Fault.wrongPassphrase }
    return key
  }

  /// Tries one passphrase after another.
  ///
  /// - Parameter body: returns `nil` for a wrong one.
  /// - Returns: `nil` where there is no other.
  private func tryingPassphrases<Value>(
    _ body: (Passphrase) throws -> Value?
  ) throws -> Value? {
    var attempt = 1
    while let passphrase = try passphrase(attempt: attempt) {
      if let value = try body(passphrase) { return value }
      attempt += 1
    }
    return nil
  }
}

/// The reason why there is no key for an age file.
extension Fault {
  /// It is sealed to recipients, and no identity is given.
  package static let noIdentityGiven = Fault(
    .noIdentityGiven, "no identity given", hint: "use --identity FILE")
  /// No passphrase was the right one.
  package static let wrongPassphrase = Fault(.wrongPassphrase, "wrong passphrase")
}

/// A place that the beacon of a timelock's round comes from, where the record does not keep it.
package protocol BeaconSource {
  /// Returns the beacon that is at hand before the gate is asked: it may prove that the time has come.
  func given(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon?

  /// Returns the beacon when the timelock's layer is reached; `nil` where there is none to be had.
  func fetched(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon?
}

/// Keys that are all known beforehand: nothing is asked, fetched or waited for.
public struct Keys: Sendable {
  private let known: [any Identity]
  private let passphrase: Passphrase?
  private let beacon: TlockBeacon?
  /// The chains that the caller vouches for.
  let chains: [TlockChain]
  package let maximumWorkFactor: Int

  /// No key but the store's own, which opens honor locks.
  public static let none = Keys()

  package init(
    _ identities: [any Identity] = [], passphrase: Passphrase? = nil, beacon: TlockBeacon? = nil,
    chains: [TlockChain] = [], maximumWorkFactor: Int = ScryptIdentity.foreignLimit
  ) {
    known = identities
    self.passphrase = passphrase
    self.beacon = beacon
    self.chains = chains
    self.maximumWorkFactor = maximumWorkFactor
  }

  /// Keys as texts.
  ///
  /// - Parameters:
  ///   - identities: secret keys, `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…` each.
  ///   - passphrase: empty for none.
  ///   - beacon: drand's JSON, or the 96 hexadecimal digits of a signature; empty for none. It is
  ///     verified when a timelock needs it.
  ///   - chainInfo: drand's description of a chain, as JSON, that you vouch for: its beacons prove the time.
  ///     Quicknet and the chains that this device sealed capsules to need none. Empty for none.
  ///   - maximumWorkFactor: the most that one try of the passphrase may cost: 2 to this power KiB of memory, at most
  ///     22. A capsule that came from somebody else may ask for more than you want to compute.
  /// - Throws: ``Fault``: `.usage` with the place of the first that is none, `.usage`, `.usage`.
  public init(
    identities: [String], passphrase: String = "", beacon: String = "", chainInfo: [UInt8] = [],
    maximumWorkFactor: Int = 20
  ) throws(Fault) {
    var known: [any Identity] = []
    for (index, text) in identities.enumerated() {
      guard let identity = try? AgeIdentity(text) else { throw .noSecretKey(at: index) }
      known.append(identity)
    }
    let parsed = beacon.isEmpty ? nil : TlockBeacon(parsing: Array(beacon.utf8))
    guard beacon.isEmpty || parsed != nil else { throw .noBeacon }
    let chain = chainInfo.isEmpty ? nil : try? TlockChain(chainInfo: chainInfo)
    guard chainInfo.isEmpty || chain != nil else { throw .noChainInfo }
    self.init(
      known, passphrase: Passphrase(SecretBytes(copying: Array(passphrase.utf8))), beacon: parsed,
      chains: chain.map { [$0] } ?? [], maximumWorkFactor: maximumWorkFactor)
  }
}

/// The reason why texts are not keys.
extension Fault {
  /// The identity at this place is no secret key of age's.
  package static func noSecretKey(at place: Int) -> Fault {
    Fault(.usage, "invalid secret key at index \(place)")
  }

  /// The beacon is neither drand's JSON nor 96 hexadecimal digits.
  package static let noBeacon = Fault(
    .usage, "invalid beacon: expected drand's JSON or 96 hexadecimal digits")
  /// The chain info is not that of a drand chain that can be sealed to.
  package static let noChainInfo = Fault(
    .usage, "invalid chain info")
}

extension Keys: KeySource {
  package func identities() -> [any Identity] { known }

  package func passphrase(attempt: Int) -> Passphrase? { attempt == 1 ? passphrase : nil }
}

extension Keys: BeaconSource {
  package func given(
    chain: TlockChain, round: UInt64
  ) throws(TlockError) -> VerifiedTlockBeacon? {
    guard let beacon else { return nil }
    return try chain.verify(beacon, round: round)
  }

  package func fetched(chain: TlockChain, round: UInt64) -> VerifiedTlockBeacon? { nil }
}
