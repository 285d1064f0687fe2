/// `carrier.json`: which carrier it is, and proof of the store that it belongs to.
package struct CarrierHeader: Hashable, Sendable {
  static let format: Int64 = 1
  /// The most bytes of the file.
  static let limit = 1 << 16
  /// What is fetched to read one.
  static let fetch = CarrierFetch(.header, limit: Int64(limit))
  /// 32 random digits.
  package let id: String
  let mark: String

  package var encoded: [UInt8] {
    JSON.object([
      "format": .integer(Self.format), "id": .string(id), "store": .string(mark),
    ]).encoded()
  }

  init(id: String, mark: String) {
    self.id = id
    self.mark = mark
  }

  package init(_ bytes: [UInt8]) throws(Fault) {
    guard let json = try? JSON.parse(bytes), let format = json["format"]?.integer else {
      throw .remoteDamaged
    }
    guard format <= Self.format else { throw .newerCarrier(format) }
    guard let id = json["id"]?.string, ActorID(id) != nil, let mark = json["store"]?.string else {
      throw .remoteDamaged
    }
    self.init(id: id, mark: mark)
  }
}

/// The work of a session with a carrier.
extension SyncSession {
  /// Refuses a carrier that lies in the store, or the other way round; links do not hide it.
  private func requireApart(_ carrier: some Carrier) throws(Fault) {
    guard let directory = carrier.directory else { return }
    do {
      try files.require(directory, outside: store.layout.root)
      if try files.statusIfPresent(directory) != nil {
        try files.require(store.layout.root, outside: directory)
      }
    } catch {
      throw (error as? Fault)?.code == .insideStore ? .nested : .stream(error)
    }
  }

  /// Reads who a carrier is.
  package func header(
    of carrier: some Carrier, _ listing: CarrierListing
  ) throws(Fault) -> CarrierHeader {
    try requireApart(carrier)
    guard let size = listing[.header] else { throw .noHeader(hasFiles: !listing.isEmpty) }
    guard size <= CarrierHeader.limit else { throw .remoteDamaged }
    let folder = incoming.appending("header")
    files.removeTree(folder)
    defer { files.removeTree(folder) }
    try carrier.get([CarrierHeader.fetch], into: folder)
    let bytes: [UInt8]
    do {
      bytes = try files.readFile(
        folder.appending(CarrierName.header.path), limit: CarrierHeader.limit)
    } catch {
      switch error.condition {
      case .notFound: throw .noHeader(hasFiles: true)
      case .fileTooLarge: throw .remoteDamaged
      default: throw error
      }
    }
    let header = try CarrierHeader(bytes)
    guard constantTimeEqual(Array(header.mark.utf8), Array(keys.mark(of: header.id).utf8)) else {
      throw .remoteOfOtherStore
    }
    return header
  }

  /// Lists a carrier, and reads who it is.
  package func header(of carrier: some Carrier) throws(Fault) -> CarrierHeader {
    try header(of: carrier, try carrier.list())
  }

  /// Makes a carrier of an empty place, or finds that it is one of this store.
  ///
  /// - Parameter identities: the store's identities, sealed; `nil` where they are not put there.
  package mutating func add(
    _ carrier: some Carrier, identities: [UInt8]?
  ) throws(Fault) -> CarrierHeader {
    let listing = try listed(carrier)
    var header: CarrierHeader
    do {
      header = try self.header(of: carrier, listing)
    } catch {
      guard error.code == .noRemote, listing.isEmpty else { throw error }
      let id = try ActorID(random: store.environment.random).description
      header = CarrierHeader(id: id, mark: keys.mark(of: id))
      if let identities { try send(identities, as: .identities, to: carrier) }
      // The header is sent last: with it the place is a carrier.
      try send(header.encoded, as: .header, to: carrier)
      return header
    }
    if let identities { try send(identities, as: .identities, to: carrier) }
    return header
  }

  /// Lists a carrier, and makes its place where there is none.
  private func listed(_ carrier: some Carrier) throws(Fault) -> CarrierListing {
    try requireApart(carrier)
    do { return try carrier.list() } catch {
      guard error.code == .remoteUnreachable else { throw error }
    }
    let empty = try emptyDirectory()
    try carrier.make(by: empty)
    return CarrierListing()
  }

  private func send(
    _ bytes: [UInt8], as name: CarrierName, to carrier: some Carrier
  ) throws(Fault) {
    let path = outgoing.appending(name.path)
    try files.createDirectories(path.parent)
    try? files.unlink(path)
    try files.writeTemporary(path, bytes, mode: 0o600)
    defer { try? files.unlink(path) }
    try carrier.put([name], from: outgoing)
  }

