import CapsuleCore

/// `capsule sync add`.
enum SyncAddCommand {
  static let name = Parameter.operand("NAME", .text, "A name for the remote")
  static let place = Parameter.operand(
    "PLACE", .directory, "A directory, HOST:PATH over ssh, or rclone:REMOTE:PATH")

  static let command = Command(
    "sync", "add", summary: "Add a remote where devices exchange changes",
    discussion: """
      A remote can be one of these:

      - a directory: a stick, a network share, or a folder that another program synchronizes
      - a directory on a host, through `rsync` and `ssh`
      - a service that `rclone` is configured for

      Everything in a remote is sealed (encrypted) to the store's identities. Someone who has only the remote \
      sees sizes and times, nothing else.

      The remote also has the identities themselves, sealed with a passphrase or to recipients. `capsule sync \
      clone` on another device opens them.

      Limits:

      - Each device that uses `rsync` or `rclone` must have it installed.
      - If the place is a remote of this store already, the command only names it. With a passphrase or a \
      recipient it also seals the identities again.
      """,
    operands: [name, place],
    options: PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile],
    outputs: .json,
    examples: [
      Example("capsule sync add stick /media/stick/capsule", "Use a stick as a remote"),
      Example(
        "capsule sync add home ~/Sync/capsule --passphrase-generate",
        "Use a Syncthing folder, with a generated passphrase"),
      Example("capsule sync add nas ada@nas:capsule", "Use a directory on a host, over ssh"),
      Example("capsule sync add cloud rclone:drive:capsule", "Use a cloud service, through rclone"),
    ],
    exitCodes: [.key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let name = try Carriers.name(invocation[name])
    let place = try Carriers.place(invocation[place], session)
    // A store is made only when what it is sealed to is known.
    let early =
      try session.stores.existingQuietly() == nil ? recipients(invocation, session) : nil
    let store = try session.passphrases.opened(session.stores.forChange(), nil)
    var carriers = try Carriers(session)
    let carrier = NamedCarrier(name: name, store: store.header.id, place: place)
    try carriers.requireFree(carrier)
    let isGiven =
      PassphraseOptions.isGiven(invocation) || invocation.has(KeyOptions.recipient)
      || invocation.has(KeyOptions.recipientsFile)
    let job = SyncJob(session, store, [carrier])
    if !isGiven, early == nil, try isOwn(carrier, job) {
      try carriers.add(carrier, session)
      session.stores.noteLasting(.remotes)
      return answer(carrier, session)
    }
    _ = try store.trust.recipients()
    let sealed = try SealedStoreHeader.seal(
      store, to: early ?? recipients(invocation, session))
    try job.hold(remote: name) { work throws(Fault) in
      _ = try work.add(carrier.carrier(session), identities: sealed)
    }
    try carriers.add(carrier, session)
    session.stores.noteLasting(.remotes)
    return answer(carrier, session)
  }

  /// Whether the place is a carrier of this store already; refuses one that is another's before anything
  /// is asked.
  private static func isOwn(
    _ carrier: NamedCarrier, _ job: SyncJob
  ) throws -> Bool {
    try job.hold(remote: carrier.name) { work throws(Fault) in
      do throws(Fault) {
        _ = try work.header(of: carrier.carrier(job.session))
        return true
      } catch {
        guard error.code == .remoteUnreachable || error == .noHeader(hasFiles: false) else {
          throw error
        }
        return false
      }
    }
  }

  /// Returns those to whom the store's header is sealed, which has the identities.
  private static func recipients(
    _ invocation: Invocation, _ session: Session
  ) throws -> [any Recipient] {
    let recipients = try KeyOptions.recipients(invocation, session)
    if recipients.isEmpty { return [try PassphraseOptions.recipient(invocation, session)] }
    guard !PassphraseOptions.isGiven(invocation) else {
      throw Fault.usage(
        "a passphrase and recipients cannot be combined", hint: "choose one of the two")
    }
    return recipients
  }

  private static func answer(_ carrier: NamedCarrier, _ session: Session) -> Answer {
    Answer(["name": carrier.name.json, "place": carrier.place.text.json], quiet: .nothing) { out in
      out.line(
        "Added the remote '\(carrier.name, .bold)': '\(carrier.place.text)'. Now sync: capsule sync"
      )
    }
  }
}

