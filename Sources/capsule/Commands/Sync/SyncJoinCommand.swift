import CapsuleCore

/// `capsule sync join`.
enum SyncJoinCommand {
  static let place = Operand(
    "PLACE", .directory, "The carrier: a directory, HOST:PATH through ssh, or rclone:REMOTE:PATH")
  static let name = Option("name", value: "NAME", .text, default: "carrier", "A name for it here")

  static let command = Command(
    "sync", "join", summary: "Make the store of a carrier on this machine",
    discussion: """
      On a second machine: the store is made with the id and the identities of the first one's, and all \
      that is in the carrier is taken in. It needs the passphrase that `capsule sync add` asked for, or \
      an identity that the identities were sealed to. There must not be another store in its place.
      """,
    operands: [place],
    options: [name] + PassphraseOptions.options + [KeyOptions.identity], outputs: .json,
    examples: [
      Example("capsule sync join /media/stick/capsule", "Take the store over from a stick"),
      Example("capsule sync join ada@nas:capsule --name nas", "From a host, through ssh"),
    ],
    exitCodes: [.partial, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try Carriers.name(invocation[name] ?? "carrier")
    let place = try Carriers.place(try invocation[place], session)
    var carriers = try Carriers(session)
    let sealed = try read(place, session)
    let header = try open(sealed, invocation, session)
    if let store = try Store.open(at: session.storePath(), environment: session.storeEnvironment),
      store.header.id != header.id
    {
      throw Failure(
        .refused, "there is another store in '\(try session.storePath().text)'",
        hint: "give the joined one a place of its own: '--store DIR'")
    }
    let known = carriers.all.first { $0.store == header.id && $0.place == place }
    let carrier = known ?? NamedCarrier(name: name, store: header.id, place: place)
    try carriers.requireFree(carrier)
    let store = try Store.openOrCreate(
      at: session.storePath(), environment: session.storeEnvironment, now: session.now,
      as: (header, header.identities))
    try carriers.add(carrier, session)
    return try SyncRunCommand.sync(session.opened(store, nil), [carrier], session)
  }

  private static func read(
    _ place: CarrierPlace, _ session: Session
  ) throws -> [UInt8] {
    let files = session.host.files
    let folder = try PrivateFile(named: Array("carrier".utf8), as: .copy, session, in: nil)
    defer { folder.remove() }
    func file(_ name: CarrierName) throws(SyncError) -> [UInt8]? {
      let path = folder.path.appending(name.path)
      defer { try? files.unlink(path) }
      do throws(FileSystemError) {
        return try files.readFile(path, limit: 1 << 22)
      } catch {
        if error.condition == .notFound { return nil }
        throw .io(error)
      }
    }
    let sealed: [UInt8]?
    do throws(SyncError) {
      do throws(CarrierFault) {
        try place.carrier(session).get([.header, .identities], into: folder.path)
      } catch {
        throw .carrier(error)
      }
      guard let header = try file(.header) else { throw .noHeader(hasFiles: false) }
      _ = try CarrierHeader(header)
      sealed = try file(.identities)
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

  private static func open(
    _ sealed: [UInt8], _ invocation: Invocation, _ session: Session
  ) throws -> StoreHeader {
    var reader = try AgeReader(MemorySource(sealed), encoding: .binary)
    let isPassphrase = reader.header.stanzas.contains { $0.kind == "scrypt" }
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if let passphrase = try PassphraseOptions.given(invocation, session) {
      identities.append(ScryptIdentity(passphrase))
    }
    var key: FileKey?
    if !identities.isEmpty || !isPassphrase {
      guard !identities.isEmpty else {
        throw Failure(
          .key, "the store's identities are sealed to recipients",
          hint: "give an identity that opens them: '--identity FILE'")
      }
      key = try reader.unlock(with: identities)
    }
    let keys = InteractiveKeys(
      session: session, invocation: invocation, question: "Passphrase of the carrier: ")
    var attempt = 1
    while key == nil, let passphrase = try keys.passphrase(attempt: attempt) {
      do throws(AgeFailure) {
        key = try reader.unlock(with: [ScryptIdentity(passphrase)])
      } catch {
        guard case .noMatch = error else { throw error }
      }
      attempt += 1
    }
    guard let key else { throw Failure(.key, "the passphrase is wrong") }
    var sink = MemorySink()
    _ = try reader.open(with: key, to: &sink)
    let damaged = Failure(
      .damaged, "the identities in the carrier are not what was written",
      hint: "on a machine that has the store: capsule sync add NAME PLACE --passphrase")
    guard let (fields, damage) = try? RecordFile.decode(sink.bytes), damage == nil,
      let header = try? StoreHeader(fields: fields),
      !header.identities.isEmpty, header.identities.allSatisfy(\.isUsable)
    else { throw damaged }
    guard header.isKnown else {
      throw StoreError.newerFormat(header.format, path: CarrierName.identities.path)
    }
    return header
  }
}
