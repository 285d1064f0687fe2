/// Makes deliveries, each whole or not at all, and marks their bequests sent.
package struct DeliveryWriter {
  private let store: Store
  private let terms: DeliveryTerms
  private let output: FilePath
  private let marksSent: Bool

  private var files: any FileSystem { store.files }

  /// Returns `nil` where the terms name no place.
  ///
  /// - Parameters:
  ///   - marksSent: whether bequests are marked sent when the delivery they are in is whole.
  package init?(
    _ store: Store, _ terms: DeliveryTerms, marksSent: Bool
  ) {
    guard let output = terms.output else { return nil }
    self.store = store
    self.terms = terms
    self.output = output
    self.marksSent = marksSent
  }

  /// Makes the place of all deliveries where there is none.
  ///
  /// - Returns: the remains of deliveries to the same people that were killed, or still run: they are
  ///   in the clear.
  /// - Throws: a ``Fault`` where bequests are to be marked in a store that cannot be changed;
  ///   ``PlaceInStore``; a ``Fault``.
  package func prepare(for plan: DeliveryPlan) throws -> [FilePath] {
    if marksSent { try store.requireWritable() }
    try files.requireOutsideStores(output, and: store.layout.root)
    try files.createDirectories(output)
    return files.remains(of: plan.deliveries.compactMap(\.path?.partialPrefix), in: output)
  }

  /// Makes all that can be made; each delivery keeps what became of it.
  ///
  /// - Parameter watch: called with the number of bytes before they are written; it ends the work by
  ///   throwing, and nothing half made is left.
  package func make(
    _ plan: inout DeliveryPlan, watch body: @escaping (Int) throws -> Void
  ) throws {
    let watch = WorkWatch(body)
    for index in plan.deliveries.indices where plan.deliveries[index].canBeMade {
      do {
        try make(plan.deliveries[index], owner: plan.owner, watch)
        plan.deliveries[index].outcome = .made
        if marksSent {
          try mark(plan.deliveries[index])
          plan.deliveries[index].outcome = .marked
        }
      } catch {
        if let interruption = watch.interruption { throw interruption }
        plan.deliveries[index].problem = error
      }
      try watch.pass(0)
    }
  }

  private func make(
    _ delivery: PersonalDelivery, owner: String, _ watch: WorkWatch
  ) throws {
    guard let path = delivery.path else { return }
    do {
      let temporary = output.appending(
        path.partialPrefix + (try store.environment.temporaryName().prefix(8)))
      guard terms.isSealed else {
        return try fill(
          DeliveryFolder(path, temporary: temporary, from: store, watch: watch),
          with: delivery, owner)
      }
      let recipient = try AgeRecipient(delivery.person.recipient)
      try fill(
        DeliveryArchive(
          path, temporary: temporary, root: delivery.name, to: recipient, in: store, now: terms.now,
          watch: watch),
        with: delivery, owner)
    } catch let error as Fault
      where error.condition == .exists || error.condition == .notEmpty
    {
      // Another delivery was faster: the rename of a folder fails with either error.
      throw Fault.deliveryExists(path, delivery.person)
    }
  }

  private func fill(
    _ target: some DeliveryTarget, with delivery: PersonalDelivery, _ owner: String
  ) throws {
    var target = target
    do {
      for file in delivery.allFiles(owner: owner, terms) {
        do {
          try target.add(file)
        } catch {
          throw delivery.named(error, of: file)
        }
      }
      // To copy large files takes minutes, in which people think again.
      try store.handover.requireUnchanged(delivery, now: terms.now)
      try target.commit()
    } catch {
      target.discard()
      throw error
    }
  }

  /// Keeps that the gifts were sent: one record each, after the folder is whole and safe.
  private func mark(_ delivery: PersonalDelivery) throws(Fault) {
    var failed: [UnmarkedBequest] = []
    for gift in delivery.gifts {
      let sent = DeliveryChange(.sent, at: terms.now, notes: "")
      do {
        _ = try store.handover.mark(gift.bequest, sent, now: terms.now)
      } catch {
        failed.append(
          UnmarkedBequest(
            bequest: gift.bequest.model.id, title: gift.gift.title, cause: error))
      }
    }
    if !failed.isEmpty { throw .unmarked(failed, delivery.path) }
  }
}

