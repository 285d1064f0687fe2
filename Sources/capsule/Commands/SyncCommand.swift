import CapsuleCore

/// `capsule sync` and its verbs.
enum SyncCommands {
  static let group = CommandGroup(
    "Several machines", noun: "sync", summary: "Use one store on several devices",
    default: "run",
    [
      run, SyncAddCommand.command, SyncRemoveCommand.command, SyncJoinCommand.command, status,
      conflicts, resolve, verify,
      forget, prune, reset,
    ])

  static let remotes = Parameter.operands(
    "REMOTE", .text, "Only these remotes; default: all remotes of this store")

  /// The options that give the passphrase of a protected store.
  static let storeOptions: Parameters = [
    PassphraseOptions.file, PassphraseOptions.command,
  ]

  static let run = Command(
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
    operands: [remotes], options: storeOptions, outputs: .json,
    examples: [
      Example("capsule sync", "Sync with every remote"),
      Example("capsule sync run stick", "Sync with one remote"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: SyncJob.run(on: remotes) { job, _ in try job.exchange() })
}

/// The job of a `sync` command: the store, opened, and the remotes that it is about.
struct SyncJob {
  let session: Session
  let store: Store
  let remotes: [NamedCarrier]

  init(_ session: Session, _ store: Store, _ remotes: [NamedCarrier]) {
    (self.session, self.store, self.remotes) = (session, store, remotes)
  }

  /// Opens a store for a sync with the remotes of these names, or with all of the store's where there is no name.
  ///
  /// No passphrase is asked for before they are known.
  private init(
    opening store: Store, named names: [String], _ invocation: Invocation, _ session: Session
  ) throws {
    let all = try Carriers(session).of(store)
    guard !all.isEmpty else {
      throw Fault(
        .notFound, "no sync remote configured",
        hint: "add a place that your other devices can reach: capsule sync add NAME PLACE")
    }
    let chosen = try names.map { name in
      guard let remote = all.first(where: { $0.name == name }) else {
        throw Fault(
          .notFound, "no remote is called '\(name)'",
          hint: "choose one of: \(all.map { "'\($0.name)'" }.joined(separator: ", "))")
      }
      return remote
    }
    let opened = try session.passphrases.opened(store, invocation)
    self.init(session, opened, names.isEmpty ? all : chosen)
  }

  /// A job that only looks, at no remote; `nil` where there is no store, or where this machine knows of no
  /// remote and of no earlier sync: nothing has to be opened then.
  init?(ifKnown invocation: Invocation, _ session: Session) throws {
    guard let store = try session.stores.expected(),
      try store.sync.hasState || !Carriers(session).of(store).isEmpty
    else { return nil }
    self.init(session, try session.passphrases.opened(store, invocation), [])
  }

  /// Returns the run of a command: it opens the store, a protected one with its passphrase, and chooses remotes.
  ///
  /// - Parameter names: the operand that names remotes; `nil` for a command that is about none.
  static func run(
    on names: Parameter<[String]>? = nil,
    _ body: @escaping @Sendable (SyncJob, Invocation) throws -> Answer
  ) -> Command.Run {
    { invocation, session in
      let present = try session.stores.existing(
        or: Fault(
          .notFound, "no store found, so there is nothing to sync",
          hint: "get the store from a remote: capsule sync clone PLACE"))
      let job =
        if let names {
          try SyncJob(opening: present, named: invocation[names], invocation, session)
        } else {
          SyncJob(session, try session.passphrases.opened(present, invocation), [])
        }
      return try body(job, invocation)
    }
  }

  /// Works on what this machine knows of synchronizing the store.
  ///
  /// - Parameter remote: its name, for what fails.
  func hold<Value>(
    remote: String = "", _ body: (inout SyncSession) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    do {
      return try store.sync.hold(now: session.now) { work throws(Fault) in
        note(work)
        return try body(&work)
      }
    } catch {
      throw error.naming(remote)
    }
  }

  /// Looks at what this machine knows of synchronizing the store, also where it may not be written.
  func look<Value>(
    _ body: (inout SyncSession) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    do {
      return try store.sync.look(now: session.now) { work throws(Fault) in
        note(work)
        return try body(&work)
      }
    } catch {
      throw error.naming("")
    }
  }

  private func note(_ work: SyncSession) {
    guard work.hasSetAside else { return }
    session.console.note(
      "The sync state of this device was damaged and has been moved away, so everything is compared."
    )
  }

  /// Does the same with each remote; the first that fails ends it.
  ///
  /// - Parameter body: gets the ways to those besides it, too.
  func each<Value>(
    _ body: (inout SyncSession, any Carrier, [any Carrier]) throws(Fault) -> Value
  ) throws -> [(name: String, value: Value)] {
    try remotes.map { remote in
      let others = try ways(besides: [remote])
      let value = try hold(remote: remote.name) { work throws(Fault) in
        try body(&work, remote.carrier(session), others)
      }
      return (remote.name, value)
    }
  }

  /// Opens the ways to those remotes of the store that a sync with some others only looks at.
  private func ways(besides chosen: [NamedCarrier]) throws -> [any Carrier] {
    try Carriers(session).directories(of: store, besides: chosen).map { $0.carrier(session) }
  }

  /// Synchronizes with the remotes, and answers.
  func exchange() throws -> Answer {
    let (total, failures) = try synchronize()
    return Answer(total.members(failures), ending: total.ending(failures.map(\.failure))) {
      $0.lines(total.troubles)
    }
    .unlessQuiet { out in
      if failures.count < remotes.count { out.line("\(total.summary)") }
    }
  }

  /// Synchronizes with all remotes for `check`: says on standard error what needs a look, and nothing else.
  static func inBackground(
    _ store: Store, _ invocation: Invocation, _ session: Session
  ) -> ExitCode {
    do {
      let job = try SyncJob(opening: store, named: [], invocation, session)
      let (total, failures) = try job.synchronize()
      for trouble in total.troubles { session.console.warning(trouble.words) }
      return total.ending(failures.map(\.failure))
    } catch {
      // Another one is at work, and does the same.
      if Fault(error).kind == .busy { return .ok }
      return session.console.report(error)
    }
  }

  /// Synchronizes with all of the remotes, whatever happens with one; failures are reported.
  private func synchronize() throws -> (
    report: SyncReport, failures: [(name: String, failure: Fault)]
  ) {
    let progress = session.console.progress("Sending")
    defer { progress.end() }
    let carriers = remotes.map { $0.carrier(session) }
    let others = try ways(besides: remotes)
    let (total, failed) = try hold { work throws(Fault) in
      try work.sync(all: carriers, besides: others) { progress.update($0, of: $1) }
    }
    let failures = failed.map { failure in
      let name = remotes[failure.place].name
      return (name: name, failure: failure.error.naming(name))
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
      "'\(name.path)' in the remote was not written by a device of this store"
    case .newer(let name): "'\(name.path)' was written by a newer version of capsule"
    case .waiting(let subject, let hold): "\(subject.text): \(hold.words(of: subject))"
    case .note(let note): note.words
    }
  }
}

extension SyncReport {
  /// The worst that happened.
  func ending(_ failures: [Fault]) -> ExitCode {
    var code = held.isEmpty ? ExitCode.ok : .partial
    if !newer.isEmpty { code = .worst(code, .version) }
    if !damaged.isEmpty { code = .worst(code, .damaged) }
    return failures.reduce(code) { .worst($0, $1.kind.exitCode) }
  }

  /// What was exchanged, in a few sentences.
  fileprivate var summary: String {
    var words = [
      "Sent \(String.counting(sentRecords.count, "record"))"
        + (sentFiles > 0 ? ", \(String.counting(sentFiles, "file"))" : "") + ".",
      "Received \(String.counting(takenRecords.count, "record"))"
        + (takenFiles > 0 ? ", \(String.counting(takenFiles, "file"))" : "") + ".",
    ]
    if let first = conflicts.first {
      let others = conflicts.count - 1
      words.append(
        "\(String.counting(conflicts.count, "conflict")): \(first.words)"
          + (others > 0 ? " and \(String.counting(others, "other"))" : "")
          + "; see capsule sync conflicts")
    }
    return words.joined(separator: " ")
  }

  fileprivate func members(_ failures: [(name: String, failure: Fault)]) -> JSONObject {
    [
      "sent": [
        "records": sentRecords.count.json, "files": sentFiles.json,
        "bytes": sentBytes.json,
      ],
      "taken": [
        "records": takenRecords.count.json, "files": takenFiles.json,
      ],
      "conflicts": conflicts.map(\.members).json,
      "held": .array(
        held.sorted { $0.key.text < $1.key.text }.map { subject, hold in
          ["record": subject.text.json, "reason": hold.name.json]
        }),
      "notes": notes.map(\.members).json,
      "damaged": damaged.map(\.path).json,
      "newer": newer.map(\.path).json,
      "failed": .array(
        failures.map { name, failure in
          [
            "carrier": name.json, "kind": failure.kind.rawValue.json,
            "message": failure.description.json,
          ]
        }),
    ]
  }
}

extension TextOutput {
  fileprivate func lines(_ troubles: [SyncTrouble]) {
    for trouble in troubles {
      switch trouble {
      case .damaged: line("\("damaged", .boldRed)  \(trouble.words)")
      case .newer: line("\("newer", .yellow)    \(trouble.words)")
      case .waiting: line("\("waiting", .yellow)  \(trouble.words)")
      case .note: line("\("note", .yellow)     \(trouble.words)")
      }
    }
  }
}

extension SyncHold {
  /// The name in JSON.
  var name: String {
    switch self {
    case .newer: "newer"
    case .missingFile: "missingFile"
    case .damaged: "damaged"
    case .changedMeanwhile: "changedMeanwhile"
    case .forbidden: "forbidden"
    case .brokenHere: "damaged"
    case .unreadable: "unreadable"
    }
  }

  /// - Parameter subject: the one that waits.
  func words(of subject: SyncSubject) -> String {
    let id =
      if case .record(let record) = subject { record.id.description } else { subject.text }
    return switch self {
    case .newer(let schema): "the record has format \(schema), which is newer than this program's"
    case .missingFile: "a file of the record is not in the remote yet"
    case .damaged: "the record here is damaged; fix it: capsule repair"
    case .changedMeanwhile: "the record was changed during the sync"
    case .forbidden(let rule):
      "another device \(rule.act), which is not allowed; to keep the version here on all devices: "
        + "capsule sync resolve \(id)"
    case .brokenHere(let rule):
      "the record here was changed by hand, which \(rule.act); to restore an earlier version: "
        + "capsule versions \(id)"
    case .unreadable(let error): "the two versions cannot be merged (\(error.path))"
    }
  }
}

extension ChangeRule {
  /// The act that breaks the rule.
  var act: String {
    switch self {
    case .neverEarlier: "moved the unlock time earlier"
    case .lockedAgainOnPurpose: "locked an opened capsule again"
    case .nothingAdded: "added to an opened capsule"
    case .contentsStay: "removed or replaced contents"
    case .lockStays: "replaced the lock"
    case .openingStays: "changed when the capsule was first opened"
    case .sentStays: "changed a bequest that was sent"
    case .deliveryStays(let state): "took back a delivery that was \(state.words)"
    case .holdersStay: "removed a key or a share of the trustees"
    case .passingStays: "replaced the declared passing"
    }
  }
}

extension SyncNote {
  var words: String {
    switch self {
    case .sameName(let name, let items):
      "\(items.count) items are called '\(name)', made on several devices: rename one "
        + "('capsule item edit ID --name NAME'): \(items.map(\.text).joined(separator: ", "))"
    case .addedToOpened(let title, _, let count):
      "'\(title)' was opened on one device while another device added to it: "
        + String.counting(count, "content") + (count == 1 ? " was" : " were") + " not there then"
    }
  }

  var members: JSONObject {
    switch self {
    case .sameName(_, let items):
      [
        "kind": "sameName", "message": words.json,
        "records": items.map(\.text).json,
      ]
    case .addedToOpened(_, let capsule, _):
      [
        "kind": "addedToOpened", "message": words.json,
        "records": .array([capsule.text.json]),
      ]
    }
  }
}
