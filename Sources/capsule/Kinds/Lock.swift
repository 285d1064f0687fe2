import CapsuleCore

/// The lock that the options of `create` ask for.
enum LockOptions {
  static let trustees = Parameter.option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "Let enough trustees of this group open it together, even before a timelock's date")
  static let noTrustees = Parameter.flag(
    "no-trustees", "Make no recovery copy for the group in the setting `trustees`")
  static let and = Parameter.flag(
    "and", "With `--timelock` and `--trustees`, require both the date and the trustees")

  /// Returns the lock that is asked for.
  ///
  /// - Parameter store: the store that has the trustees; `nil` where there is none.
  static func request(
    _ invocation: Invocation, until instant: Instant, in store: Store?, _ settings: StoreSettings,
    _ session: Session
  ) throws -> LockRequest {
    try invocation.refuse(noTrustees, with: [trustees])
    let request = try named(invocation, until: instant, in: store, settings, session)
    guard let store, !invocation.has(trustees), !invocation[noTrustees],
      let group = try store.trust.spareTrustees(now: session.now)
    else { return request }
    return try withSpare(request, for: group, settings, session)
  }

  /// Adds the spare that the setting asks for, or says why there is none.
  private static func withSpare(
    _ request: LockRequest, for trustees: VouchedTrustees, _ settings: StoreSettings,
    _ session: Session
  ) throws -> LockRequest {
    let group = trustees.group
    do {
      let request = try request.withSpare(
        to: trustees, isPostQuantum: settings.sealsPostQuantum)
      session.console.note(
        "The trustees of '\(group.name)' have a recovery copy: any \(group.threshold) of "
          + "\(group.shares.count) can open it too.")
      return request
    } catch {
      session.console.note(
        "No recovery copy for the trustees of '\(group.name)': \((error.cause as? SpareRefusal)?.words ?? "")."
      )
      return request
    }
  }

  /// Returns the lock that the options name.
  private static func named(
    _ invocation: Invocation, until instant: Instant, in store: Store?, _ settings: StoreSettings,
    _ session: Session
  ) throws -> LockRequest {
    var plan = LockPlan(isPostQuantum: settings.sealsPostQuantum)
    plan.trustees = try group(invocation, in: store, session)
    plan.recipients = try KeyOptions.recipients(invocation, session)
    plan.usesPassphrase = PassphraseOptions.isGiven(invocation)
    plan.isTimelocked = invocation[TimelockOptions.timelock]
    plan.asksForTrustees = invocation[and]
    for option in [TimelockOptions.escrow as any ParameterDeclaration, TimelockOptions.chain]
    where !plan.isTimelocked && invocation.has(option) {
      throw Fault.usage(
        "'\(option.term)' needs '--timelock'", hint: "add --timelock")
    }
    try plan.requirePossible()
    let timelock =
      try plan.isTimelocked ? timelock(invocation, until: instant, session) : nil
    let passphrase =
      plan.usesPassphrase ? try PassphraseOptions.recipient(invocation, session) : nil
    let request = try plan.request(passphrase: passphrase, timelock: timelock)
    note(plan, session)
    if let timelock { try warn(of: timelock, plan, session) }
    return request
  }

  /// Finds the group that is named, and refuses what does not go with it.
  private static func group(
    _ invocation: Invocation, in store: Store?, _ session: Session
  ) throws -> VouchedTrustees? {
    if invocation[and] {
      guard invocation[TimelockOptions.timelock], invocation.has(trustees) else {
        throw Fault.usage(
          "'--and' needs '--timelock' and '--trustees'",
          hint: "add both: --timelock --trustees NAME")
      }
      try invocation.refuse(
        and,
        with: PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile])
    }
    guard let reference = invocation[trustees] else { return nil }
    guard let store else { throw Fault.noSuchRecord(reference, among: [.trustees]) }
    let group = try session.records.one(TrusteeGroup.self, reference, in: store, intact: true).model
    if group.leftCount < group.threshold { session.records.warn(of: group) }
    return try store.trust.vouched(group)
  }

  /// Says what the trustees can do, before anything is sealed.
  private static func note(_ plan: LockPlan, _ session: Session) {
    guard let group = plan.trustees?.group else { return }
    let whom = "\(group.threshold) of the \(group.shares.count) trustees of '\(group.name)'"
    let words =
      switch plan.trusteesPlace {
      case .spare:
        plan.isTimelocked
          ? "It opens from the date on, with the passphrase or to any \(whom)."
          : "The passphrase opens it, or any \(whom)."
      case .escrow: "The date opens it, or any \(whom) at any time."
      case .recipient where !plan.isTimelocked:
        "Any \(whom) can open it at any time, by hand; 'capsule open' waits for the date."
      case .recipient:
        plan.recipients.isEmpty
          ? "It opens from the date on, and to any \(whom) only."
          : "It opens from the date on, to one of the recipients or to any \(whom)."
      }
    session.console.note(StyledText(words))
  }

  private typealias NamedTimelock = (chain: TlockChain, until: Instant, escrow: [AgeRecipient])

  private static func timelock(
    _ invocation: Invocation, until instant: Instant, _ session: Session
  ) throws -> NamedTimelock {
    let chain = try TimelockOptions.chain(invocation, session)
    _ = try chain.roundTime(at: instant)
    let escrow = try invocation[TimelockOptions.escrow].map { try AgeRecipient(named: $0) }
    return (chain, instant, escrow)
  }

  /// Warns of what a timelock does not promise.
  private static func warn(
    of timelock: NamedTimelock, _ plan: LockPlan, _ session: Session
  ) throws {
    if let both = plan.recipient(among: timelock.escrow) {
      session.console.warning(
        "'\(RecipientText.shortened(both.description))' is both an escrow and a recipient, so it opens the "
          + "capsule alone, at any time",
        hint: "choose another escrow")
    }
    if !timelock.escrow.isEmpty {
      session.console.note(
        "Anyone with the identity of the escrow can lift the timelock at any time.")
    }
    let areTrusteesEscrow = plan.trustees != nil && plan.trusteesPlace == .escrow
    let hasEscrow = !timelock.escrow.isEmpty || areTrusteesEscrow
    let time = try timelock.chain.roundTime(at: timelock.until)
    TimelockOptions.warn(until: time, hasEscrow: hasEscrow, session)
  }
}

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
    do {
      let chain = try TlockChain(chainInfo: bytes)
      try KnownChains(session.stores.environment).requireOwnKey(of: chain)
      return chain
    } catch {
      throw error.naming(path.text)
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
      "a timelock of \(years) years depends on the drand network, and is not safe "
        + "against quantum computers",
      hint: hasEscrow
        ? "the escrow can open the capsule if the network disappears"
        : "add someone who can open the capsule if the network disappears: \(option) age1…")
  }
}
