import CapsuleCore

/// The passphrase of a protected store, which is asked for once a run.
final class StorePassphrases {
  private unowned let session: Session
  /// The identities of a store that was opened in this run, and where that store is.
  private var known: (identities: [OpenedIdentity]?, place: FilePath)?

  init(_ session: Session) { self.session = session }

  /// The number of times that it may be mistyped.
  private static let tries = 3

  /// Returns a protected store with its identities opened: by the passphrase that is named, by the one that is
  /// held, or by one that is asked for, once a run; any other store as it is.
  ///
  /// - Parameter invocation: the invocation with the options that name a passphrase; `nil` where
  ///   those of the command mean another.
  func opened(_ store: Store, _ invocation: Invocation?) throws -> Store {
    let known = try openedIfGiven(store, invocation)
    if !known.protection.isClosed { return known }
    _ = try checked(of: store, nil)
    return try openedIfGiven(store, nil)
  }

  /// Returns a protected store with its identities opened where its passphrase is named, or held; nothing is
  /// asked.
  func openedIfGiven(_ store: Store, _ invocation: Invocation?) throws -> Store {
    guard store.protection.isClosed else { return store }
    if let known, let identities = known.identities, known.place == store.layout.root {
      var store = store
      store.opened = identities
      return store
    }
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      return remember(try store.protection.opened(with: passphrase))
    }
    guard let held = HeldPassphrase.place(session, of: store), let passphrase = held.read() else {
      return store
    }
    do {
      return remember(try store.protection.opened(with: passphrase))
    } catch {
      // The store was protected anew since.
      guard error.code == .wrongStorePassphrase else { throw error }
      held.remove()
      return store
    }
  }

  /// Returns the passphrase of a protected store, as it is named or typed, when it has opened the store.
  func checked(of store: Store, _ invocation: Invocation?) throws -> Passphrase {
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      _ = remember(try store.protection.opened(with: passphrase))
      return passphrase
    }
    for attempt in 1...Self.tries {
      guard session.ask.isPossible else { throw Fault.storeClosed }
      if attempt > 1 { session.console.warning("wrong passphrase, try again") }
      let passphrase = try PassphraseOptions.asked("Passphrase of the store: ", session)
      do {
        _ = remember(try store.protection.opened(with: passphrase))
        return passphrase
      } catch {
        guard error.code == .wrongStorePassphrase else { throw error }
      }
    }
    throw Fault.wrongStorePassphrase
  }

  private func remember(_ store: Store) -> Store {
    known = (store.opened, store.layout.root)
    return store
  }
}

/// The passphrase of a protected store that `store hold` keeps for a while, in a file of
/// `$XDG_RUNTIME_DIR`: memory that goes when the user is gone.
///
///     capsule hold 1
///     <from> <until, Unix seconds> <from> <until, nanoseconds since the machine started>
///     <the passphrase, to the end of the file>
struct HeldPassphrase {
  private let files: any FileSystem
  private let host: Host
  private let now: Instant
  let path: FilePath

  private static let firstLine = "capsule hold 1"
  private static let sizeLimit = 1 << 17

  /// - Throws: a failure where there is no directory of the user's own, which nobody else can enter.
  init(_ session: Session, of store: Store) throws {
    guard let place = Self.place(session, of: store) else {
      throw Fault(
        .refused, "cannot remember the passphrase: there is no private directory in memory",
        hint: "set XDG_RUNTIME_DIR to a directory that you own, with mode 0700")
    }
    self = place
  }

  /// The place where one of the store would be; `nil` where there can be none.
  static func place(_ session: Session, of store: Store) -> HeldPassphrase? {
    guard let runtime = session.places.runtime,
      let status = try? session.host.files.statusFollowingLinks(runtime),
      status.kind == .directory, status.mode & 0o077 == 0, status.owner == session.host.user()
    else { return nil }
    return HeldPassphrase(
      files: session.host.files, host: session.host, now: session.now,
      path: runtime.appending("capsule-hold-\(store.header.id)"))
  }

