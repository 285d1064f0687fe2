import CapsuleCore

/// `capsule sync forget`.
enum SyncForgetCommand {
  static let actor = Parameter.operand(
    "DEVICE", .text, "The name of a device in the remotes, or the start of one")

  static let command = Command(
    "sync", "forget", summary: "Remove a lost device from the remotes",
    discussion: """
      `capsule sync status` lists the devices. This device first applies all that the lost device has \
      published and publishes it again, so that nothing is lost. Then it removes the change files of the lost \
      device.

      Limits:

      - While something waits or cannot be read, nothing is removed (exit status 3). A damaged change file of \
      the lost device does not count: it is removed too.
      - A device that comes back takes a new name and continues.
      """,
    operands: [actor, SyncRunCommand.names], options: SyncRunCommand.storeOptions,
    outputs: .json,
    examples: [Example("capsule sync forget 5f3a", "Remove a stolen laptop")],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.sync.store(invocation)
    let carriers = try SyncRunCommand.chosen(invocation[SyncRunCommand.names], of: store, session)
    let actor = try find(try invocation[actor], carriers, store, session)
    let counts = try session.sync.work(in: store, carriers) {
      work, carrier, others throws(SyncError) in
      let report = try work.sync(carrier, besides: others)
      return try work.forget(actor, in: carrier, damaged: report.damaged)
    }
    return try session.console.render(
      json: .object([
        "machine": .string(actor.description),
        "carriers": .array(
          counts.map { name, count in
            .object(["name": .string(name), "segments": .integer(Int64(count))])
          }),
      ])
    ) { out in
      guard !session.isQuiet else { return }
      for (name, count) in counts where count > 0 {
        out.line(
          "\(name, .bold): removed \(String.counting(count, "segment")) of \(actor.description).")
      }
    }
  }

  /// The machine that a word means.
  private static func find(
    _ word: String, _ carriers: [NamedCarrier], _ store: Store, _ session: Session
  ) throws -> ActorID {
    var own: ActorID?
    let all = try session.sync.work(in: store, carriers) { work, carrier, _ throws(SyncError) in
      own = work.actor
      return try work.actors(in: carrier)
    }
    let found = all.reduce(into: Set<ActorID>()) { $0.formUnion($1.value) }
      .filter { $0.description.hasPrefix(word) }
    guard let only = found.first, !word.isEmpty else {
      throw Failure(
        .notFound, "no machine's name in the carriers begins with '\(word)'",
        hint: "'capsule sync status' names them")
    }
    guard found.count == 1 else {
      throw Failure(.notFound, "'\(word)' is the beginning of the names of \(found.count) machines")
    }
    guard only != own else {
      throw Failure(
        .refused, "'\(word)' is this machine", hint: "forget it on another one")
    }
    return only
  }
}

/// `capsule sync prune`.
enum SyncPruneCommand {
  static let command = Command(
    "sync", "prune", summary: "Remove files that no record needs from the remotes",
    discussion: """
      The command syncs first. It removes files that no record uses, live or in the trash of this device. This \
      takes two runs: the first marks a file, and a later one removes it. Between them every other device must \
      have published again, or 30 days must have passed.

      Limits:

      - If there is no other device, files are removed at once.
      - While something in the remote waits or cannot be read, nothing is removed (exit status 3).
      - If another device begins to need a file at that very moment, it uploads the file again.
      """,
    operands: [SyncRunCommand.names], options: SyncRunCommand.storeOptions, outputs: .json,
    examples: [Example("capsule sync prune", "Free space in all remotes")],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.sync.store(invocation)
    let carriers = try SyncRunCommand.chosen(invocation[SyncRunCommand.names], of: store, session)
    let outcomes = try session.sync.work(in: store, carriers) {
      work, carrier, others throws(SyncError) in
      _ = try work.sync(carrier, besides: others)
      return try work.prune(carrier)
    }
    return try session.console.render(
      list: outcomes,
      json: { name, outcome in
        .object([
          "name": .string(name), "files": .integer(Int64(outcome.files)),
          "bytes": .integer(outcome.bytes), "marked": .integer(Int64(outcome.marked)),
        ])
      }
    ) { out in
      guard !session.isQuiet else { return }
      for (name, outcome) in outcomes {
        out.line(
          "\(name, .bold): removed \(String.counting(outcome.files, "file")), "
            + "\(ByteSize.text(outcome.bytes))"
            + (outcome.marked == 0
              ? "." : "; \(outcome.marked) more when each machine has published."))
      }
    }
  }
}
