import CapsuleCore

/// The options of timelocks.
enum TimelockOptions {
  static let timelock = Parameter.flag(
    "timelock", "Lock it until the drand network publishes a beacon: nobody can open it early")
  static let escrow = Parameter.options(
    "escrow", value: "RECIPIENT", .text,
    "Let the owner of this key (`age1…`) lift the timelock at any time")
  static let chain = Parameter.option(
    "chain", value: "FILE", .path, "Use the drand chain of this chain info file instead of quicknet"
  )
  /// The same option of commands that open.
  static let trustedChain = Parameter.option(
    "chain", value: "FILE", .path,
    "Trust the drand chain of this chain info file to prove the time")
  static let beacon = Parameter.option(
    "beacon", value: "FILE", .path,
    "Open with this beacon, as drand's JSON or bare hex; `-` for standard input")

  /// Returns the chain to seal to.
  static func chain(_ invocation: Invocation, _ session: Session) throws -> TlockChain {
    guard let path = invocation[chain] else { return .quicknet }
    return try read(path, session)
  }

  /// Returns the chains that count as known when opening.
  static func chains(
    _ invocation: Invocation, _ session: Session
  ) throws -> [TlockChain] {
    [.quicknet] + (try named(invocation, session))
  }

  /// Returns the chain that the user names; none without the option.
  static func named(_ invocation: Invocation, _ session: Session) throws -> [TlockChain] {
    try invocation[chain].map { [try read($0, session)] } ?? []
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> TlockChain {
    let bytes = try session.files.readTrusted(path, streams: true, limit: 1 << 16)
    do throws(TlockChainFault) {
      let chain = try TlockChain(chainInfo: bytes)
      try KnownChains(session.stores.environment).requireOwnKey(of: chain)
      return chain
    } catch {
      throw Failure(error, path: path)
    }
  }

  /// The number of years from which on a timelock is warned about.
  private static let trustedYears = 5

  /// Warns of what a timelock of so many years does not promise.
  ///
  /// - Parameter option: the option that names somebody who can lift it.
  static func warn(
    until instant: Instant, hasEscrow: Bool, naming option: String = "--escrow", _ session: Session
  ) {
    let years = instant.seconds(since: session.now) / 31_556_952
    guard years >= trustedYears else { return }
    session.console.warning(
      "a timelock of \(years) years needs the drand network to be there then, and is not safe "
        + "from quantum computers",
      hint: hasEscrow
        ? "the escrow can open it should the network be gone"
        : "'\(option) age1…' names someone who can open it should the network be gone")
  }
}