/// `capsule sync remove`.
enum SyncRemoveCommand {
  static let command = Command(
    "sync", "remove", summary: "Stop using a remote on this device",
    discussion: """
      The command only changes the list of remotes on this device. It deletes nothing in the remote, and your \
      other devices can still use it. If no device does, delete the remote's directory yourself.
      """,
    operands: [SyncAddCommand.name], outputs: .json,
    examples: [Example("capsule sync remove stick", "Stop using a stick")],
    exitCodes: [.notFound, .version]
  ) { invocation, session in
    let name = invocation[SyncAddCommand.name]
    var carriers = try Carriers(session)
    let store = try session.stores.existing(
      or: Fault(.notFound, "no store found", hint: "choose a store: --store DIR"))
    guard let carrier = carriers.of(store).first(where: { $0.name == name }) else {
      throw Fault(
        .notFound, "no remote is called '\(name)'", hint: "list the remotes: capsule sync status")
    }
    try carriers.remove(carrier, session)
    session.stores.noteLasting(.remotes)
    return Answer(["name": carrier.name.json, "place": carrier.place.text.json], quiet: .nothing) {
      $0.line(
        "Removed the remote '\(carrier.name, .bold)'. Its data stays in '\(carrier.place.text)'.")
    }
  }
}

/// `capsule sync clone`.
enum SyncJoinCommand {
  static let place = Parameter.operand(
    "PLACE", .directory, "The remote: a directory, HOST:PATH over ssh, or rclone:REMOTE:PATH")
  static let name = Parameter.option(
    "name", value: "NAME", .text, default: "carrier", "A name for the remote")

  static let command = Command(
    "sync", "clone", summary: "Create this device's store from a remote",
    discussion: """
      Run this on your second device. The new store has the id and the identities of the first one, and all \
      the data in the remote. The command needs the passphrase that was chosen for `capsule sync add`, or an \
      identity that the identities were sealed to: `--identity FILE`.

      Limits:

      - A different store in the same directory is refused.
      - If the same store is there already, it gets the identities that it lacks.
      - If the store was protected with a passphrase since, clone it into a new directory: `--store DIR`.
      """,
    operands: [place],
    options: [name] + PassphraseOptions.options + [KeyOptions.identity], outputs: .json,
    examples: [
      Example("capsule sync clone /media/stick/capsule", "Set up a second device from a stick"),
      Example(
        "capsule sync clone ada@nas:capsule --name nas",
        "Set up a second device from a host, over ssh"),
    ],
    exitCodes: [.partial, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let name = try Carriers.name(invocation[name])
    let place = try Carriers.place(invocation[place], session)
    var carriers = try Carriers(session)
    let sealed = try read(place, session)
    let (header, others) = try open(sealed, from: place, invocation, session)
    // Those besides came into the store later, and nothing is sealed to them.
    let identities = header.identities + others.map { $0.imported(from: header.id) }
    let present = try Store.open(at: session.stores.path(), environment: session.stores.environment)
    if let present, present.header.id != header.id {
      throw Fault(
        .refused, "another store exists at '\(try session.stores.path().text)'",
        hint: "clone into a new directory: --store DIR")
    }
    let known = carriers.all.first { $0.store == header.id && $0.place == place }
    let carrier = known ?? NamedCarrier(name: name, store: header.id, place: place)
    try carriers.requireFree(carrier)
    try requireApart(place, session)
    if let present { try add(identities, to: present, place, session) }
    let store = try Store.openOrCreate(
      at: session.stores.path(), environment: session.stores.environment, now: session.now,
      as: (header, identities))
    try carriers.add(carrier, session)
    return try SyncJob(session, session.passphrases.opened(store, nil), [carrier]).exchange()
  }

  /// Refuses to make a store in its carrier.
  private static func requireApart(_ place: CarrierPlace, _ session: Session) throws {
    guard case .directory(let directory) = place else { return }
    do {
      try session.host.files.require(session.stores.path(), outside: directory)
    } catch let fault as Fault where fault.code == .insideStore {
      throw Fault.nested.naming(place.text)
    }
  }

  private static func read(
    _ place: CarrierPlace, _ session: Session
  ) throws -> [UInt8] {
    let folder = try PrivateFile(named: Array("carrier".utf8), as: .copy, session, in: nil)
    defer { folder.remove() }
    let sealed: [UInt8]?
    do {
      sealed = try SealedStoreHeader.read(
        from: place.carrier(session), through: folder.path, session.host.files)
    } catch {
      throw error.naming(place.text)
    }
    guard let sealed else {
      throw Fault(
        .key, "the remote '\(place.text)' does not contain the keys of the store",
        hint: "on a device that has the store: capsule sync add NAME PLACE --passphrase")
    }
    return sealed
  }

  /// Puts the identities that the store lacks into it.
  private static func add(
    _ identities: [StoreIdentity], to store: Store, _ place: CarrierPlace, _ session: Session
  ) throws {
    do {
      let new = try store.keys.new(among: identities)
      try store.keys.add(new, now: session.now)
      if !new.isEmpty {
        session.console.note("Added \(String.counting(new.count, "identity", "identities")).")
      }
    } catch {
      guard error.cause as? ArchiveFault == .protected else { throw error }
      throw Fault(
        .refused,
        "the passphrase of the keys in the remote '\(place.text)' is not that of this store",
        hint: "clone into a new directory: "
          + "capsule --store DIR sync clone '\(place.text.quotedForShell)'")
    }
  }

  private static func open(
    _ sealed: [UInt8], from place: CarrierPlace, _ invocation: Invocation, _ session: Session
  ) throws -> (header: StoreHeader, others: [StoreIdentity]) {
    do {
      var reader = try SealedStoreHeader.reader(sealed)
      let key = try key(of: reader, invocation, session)
      return try SealedStoreHeader.open(&reader, with: key)
    } catch let error as AgeFailure where error.isDamage {
      throw Fault.identitiesDamaged.naming(place.text)
    } catch AgeFailure.tooMuchWork(let workFactor, let limit) {
      throw Fault(
        .refused,
        "the remote '\(place.text)' has a passphrase with work factor \(workFactor); the limit is "
          + "\(limit)",
        hint: "on a device that has the store: capsule sync add NAME PLACE --passphrase",
        details: ["workFactor": workFactor.json, "limit": limit.json])
    } catch let error as Fault {
      throw error.naming(place.text)
    }
  }

  /// Returns the key by which the identities open: with what was named, or a passphrase that is asked for.
  private static func key(
    of reader: AgeReader, _ invocation: Invocation, _ session: Session
  ) throws -> FileKey {
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if let passphrase = try PassphraseOptions.given(invocation, session) {
      identities.append(ScryptIdentity(passphrase))
    }
    if !identities.isEmpty { return try reader.unlock(with: identities) }
    let keys = InteractiveKeys(
      session: session, invocation: invocation, question: "Passphrase of the remote: ")
    do { return try keys.fileKey(of: reader) } catch let fault as Fault
      where fault.code == .noIdentityGiven
    {
      throw Fault(
        .key, "the keys in the remote are sealed to recipients",
        hint: "use an identity that opens them: --identity FILE")
    }
  }
}

// What a device takes away from remotes.
extension SyncCommands {
  static let device = Parameter.operand(
    "DEVICE", .text, "The name of a device in the remotes, or the start of one")