extension FilePath {
  /// The beginning of the name that something has beside its place while it is made.
  var partialPrefix: String { ".\(String(decoding: lastComponent, as: UTF8.self)).partial-" }
}

extension FileSystem {
  /// The entries of a folder whose names begin so: what runs left there that were killed, or still are.
  func remains(of prefixes: [String], in folder: FilePath) -> [FilePath] {
    ((try? contents(ofDirectory: folder)) ?? [])
      .filter { entry in prefixes.contains { entry.name.starts(with: $0.utf8) } }
      .map { folder.appending(bytes: $0.name) }
  }
}

extension PersonalDelivery {
  /// Adds to an error which gift's file it is about; an error of the place is about none.
  func named(_ error: any Error, of file: DeliveryFile) -> any Error {
    let gift = gifts.first { $0.files.contains { $0.path == file.path } }
    guard let gift else { return error }
    return Fault.stream(error).ofDelivery(file) { name in
      "nothing was made for '\(person.name)': '\(name)' of '\(gift.gift.title)'"
    }
  }
}

/// What a delivery was planned by, read again.
extension StoreHandover {
  /// Refuses a delivery that would be planned otherwise by now. It is called just before something is handed
  /// over, because much time may have passed since it was planned.
  ///
  /// - Parameter now: the time that it was planned for.
  /// - Throws: ``Fault``; a ``Fault`` where a record or the settings cannot
  ///   be read.
  package func requireUnchanged(_ delivery: PersonalDelivery, now: Instant) throws {
    let person = delivery.person
    guard try readIfPresent(Beneficiary.self, person.id)?.model == person else {
      throw Fault.deliveryChanged(.person, person)
    }
    let passing = try store.settings.intact().passing?.at
    let gifts = delivery.gifts.map { ($0.bequest, $0.subjectDigest, $0.gift.title) }
    let leftOut = delivery.leftOut.map { ($0.bequest, $0.subjectDigest, $0.title) }
    for (bequest, subjectDigest, title) in gifts + leftOut {
      guard try digest(of: Bequest.self, bequest.model.id) == bequest.digest else {
        throw Fault.deliveryChanged(.bequest(of: title), person)
      }
      let subject = bequest.model.subject
      let current =
        subject.kind == .item
        ? try digest(of: Item.self, subject.id) : try digest(of: Capsule.self, subject.id)
      guard current == subjectDigest else {
        throw Fault.deliveryChanged(.gift(title), person)
      }
      guard bequest.model.brief.isDeliverable(passing: passing, at: now) else {
        throw Fault.deliveryChanged(.passing, person)
      }
    }
  }

  private func digest<Model: RecordModel>(
    of type: Model.Type, _ id: RecordID
  ) throws(Fault) -> [UInt8]? {
    try readIfPresent(type, id)?.digest
  }

  private func readIfPresent<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> StoredRecord<Model>? {
    do { return try store.read(type, id) } catch {
      if error.code == .recordGone { return nil }
      throw error
    }
  }
}

/// A delivery as a folder: built beside its place under a name of its own, and renamed when it is
/// whole.
struct DeliveryFolder: DeliveryTarget {
  private let store: Store
  private let watch: WorkWatch
  private let path: FilePath
  private let temporary: FilePath
  /// Whether an empty folder that has the name is replaced.
  private let replacesEmpty: Bool
  /// The folders made, each behind the one that it is in.
  private var folders: [FilePath] = []
  private var written: [FilePath] = []

  private var files: any FileSystem { store.files }

  init(
    _ path: FilePath, temporary: FilePath, from store: Store, watch: WorkWatch,
    replacesEmpty: Bool = false
  ) throws {
    self.replacesEmpty = replacesEmpty
    self.store = store
    self.watch = watch
    self.path = path
    self.temporary = temporary
    do {
      try files.createDirectory(temporary, mode: 0o700)
    } catch {
      // A call that fails may have made it.
      if error.condition != .exists { try? files.removeDirectory(temporary) }
      throw error
    }
    folders.append(temporary)
  }

