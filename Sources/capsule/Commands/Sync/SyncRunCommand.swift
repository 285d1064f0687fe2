import CapsuleCore

/// `capsule sync`.
enum SyncRunCommand {
  static let names = Parameter.operands(
    "REMOTE", .text, "Only these remotes; default: all remotes of this store")

  /// The options that give the passphrase of a protected store.
  static let storeOptions: Parameters = [
    PassphraseOptions.file, PassphraseOptions.command,
  ]

  static let command = Command(
    "sync", "run", summary: "Exchange changes with your other devices",
    discussion: """
      The command sends changes made here to each remote, and applies the changes that other devices put \
      there. Everything in a remote is sealed (encrypted) to the store's identities. `capsule sync` alone does \
      the same.

      If two devices changed the same field, both values are kept. The later one is shown, and `capsule sync \
      conflicts` lists the other.

      Limits:

      - A deleted record comes back if another device had changed it and the deletion did not know of that \
      change.
      - No capsule is opened, and no unlock time moves earlier.
      - A record waits if its file is not in the remote yet, if a newer program wrote it, or if it is damaged \
      here. The exit status is then 3, and the next sync tries again.
      - An interrupted sync loses nothing. The next command that changes the store finishes it.
      - For a protected store, the command asks for its passphrase, or takes it from `--passphrase-file`, \
      `--passphrase-command` or `capsule store remember`.
      """,
    operands: [names], options: storeOptions, outputs: .json,
    examples: [
      Example("capsule sync", "Sync with every remote"),
      Example("capsule sync run stick", "Sync with one remote"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.sync.store(invocation)
    let carriers = try chosen(invocation[names], of: store, session)
    return try sync(store, carriers, session)
  }

  static func chosen(
    _ names: [String], of store: Store, _ session: Session
  ) throws -> [NamedCarrier] {
    let all = try Carriers(session).of(store)
    guard !all.isEmpty else {
      throw Failure(
        .notFound, "no carrier is known for this store",
        hint: "name a place that other machines reach: capsule sync add NAME PLACE")
    }
    guard !names.isEmpty else { return all }
    return try names.map { name in
      guard let carrier = all.first(where: { $0.name == name }) else {
        throw Failure(
          .notFound, "no carrier of this store is called '\(name)'",
          hint: "there are \(all.map { "'\($0.name)'" }.joined(separator: ", "))")
      }
      return carrier
    }
  }

  /// Synchronises with some carriers.
  static func sync(
    _ store: Store, _ carriers: [NamedCarrier], _ session: Session
  ) throws -> ExitCode {
    let (total, failures) = try exchange(store, carriers, session)
    return try session.console.render(
      ending: total.ending(failures.map(\.failure)), json: .object(total.members(failures))
    ) { out in
      out.text(total, session, isDone: failures.count < carriers.count)
    }
  }

  /// Synchronises with all carriers for `check`: says on standard error what needs a look, and nothing else.
  static func inBackground(
    _ store: Store, _ invocation: Invocation, _ session: Session
  ) -> ExitCode {
    do {
      let store = try session.passphrases.opened(store, invocation)
      let (total, failures) = try exchange(
        store, try chosen([], of: store, session), session)
      for trouble in total.troubles { session.console.warning(trouble.words) }
      return total.ending(failures.map(\.failure))
    } catch {
      // Another one is at work, and does the same.
      if Failure(error).kind == .busy { return .ok }
      return session.console.report(error)
    }
  }

  /// Synchronises with some carriers, all of them whatever happens with one; failures are reported.
  private static func exchange(
    _ store: Store, _ carriers: [NamedCarrier], _ session: Session
  ) throws -> (report: SyncReport, failures: [(name: String, failure: Failure)]) {
    let progress = session.console.progress("Sending")
    defer { progress.end() }
    let ways = carriers.map { $0.carrier(session) }
    let others = try session.sync.carriers(of: store, besides: carriers)
    let (total, failed) = try session.sync.work(in: store) { work throws(SyncError) in
      try work.sync(all: ways, besides: others) { progress.update($0, of: $1) }
    }
    let failures = failed.map { failure in
      let name = carriers[failure.place].name
      return (name: name, failure: Failure(failure.error, carrier: name))
    }
    progress.end()
    for (_, failure) in failures { _ = session.console.report(failure) }
    return (total, failures)
  }
}

extension SyncTrouble {
  var words: String {
    switch self {
    case .damaged(let name):
      "'\(name.path)' in the carrier is not what a machine of this store wrote"
    case .newer(let name): "'\(name.path)' was written by a newer capsule"
    case .waiting(let subject, let hold): "\(subject.text): \(hold.words(of: subject))"
    case .note(let note): note.words
    }
  }
}

extension SyncReport {
  /// The worst that happened.
  func ending(_ failures: [Failure]) -> ExitCode {
    var code = held.isEmpty ? ExitCode.ok : .partial
    if !newer.isEmpty { code = .worst(code, .version) }
    if !damaged.isEmpty { code = .worst(code, .damaged) }
    return failures.reduce(code) { .worst($0, $1.kind.exitCode) }
  }

  fileprivate func members(_ failures: [(name: String, failure: Failure)]) -> JSONObject {
    [
      "sent": .object([
        "records": .integer(Int64(sentRecords.count)), "files": .integer(Int64(sentFiles)),
        "bytes": .integer(sentBytes),
      ]),
      "taken": .object([
        "records": .integer(Int64(takenRecords.count)), "files": .integer(Int64(takenFiles)),
      ]),
      "conflicts": .array(conflicts.map { .object($0.members) }),
      "held": .array(
        held.sorted { $0.key.text < $1.key.text }.map { subject, hold in
          .object(["record": .string(subject.text), "reason": .string(hold.name)])
        }),
      "notes": .array(notes.map { .object($0.members) }),
      "damaged": .array(damaged.map { .string($0.path) }),
      "newer": .array(newer.map { .string($0.path) }),
      "failed": .array(
        failures.map { name, failure in
          .object([
            "carrier": .string(name), "kind": .string(failure.kind.rawValue),
            "message": .string(failure.message),
          ])
        }),
    ]
  }
}

extension TextOutput {
  fileprivate func text(_ report: SyncReport, _ session: Session, isDone: Bool) {
    for trouble in report.troubles {
      switch trouble {
      case .damaged: line("\("damaged", .boldRed)  \(trouble.words)")
      case .newer: line("\("newer", .yellow)    \(trouble.words)")
      case .waiting: line("\("waiting", .yellow)  \(trouble.words)")
      case .note: line("\("note", .yellow)     \(trouble.words)")
      }
    }
    guard !session.isQuiet, isDone else { return }
    var words = [
      "Sent \(String.counting(report.sentRecords.count, "record"))"
        + (report.sentFiles > 0 ? ", \(String.counting(report.sentFiles, "file"))" : "") + ".",
      "Took in \(String.counting(report.takenRecords.count, "record"))"
        + (report.takenFiles > 0 ? ", \(String.counting(report.takenFiles, "file"))" : "") + ".",
    ]
    if let first = report.conflicts.first {
      let others = report.conflicts.count - 1
      words.append(
        "\(String.counting(report.conflicts.count, "conflict")): \(first.words)"
          + (others > 0 ? " and \(String.counting(others, "other"))" : "")
          + "; see capsule sync conflicts")
    }
    line("\(words.joined(separator: " "))")
  }
}