  private init(files: any FileSystem, host: Host, now: Instant, path: FilePath) {
    self.files = files
    self.host = host
    self.now = now
    self.path = path
  }

  /// Keeps a passphrase for so many seconds, in the place of one that is kept.
  func keep(_ passphrase: Passphrase, seconds: Int64) throws {
    let boot = host.bootClock()
    let bootEnd = boot.addingClamped(seconds.multipliedClamped(by: 1_000_000_000))
    let head = "\(Self.firstLine)\n\(now.seconds) \(now.adding(seconds: seconds).seconds) "
    var bytes = Array("\(head)\(boot) \(bootEnd)\n".utf8)
    bytes.reserveCapacity(bytes.count + passphrase.bytes.count)
    defer { wipe(&bytes) }
    passphrase.bytes.withUnsafeBytes { bytes.append(contentsOf: $0) }
    let random = try host.random.bytes(8)
    let temporary = FilePath(bytes: path.bytes + Array(".\(Hex.encode(random))".utf8))
    try files.replace(path, bytes, mode: 0o600, by: temporary)
    for part in oldParts { try? files.unlink(part) }
  }

  /// The files of others that are keeping one, or ended while they did: each may hold a passphrase.
  private var parts: [FilePath] {
    let start = path.lastComponent + [UInt8(ascii: ".")]
    let entries = (try? files.contentsIfPresent(ofDirectory: path.parent)) ?? []
    return entries.filter { $0.name.starts(with: start) }.map {
      path.parent.appending(bytes: $0.name)
    }
  }

  /// Those that nobody is writing any more.
  private var oldParts: [FilePath] {
    let second = Instant(nanoseconds: host.wallClock()).seconds
    return parts.filter { part in
      guard let status = try? files.statusIfPresent(part) else { return false }
      return !(0..<60).contains(second.subtractingClamped(status.modified.seconds))
    }
  }

  /// Returns the passphrase that is kept; `nil` where there is none, and where its time is over, by the clock
  /// or by how long the machine runs: that one is removed.
  func read() -> Passphrase? { read(path) }

  private func read(_ path: FilePath) -> Passphrase? {
    guard var bytes = content(of: path) else { return nil }
    defer { wipe(&bytes) }
    let secret = passphraseStart(in: bytes).map { start in
      bytes.withUnsafeBytes {
        SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[start...]))
      }
    }
    guard let passphrase = secret.flatMap({ Passphrase($0) }) else {
      try? files.unlink(path)
      return nil
    }
    return passphrase
  }

  /// Removes one whose time is over.
  func dropExpired() {
    for file in [path] + oldParts where (try? files.statusIfPresent(file)) ?? nil != nil {
      _ = read(file)
    }
  }

  /// Removes what is kept.
  ///
  /// - Returns: whether there was something.
  @discardableResult
  func remove() -> Bool {
    ([path] + parts).count { (try? files.unlink($0)) != nil } > 0
  }

  /// A file's bytes, where it is the user's own and nobody else's.
  private func content(of path: FilePath) -> [UInt8]? {
    do {
      return try files.withFile(path, .read) { file throws(Fault) in
        let status = try files.status(file)
        guard status.kind == .regular, status.owner == host.user(), status.mode & 0o077 == 0,
          status.links == 1
        else { return [] }
        return try files.readAll(file, limit: Self.sizeLimit)
      }
    } catch {
      return nil
    }
  }

  /// Returns the place where the passphrase begins; `nil` where its time is over, or has not begun:
  /// a clock that was set back gives it no more time.
  private func passphraseStart(in bytes: [UInt8]) -> Int? {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, lines[0].elementsEqual(Self.firstLine.utf8) else { return nil }
    let numbers = lines[1].split(separator: UInt8(ascii: " ")).compactMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
    guard numbers.count == 4 else { return nil }
    let boot = host.bootClock()
    guard numbers[0] <= now.seconds, now.seconds < numbers[1], numbers[2] <= boot,
      boot < numbers[3]
    else { return nil }
    return lines[2].startIndex
  }
}