  mutating func add(_ file: DeliveryFile) throws {
    var open = try begin(file.path)
    do { try file.write(from: store, to: &open.sink) } catch {
      open.close()
      throw error
    }
    try open.end(modified: file.modified)
  }

  /// Makes a file, and the folders that its path names; it is written and ended by the caller.
  mutating func begin(_ path: String) throws -> OpenFile {
    var target = temporary
    let parts = path.parts(at: "/")
    for part in parts.dropLast() {
      target = target.appending(part)
      if folders.contains(target) { continue }
      // The folder is noted first: a call that fails may have made it.
      folders.append(target)
      try files.createDirectory(target, mode: 0o700)
    }
    target = target.appending(parts.last ?? "")
    written.append(target)
    return OpenFile(
      files, try files.open(target, .createExclusive(mode: 0o600)), watch)
  }

  /// Takes the last file away that was begun.
  mutating func dropLast() throws {
    guard let file = written.popLast() else { return }
    try files.unlink(file)
  }

  /// A file that is being written.
  struct OpenFile {
    private let files: any FileSystem
    private let descriptor: FileDescriptor
    var sink: WatchedSink<FileSink>

    fileprivate init(_ files: any FileSystem, _ descriptor: FileDescriptor, _ watch: WorkWatch) {
      self.files = files
      self.descriptor = descriptor
      sink = WatchedSink(FileSink(files, descriptor), watch: watch)
    }

    /// Makes the bytes survive a power cut, and closes the file, also where that fails.
    func end(modified: FileTime? = nil) throws {
      do {
        if let modified { try files.date(descriptor, modified) }
        try files.synchronize(descriptor)
      } catch {
        close()
        throw error
      }
      try files.close(descriptor)
    }

    func close() { try? files.close(descriptor) }
  }

  mutating func commit() throws {
    for folder in folders.reversed() { try files.synchronizeDirectory(folder) }
    if replacesEmpty {
      // Onto anything but an empty folder a folder cannot be renamed (rename(2)).
      try files.rename(temporary, to: path)
    } else {
      try files.renameExclusively(temporary, to: path)
    }
    // The folder has its name now: it is no longer taken away.
    folders = []
    written = []
    try files.synchronizeDirectory(path.parent, .directoryFollowingLinks)
  }

  mutating func discard() {
    for file in written { try? files.unlink(file) }
    for folder in folders.reversed() { try? files.removeDirectory(folder) }
    folders = []
    written = []
  }
}

/// A delivery as a tar archive in an age file: streamed, so that nothing of it is on the disk in the
/// clear.
struct DeliveryArchive: DeliveryTarget {
  private let files: any FileSystem
  private let path: FilePath
  private let temporary: FilePath
  private let descriptor: FileDescriptor
  /// The folder that everything in the archive is in.
  private let root: String
  private var tar: HandoverTar<AgeSealingSink<FileSink>>
  private var isOpen = true

  init(
    _ path: FilePath, temporary: FilePath, root: String, to recipient: any Recipient,
    in store: Store, now: Instant, watch: WorkWatch
  ) throws {
    files = store.files
    self.path = path
    self.temporary = temporary
    self.root = root
    descriptor = try files.open(temporary, .createExclusive(mode: 0o600))
    do {
      let sealing = try AgeWriter(to: [recipient], random: store.environment.random)
        .sealing(into: FileSink(files, descriptor))
      tar = HandoverTar(sealing, from: store, at: now, watch: watch)
    } catch {
      try? files.close(descriptor)
      try? files.unlink(temporary)
      throw error
    }
  }

  mutating func add(_ file: DeliveryFile) throws { try tar.add(file, in: root) }

  mutating func commit() throws {
    _ = try tar.finish().finish()
    try files.synchronize(descriptor)
    isOpen = false
    try files.close(descriptor)
    try files.publish(temporary, as: path)
    try files.synchronizeDirectory(path.parent, .directoryFollowingLinks)
  }