  static let forget = Command(
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
    operands: [device, remotes], options: storeOptions,
    outputs: .json,
    examples: [Example("capsule sync forget 5f3a", "Remove a stolen laptop")],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: SyncJob.run(on: remotes) { try $0.forget($1[device]) })

  static let prune = Command(
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
    operands: [remotes], options: storeOptions, outputs: .json,
    examples: [Example("capsule sync prune", "Free space in all remotes")],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: SyncJob.run(on: remotes) { job, _ in try job.prune() })
}

extension SyncJob {
  fileprivate func forget(_ word: String) throws -> Answer {
    let actor = try device(word)
    let counts = try each { work, carrier, others throws(Fault) in
      let report = try work.sync(carrier, besides: others)
      return try work.forget(actor, in: carrier, damaged: report.damaged)
    }
    return Answer(
      [
        "machine": actor.description.json,
        "carriers": .array(
          counts.map { name, count in
            ["name": name.json, "segments": count.json]
          }),
      ], quiet: .nothing
    ) { out in
      for (name, count) in counts where count > 0 {
        out.line(
          "\(name, .bold): removed \(String.counting(count, "segment")) of \(actor.description).")
      }
    }
  }

  /// The device that a word means.
  private func device(_ word: String) throws -> ActorID {
    var own: ActorID?
    let all = try each { work, carrier, _ throws(Fault) in
      own = work.actor
      return try work.actors(in: carrier)
    }
    let found = all.reduce(into: Set<ActorID>()) { $0.formUnion($1.value) }
      .filter { $0.description.hasPrefix(word) }
    guard let only = found.first, !word.isEmpty else {
      throw Fault(
        .notFound, "no device in the remotes matches '\(word)'",
        hint: "list the devices: capsule sync status")
    }
    guard found.count == 1 else {
      throw Fault(.notFound, "'\(word)' matches \(found.count) devices")
    }
    guard only != own else {
      throw Fault(
        .refused, "'\(word)' is this device", hint: "run the command on another device")
    }
    return only
  }

  fileprivate func prune() throws -> Answer {
    let outcomes = try each { work, carrier, others throws(Fault) in
      _ = try work.sync(carrier, besides: others)
      return try work.prune(carrier)
    }
    return Answer(rows: outcomes, quiet: .nothing) { name, outcome in
      [
        "name": name.json, "files": outcome.files.json,
        "bytes": outcome.bytes.json, "marked": outcome.marked.json,
      ]
    } text: { out in
      for (name, outcome) in outcomes {
        out.line(
          "\(name, .bold): removed \(String.counting(outcome.files, "file")), "
            + "\(ByteSize.text(outcome.bytes))"
            + (outcome.marked == 0
              ? "." : "; \(outcome.marked) more after each device has synced."))
      }
    }
  }
}
