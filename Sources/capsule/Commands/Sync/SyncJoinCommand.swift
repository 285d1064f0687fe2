import CapsuleCore

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try Carriers.name(invocation[name])
    let place = try Carriers.place(invocation[place], session)
    var carriers = try Carriers(session)
    let sealed = try read(place, session)
    let (header, others) = try open(sealed, from: place, invocation, session)
    // Those besides came into the store later, and nothing is sealed to them.
    let identities = header.identities + others.map { $0.imported(from: header.id) }
    let present = try Store.open(at: session.stores.path(), environment: session.stores.environment)
    if let present, present.header.id != header.id {
      throw Failure(
        .refused, "there is another store in '\(try session.stores.path().text)'",
        hint: "give the joined one a place of its own: '--store DIR'")
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
    return try SyncRunCommand.sync(session.passphrases.opened(store, nil), [carrier], session)
  }

  /// Refuses to make a store in its carrier.
  private static func requireApart(_ place: CarrierPlace, _ session: Session) throws {
    guard case .directory(let directory) = place else { return }
    do {
      try session.host.files.require(session.stores.path(), outside: directory)
    } catch is PlaceInStore {
      throw Failure(SyncError.nested, carrier: place.text)
    }
  }

  private static func read(
    _ place: CarrierPlace, _ session: Session
  ) throws -> [UInt8] {
    let folder = try PrivateFile(named: Array("carrier".utf8), as: .copy, session, in: nil)
    defer { folder.remove() }
    let sealed: [UInt8]?
    do throws(SyncError) {
      sealed = try SealedStoreHeader.read(
        from: place.carrier(session), through: folder.path, session.host.files)
    } catch {
      throw Failure(error, carrier: place.text)
    }
    guard let sealed else {
      throw Failure(
        .key, "the carrier '\(place.text)' does not hold the store's identities",
        hint: "on a machine that has the store: capsule sync add NAME PLACE --passphrase")
    }
    return sealed
  }

  /// Puts the identities that the store lacks into it.
  private static func add(
    _ identities: [StoreIdentity], to store: Store, _ place: CarrierPlace, _ session: Session
  ) throws {
    do {
      let new = try store.newIdentities(among: identities)
      try store.addIdentities(new, now: session.now)
      if !new.isEmpty {
        session.console.note("Added \(String.counting(new.count, "identity", "identities")).")
      }
    } catch ArchiveFault.protected {
      throw Failure(
        .refused,
        "the identities in the carrier are protected with a passphrase that is not this store's",
        hint: "join it in a directory of its own: "
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
      throw Failure(SyncError.identitiesDamaged, carrier: place.text)
    } catch AgeFailure.tooMuchWork(let workFactor, let limit) {
      throw Failure(
        .refused,
        "the carrier '\(place.text)' has a passphrase with a work factor of \(workFactor), and the limit is "
          + "\(limit)",
        hint: "on a machine that has the store: capsule sync add NAME PLACE --passphrase",
        details: ["workFactor": .integer(Int64(workFactor)), "limit": .integer(Int64(limit))])
    } catch let error as SyncError {
      throw Failure(error, carrier: place.text)
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
      session: session, invocation: invocation, question: "Passphrase of the carrier: ")
    do { return try keys.fileKey(of: reader) } catch FileKeyFault.noIdentity {
      throw Failure(
        .key, "the store's identities are sealed to recipients",
        hint: "give an identity that opens them: '--identity FILE'")
    }
  }
}