  mutating func discard() {
    if isOpen { try? files.close(descriptor) }
    isOpen = false
    try? files.unlink(temporary)
  }
}

/// The files of a delivery in a tar archive, with the folders that their paths name.
struct HandoverTar<Sink: ByteSink> {
  private(set) var archive: PaxWriter<Sink>
  private let store: Store
  private let watch: WorkWatch
  /// The time of folders, and of files without a time of their own.
  private let time: Int64
  private var folders: Set<String> = []

  init(_ sink: Sink, from store: Store, at time: Instant, watch: WorkWatch) {
    archive = PaxWriter(sink)
    self.store = store
    self.watch = watch
    self.time = time.seconds
  }

  /// Adds a file behind the folders that are not there yet.
  ///
  /// - Parameter root: the folder that it goes into.
  mutating func add(_ file: DeliveryFile, in root: String) throws {
    try enter(Self.folders(of: file.path, in: root))
    try addAlone(file, in: root)
  }

  /// Adds files, each behind its folders.
  ///
  /// - Parameter explain: adds to an error which of the files it is about.
  mutating func add(
    _ files: [DeliveryFile], in root: String, explain: (any Error, DeliveryFile) -> any Error
  ) throws {
    for file in files {
      do { try add(file, in: root) } catch { throw explain(error, file) }
    }
  }

  /// Adds a file without its folders, so that the archive can begin with it.
  mutating func addAlone(_ file: DeliveryFile, in root: String) throws {
    try archive.begin(
      "\(root)/\(file.path)", size: file.size, modified: file.modified?.seconds ?? time)
    var sink = WatchedSink(archive, watch: watch)
    try file.write(from: store, to: &sink)
    archive = sink.target
  }

  /// Adds an archive of files, sealed to a recipient, as one file behind its folders.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - root: the folder that it goes into.
  ///   - name: the folder within it that the files are in.
  ///   - explain: adds to an error which of the files it is about.
  mutating func addSealed(
    _ files: [DeliveryFile], as path: String, in root: String, named name: String,
    to recipient: any Recipient, explain: (any Error, DeliveryFile) -> any Error
  ) throws {
    try enter(Self.folders(of: path, in: root))
    let writer = try AgeWriter(to: [recipient], random: store.environment.random)
    let count = Self.byteCount(of: files, in: name, at: time)
    try archive.begin("\(root)/\(path)", size: writer.sealedSize(of: count), modified: time)
    var inner = HandoverTar<AgeSealingSink<PaxWriter<Sink>>>(
      try writer.sealing(into: archive), from: store, at: Instant(seconds: time), watch: watch)
    try inner.add(files, in: name, explain: explain)
    archive = try inner.finish().finish()
  }

  /// Adds the folders that are not there yet.
  private mutating func enter(_ path: [String]) throws {
    for folder in path where folders.insert(folder).inserted {
      try archive.directory(folder, modified: time)
    }
  }

  /// Ends the archive.
  ///
  /// - Returns: the sink that it was written to.
  mutating func finish() throws -> Sink {
    try archive.finish()
    return archive.sink
  }

  /// The size of an archive of files, in bytes.
  private static func byteCount(
    of files: [DeliveryFile], in root: String, at time: Int64
  ) -> Int64 {
    var folders: Set<String> = []
    var count = PaxWriter<Sink>.endByteCount
    for file in files {
      for folder in self.folders(of: file.path, in: root) where folders.insert(folder).inserted {
        count = count.addingClamped(
          PaxWriter<Sink>.byteCount(ofDirectory: folder, modified: time))
      }
      count = count.addingClamped(
        PaxWriter<Sink>.byteCount(
          of: "\(root)/\(file.path)", size: file.size, modified: file.modified?.seconds ?? time))
    }
    return count
  }

  /// The folders that a file is in, the outermost first.
  private static func folders(of path: String, in root: String) -> [String] {
    var folders = [""]
    for part in "\(root)/\(path)".parts(at: "/").dropLast() {
      folders.append(folders.count == 1 ? part : "\(folders[folders.count - 1])/\(part)")
    }
    return Array(folders.dropFirst())
  }
}