  /// Synchronises with one carrier.
  ///
  /// - Parameters:
  ///   - others: further carriers of the store, which are only looked at, before any change of this machine
  ///     gets its dot: each may know that the state was put back. Those that are not there are passed over.
  ///   - progress: called with the bytes of files done and in all.
  package mutating func sync(
    _ carrier: some Carrier, besides others: [any Carrier] = [],
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> SyncReport {
    for other in others { try? requireOwnLast(in: other) }
    var report = SyncReport()
    var listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    defer { files.removeTree(outgoing) }
    try requireOwnLast(id, listing)
    // As the states are before anything of this sync: a state that is only kept anew is not sent again.
    _ = state.behind(id)
    let (inbox, removed, got) = try receive(from: carrier, id, listing, &report)
    for (subject, arrived) in inbox {
      let own = state.rows[subject] == nil ? nil : state.entry(subject)?.state.vector
      state.know(id) {
        $0.noteArrival(of: subject, arrived.vector, state: own ?? VersionVector())
      }
    }
    let scan = try scan(inbox)
    report.held = scan.held
    try keep()
    try putFiles(
      of: subjects(thatNeed: removed, in: listing), to: carrier, &listing, &report, progress)
    try publish(to: carrier, id, &listing, &report, progress)
    // What it lost, other machines may never have seen: one segment with everything makes up for it.
    if !lostSegments(id, listing).isEmpty { try putBase(to: carrier, id, &listing) }
    try merge(inbox, scan, from: carrier, id, listing, &report)
    let there = Set(
      listing.keys.compactMap { if case .segment(let name) = $0 { name } else { nil } })
    state.change(id) { $0.read = $0.read.union(got).intersection(there) }
    try keep()
    try publish(to: carrier, id, &listing, &report, progress)
    try announceRemoved(from: carrier, id, &listing)
    try compact(carrier, id, &listing)
    let now = now
    state.change(id) { $0.ended = now.seconds }
    try keep()
    files.removeTree(incoming)
    return report
  }

  /// Takes a new name where a carrier shows that the state was put back.
  mutating func requireOwnLast(in carrier: some Carrier) throws(Fault) {
    let listing = try carrier.list()
    try requireOwnLast(try header(of: carrier, listing).id, listing)
  }

  /// Takes a new name where the carrier's own last segment is not the one that is remembered: the state, or
  /// the carrier, was put back.
  mutating func requireOwnLast(
    _ id: String, _ listing: CarrierListing
  ) throws(Fault) {
    let own = ownSegments(listing)
    let known = state.carriers[id]
    let number = known?.number ?? 0
    let last = own.last?.number ?? 0
    // One more than was noted as put was interrupted between both.
    let isKnown =
      last == known?.last?.number ?? 0 || (last == number && last > known?.last?.number ?? 0)
    if !isKnown { try becomeAnother() }
  }

  /// The own segments that were put and that nothing has taken the place of, but that the carrier has no
  /// more.
  func lostSegments(_ id: String, _ listing: CarrierListing) -> [SegmentName] {
    (state.carriers[id]?.read ?? []).filter { name in
      name.actor == actor && listing[.segment(name)] == nil
    }.sorted()
  }

  func ownSegments(_ listing: CarrierListing) -> [SegmentName] {
    listing.keys.compactMap { name in
      if case .segment(let name) = name, name.actor == actor { name } else { nil }
    }.sorted()
  }

  /// Reads the segments of others that were not read before. One that was found damaged is named again, and not
  /// fetched before it is another one.
  private mutating func receive(
    from carrier: some Carrier, _ id: String, _ listing: CarrierListing,
    _ report: inout SyncReport
  ) throws(Fault) -> (
    inbox: [SyncSubject: RecordState], removed: Set<String>, got: Set<SegmentName>
  ) {
    let read = state.carrier(id).read
    var names: [SegmentName] = []
    for case .segment(let name) in listing.keys where name.actor != actor && !read.contains(name) {
      if state.isKnownDamaged(.segment(name), in: id, listing) {
        report.damaged.append(.segment(name))
      } else {
        names.append(name)
      }
    }
    var inbox: [SyncSubject: RecordState] = [:]
    var removed: Set<String> = []
    var got: Set<SegmentName> = []
    var damaged: [CarrierName] = []
    var hosts = state.carrier(id).hosts
    try readSegments(
      names.sorted(), from: carrier, id, listing,
      record: { inbox[$0, default: RecordState()].join($1) }
    ) { name, note, problem in
      switch problem {
      case nil:
        removed.formUnion(note.removed)
        if !note.host.isEmpty { hosts[name.actor] = note.host }
        got.insert(name)
      case .newer: report.newer.append(.segment(name))
      case .damaged, .incomplete: damaged.append(.segment(name))
      }
    }
    report.damaged += damaged
    state.noteDamaged(damaged, in: id, listing)
    if hosts != state.carrier(id).hosts { state.change(id) { $0.hosts = hosts } }
    return (inbox, removed, got)
  }

  /// The bytes of segments that are fetched together; the last one may be larger.
  private static let segmentBytes: Int64 = 64 << 20

  /// Fetches segments and reads them, some at a time. One that is larger than any is not fetched.
  ///
  /// - Parameters:
  ///   - record: takes a state of a record, as it is read.
  ///   - body: takes the outcome for a segment: what its machine says of itself, or why it was not taken in.
  func readSegments(
    _ names: [SegmentName], from carrier: some Carrier, _ id: String, _ listing: CarrierListing,
    record: @escaping (SyncSubject, RecordState) -> Void,
    _ body: (SegmentName, Segment.Note, Segment.Problem?) -> Void
  ) throws(Fault) {
    func size(_ name: SegmentName) -> Int64 { listing[.segment(name)] ?? 0 }
    for name in names where size(name) > Segment.sizeLimit { body(name, Segment.Note(), .damaged) }
    var rest = names.filter { size($0) <= Segment.sizeLimit }[...]
    while !rest.isEmpty {
      var bytes: Int64 = 0
      let part = rest.prefix { name in
        defer { bytes += size(name) }
        return bytes < Self.segmentBytes
      }
      rest = rest.dropFirst(part.count)
      // One that has grown since it was listed is not whole yet.
      try carrier.get(
        part.map { CarrierFetch(.segment($0), limit: size($0)) }, into: incoming)
      for name in part {
        let path = incoming.appending(CarrierName.segment(name).path)
        defer { try? files.unlink(path) }
        do {
          let note = try Segment.read(
            name, at: path, carrier: id, of: store, keys, record: record)
          body(name, note, nil)
        } catch {
          guard let problem = (error as? Fault)?.cause as? Segment.Problem else {
            throw .stream(error)
          }
          body(name, Segment.Note(), problem)
        }
      }
    }
  }

  /// Puts the states that a carrier lacks, with the files that they name.
  private mutating func publish(
    to carrier: some Carrier, _ id: String, _ listing: inout CarrierListing,
    _ report: inout SyncReport, _ progress: (Int64, Int64) -> Void
  ) throws(Fault) {
    let knowledge = state.behind(id)
    var vectors: [SyncSubject: VersionVector] = [:]
    for subject in knowledge.behind.keys { vectors[subject] = state.entry(subject)?.state.vector }
    let lacking = knowledge.lacking { vectors[$0] }.sorted { $0.text < $1.text }
    if !lacking.isEmpty {
      try putFiles(of: lacking, to: carrier, &listing, &report, progress)
      try putSegment(lacking, to: carrier, id, &listing)
      report.sentRecords.formUnion(lacking)
    }
    state.notePublished(id)
  }

  mutating func putSegment(
    _ subjects: [SyncSubject], removed: Set<String> = [], to carrier: some Carrier, _ id: String,
    _ listing: inout CarrierListing
  ) throws(Fault) {
    let number = state.carrier(id).number.addingClamped(1)
    state.change(id) { $0.number = number }
    try keep()
    let name: SegmentName
    var state = self.state
    do {
      name = try Segment.write(
        subjects, { state.entry($0)?.state },
        Segment.Note(removed: removed, host: store.environment.hostName), as: actor,
        number: number, carrier: id, of: store, keys, into: outgoing)
    } catch {
      throw .stream(error)
    }
    let path = outgoing.appending(CarrierName.segment(name).path)
    let size = (try? files.status(path).size) ?? 0
    try carrier.put([.segment(name)], from: outgoing)
    try? files.unlink(path)
    listing[.segment(name)] = size
    for subject in subjects {
      guard let vector = self.state.entry(subject)?.state.vector else { continue }
      self.state.know(id) {
        $0.noteArrival(of: subject, vector, state: vector)
        $0.settle(subject, vector)
      }
    }
    self.state.change(id) {
      $0.last = name
      $0.read.insert(name)
    }
    try keep()
  }

  /// The most own segments that a carrier holds before they are put together.
  private static let segmentLimit = 12

  /// Puts one segment with everything in the place of many: first that, then the others go.
  private mutating func compact(
    _ carrier: some Carrier, _ id: String, _ listing: inout CarrierListing
  ) throws(Fault) {
    let own = ownSegments(listing)
    guard own.count > Self.segmentLimit else { return }
    try putBase(to: carrier, id, &listing)
    try drop(own.map { .segment($0) }, from: carrier)
  }

  /// Puts a segment with everything.
  mutating func putBase(
    to carrier: some Carrier, _ id: String, _ listing: inout CarrierListing
  ) throws(Fault) {
    try putSegment(
      state.rows.keys.sorted { $0.text < $1.text }, removed: state.carrier(id).removed,
      to: carrier, id, &listing)
    // The earlier own ones are needed no more.
    let actor = actor
    state.change(id) { record in
      record.read = record.read.filter { $0.actor != actor || $0 == record.last }
    }
    try keep()
  }

  /// Removes files from a carrier.
  func drop(_ names: [CarrierName], from carrier: some Carrier) throws(Fault) {
    guard !names.isEmpty else { return }
    let empty = try emptyDirectory()
    try carrier.drop(names, by: empty)
  }

  /// A directory without files, for programs that compare one with a carrier.
  private func emptyDirectory() throws(Fault) -> FilePath {
    let path = outgoing.appending("empty")
    files.removeTree(path)
    try files.createDirectories(path)
    return path
  }
}
