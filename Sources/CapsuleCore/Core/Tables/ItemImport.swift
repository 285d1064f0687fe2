/// An import of a table among the items of a store: planned first, then written, all of it or nothing.
///
/// A line changes the item of its `id`, else the one that has its name in the store, else it makes a new one.
/// A column that the table has wins: an empty cell takes the item's away. Columns that it has not stay.
package struct ItemImport: ImportPlan {
  /// The result of the import for one line.
  package struct Step: ImportStep {
    /// The physical line.
    package let line: Int
    /// The name in it; `nil` where it could not be read.
    package let name: String?
    package internal(set) var kind: ImportOutcome<Item, Problem>
    /// The files that are to be kept with the item besides those that it has.
    package internal(set) var files: [FilePath] = []
  }

  /// The reason why a line is wrong.
  package enum Problem: ImportProblem, Error, Hashable, Sendable {
    case table(TableFault)
    case noName
    /// No item has the id, and the line has no name for a new one.
    case unknownID(String)
    /// Another line, or an item, has the name.
    case nameTaken(String, line: Int?)
    /// Several items have the name.
    case severalOfName(String)
    /// Another line is of the same item.
    case repeated(line: Int)
    case money(ItemColumn, String, Money.Problem)
    /// An amount has no currency, and none was given for such.
    case noCurrency(ItemColumn, String)
    case quantity(String)
    case file(Fault)
    case fileTooLarge(FilePath, limit: Int64)
    /// A file, with every link followed, is in none of the directories that files are taken from.
    case fileOutside(FilePath)
    /// The record of the item that is meant cannot be read.
    case unreadable(RecordID)
    case rule(Fault)

    package var isBad: Bool { true }
  }

  /// The facts that an import depends on besides the table.
  package struct Terms: Sendable {
    /// The currency of amounts that name none.
    package let currency: Currency?
    /// The directory that paths of files are relative to.
    package let directory: FilePath
    /// The directories that files are taken from, with all below them. A table often comes from somebody else:
    /// it must not choose among all the files that its reader can read.
    package let sources: [FilePath]
    /// The most bytes of a file.
    package let fileLimit: Int64
    package let now: Instant

    package init(
      currency: Currency?, directory: FilePath, sources: [FilePath], fileLimit: Int64, now: Instant
    ) {
      (self.currency, self.directory, self.sources) = (currency, directory, sources)
      (self.fileLimit, self.now) = (fileLimit, now)
    }
  }

  package private(set) var steps: [Step] = []
  /// The items that there were, those that are damaged among them.
  package let index: RecordIndex?
  private let store: Store?
  private let terms: Terms
  private let files: any FileSystem
  /// The items that there are, by their names, and the names that several have.
  private var holders: [NameKey: RecordID] = [:]
  private var shared: Set<NameKey> = []
  private var known: Set<RecordID> = []
  /// The lines of the items that there are.
  private var taken: [RecordID: Int] = [:]

  /// Plans the import; nothing is written.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none and nothing will be written.
  ///   - files: the file system in which the files of the column `files` are looked for.
  /// - Throws: `.noRandomness`; `.io` where the system does not let items be read, which would be added again.
  package init(
    _ table: ItemTable, into store: Store?, _ terms: Terms, _ files: any FileSystem
  ) throws(Fault) {
    (self.store, self.terms, self.files) = (store, terms, files)
    var index = try store?.index.whole(.item, now: terms.now)
    var (holders, shared): ([NameKey: RecordID], Set<NameKey>) = ([:], [])
    var known: Set<RecordID> = []
    index?.forEach(.ascending) { entry in
      known.insert(entry.id)
      if let name = Brief<Item>(entry)?.record.name, !name.isEmpty,
        holders.updateValue(entry.id, forKey: NameKey(name)) != nil
      {
        shared.insert(NameKey(name))
      }
      return true
    }
    self.index = index
    (self.holders, self.shared, self.known) = (holders, shared, known)
    for entry in table.entries {
      switch entry {
      case .fault(let line, let fault):
        steps.append(Step(line: line, name: nil, kind: .skipped(.table(fault))))
      case .line(let line): steps.append(try step(line))
      }
    }
    settleNames()
  }

  private mutating func step(_ line: ItemTable.Line) throws(Fault) -> Step {
    var step = Step(line: line.number, name: line.cells[.name], kind: .skipped(.noName))
    do throws(Problem) {
      let old = try item(line)
      var item = old ?? Item()
      try apply(line, to: &item)
      if let fault = item.fault { throw .rule(fault) }
      step.files = try newFiles(line.cells[.files] ?? "", of: item)
      if let old {
        taken[old.id] = line.number
        let isSame = old == item && step.files.isEmpty
        step.kind = isSame ? .unchanged(old) : .updated(from: old, to: item)
      } else {
        step.kind = .added(item)
      }
    } catch {
      step.kind = .skipped(error)
    }
    guard case .added(var item) = step.kind else { return step }
    // If there is no store, it has no id.
    item.header =
      try store?.newHeader(now: terms.now) ?? RecordHeader(id: .zero, createdAt: terms.now)
    step.kind = .added(item)
    return step
  }

  /// Returns the item that a line is of: that of its id, else that of its name.
  private func item(_ line: ItemTable.Line) throws(Problem) -> Item? {
    var found = line.cells[.id].flatMap { RecordID($0.trimmed.lowercased()) }
    if let id = found, !known.contains(id) { found = nil }
    if found == nil, let name = line.cells[.name] {
      let key = holders[NameKey(name)] == nil ? NameKey(name.trimmed) : NameKey(name)
      if shared.contains(key) { throw .severalOfName(name) }
      found = holders[key]
    }
    guard let found else { return nil }
    if let line = taken[found] { throw .repeated(line: line) }
    guard let item = try? store?.readIntact(Item.self, found).model else {
      throw .unreadable(found)
    }
    return item
  }

  /// A name that a line's item is to have, and the one that it has.
  private struct Claim {
    let place: Int
    /// `nil` for a new item.
    let old: NameKey?
    let new: NameKey
  }

  /// Refuses each line whose item would have the name of another.
  ///
  /// Items may change names with one another: the names count as they will be.
  private mutating func settleNames() {
    let claims = steps.indices.compactMap { place -> Claim? in
      switch steps[place].kind {
      case .added(let item): Claim(place: place, old: nil, new: NameKey(item.name))
      case .updated(let old, let new):
        Claim(place: place, old: NameKey(old.name), new: NameKey(new.name))
      case .unchanged, .skipped: nil
      }
    }
    var owners: [NameKey: Int] = [:]
    var refused: [Claim] = []
    // An item that keeps its name comes before one that wants the name.
    for claim in claims.filter({ $0.old == $0.new }) + claims.filter({ $0.old != $0.new }) {
      if let owner = owners[claim.new] {
        refuse(claim, owner: steps[owner].line, &refused)
      } else {
        owners[claim.new] = claim.place
      }
    }
    let renamed = Set(claims.compactMap { $0.old == $0.new ? nil : $0.old })
    for claim in claims
    where claim.old != claim.new && holders[claim.new] != nil && !renamed.contains(claim.new) {
      refuse(claim, owner: nil, &refused)
    }
    // An item whose line is refused keeps its name, which another line may have counted on.
    let byPlace = Dictionary(claims.map { ($0.place, $0) }) { first, _ in first }
    while let claim = refused.popLast() {
      guard let old = claim.old, old != claim.new, let rival = owners[old].flatMap({ byPlace[$0] })
      else { continue }
      refuse(rival, owner: nil, &refused)
    }
  }

  private mutating func refuse(_ claim: Claim, owner line: Int?, _ refused: inout [Claim]) {
    let name: String
    switch steps[claim.place].kind {
    case .added(let item), .updated(_, let item): name = item.name
    case .unchanged, .skipped: return
    }
    steps[claim.place].kind = .skipped(.nameTaken(name, line: line))
    steps[claim.place].files = []
    refused.append(claim)
  }

  // MARK: The cells of a line

  private func apply(_ line: ItemTable.Line, to item: inout Item) throws(Problem) {
    /// Takes a text without white space at its ends, except where it is the item's already.
    func take(_ column: ItemColumn, _ text: inout String) {
      guard let cell = line.cells[column], !cell.utf8.elementsEqual(text.utf8) else { return }
      text = cell.trimmed
    }
    take(.name, &item.name)
    guard !item.name.isEmpty else {
      let id = (line.cells[.id] ?? "").trimmed.lowercased()
      let isKnown = RecordID(id).map { known.contains($0) } ?? id.isEmpty
      throw isKnown ? .noName : .unknownID(id)
    }
    take(.category, &item.category)
    take(.location, &item.location)
    if let text = line.cells[.description] { item.description = text }
    if let text = line.cells[.tags] { item.tags = TextList.texts(text).unique }
    if let text = line.cells[.value] { item.value = try money(text, .value) }
    if let text = line.cells[.replacementValue] {
      item.replacementValue = try money(text, .replacementValue)
    }
    if let text = line.cells[.quantity] {
      guard let count = text.isEmpty ? 1 : Int64(text.trimmed),
        (1...Item.quantityLimit).contains(count)
      else { throw .quantity(text) }
      item.quantity = count
    }
    if line.cells[.notes] != nil || line.remarks != nil {
      item.notes = ([line.cells[.notes] ?? ""] + (line.remarks ?? [])).filter { !$0.isEmpty }
        .joined(separator: "\n")
    }
  }

  /// Reads an amount: a number alone is of the currency that was given for such, and a comma before one
  /// or two digits is a point.
  private func money(_ text: String, _ column: ItemColumn) throws(Problem) -> Money? {
    var words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
      .map { Self.withPoint(String($0)) }
    if words.isEmpty { return nil }
    if words.count == 1, ExactDecimal(words[0]) != nil {
      guard let currency = terms.currency else { throw .noCurrency(column, text) }
      words.insert(currency.code, at: 0)
    }
    do { return try Money(words.joined(separator: " ")) } catch {
      throw .money(column, text, error.cause as? Money.Problem ?? .form)
    }
  }

  /// Returns a number with a point where it has a comma before one or two digits, and no other sign
  /// between its digits: `1200,50`.
  private static func withPoint(_ text: String) -> String {
    let parts = text.parts(at: ",")
    guard parts.count == 2, (1...2).contains(parts[1].utf8.count),
      parts.joined().utf8.allSatisfy(\.isASCIIDigit), !parts[0].isEmpty
    else { return text }
    return parts.joined(separator: ".")
  }

  /// Returns the files that an item does not have yet.
  private func newFiles(_ cell: String, of item: Item) throws(Problem) -> [FilePath] {
    var paths: [FilePath] = []
    for text in TextList.texts(cell).unique where !text.isEmpty {
      let isAbsolute = text.utf8.first == UInt8(ascii: "/")
      let path =
        isAbsolute ? FilePath(text) : terms.directory.appending(bytes: Array(text.utf8))
      guard try isInSources(path) else { throw .fileOutside(path) }
      let known = item.media.map(\.file)
      let limit = terms.fileLimit
      var (isNew, isTooLarge) = (true, false)
      do {
        try files.withFile(path, .readFollowingLinks(streams: false)) {
          file throws(Fault) in
          let size = try files.status(file).size
          isTooLarge = size > limit
          let rivals = known.filter { $0.size == size }
          if rivals.isEmpty || isTooLarge { return }
          let name = BlobName(digest: try files.digest(of: file))
          isNew = !rivals.contains { $0.blob == name }
        }
      } catch {
        throw .file(error)
      }
      if isTooLarge { throw .fileTooLarge(path, limit: limit) }
      if isNew { paths.append(path) }
    }
    return paths
  }
}

extension ItemImport {
  /// Whether a file is in one of the directories that files are taken from, or below one.
  ///
  /// Directories are compared as the system knows them: neither links, nor `..`, nor the spelling of a name
  /// lead elsewhere.
  private func isInSources(_ path: FilePath) throws(Problem) -> Bool {
    do {
      var sources: [FileStatus] = []
      for source in terms.sources { sources.append(try files.statusFollowingLinks(source)) }
      var directory = try files.resolvingLinks(path).parent
      var status = try files.statusFollowingLinks(directory)
      while true {
        if sources.contains(where: status.isSameFile) { return true }
        directory = directory.appending("..")
        let parent = try files.statusFollowingLinks(directory)
        // The root is its own parent.
        if parent.isSameFile(as: status) { return false }
        status = parent
      }
    } catch {
      throw .file(error)
    }
  }

  /// Writes what the steps change, all of it at once; what is wrong is passed over.
  ///
  /// - Throws: as ``StoreBlobs/stageAttachment(_:limit:progress:)`` does where a file cannot be taken in, and
  ///   `.storeBusy` and `.io`; the store has nothing of the import then.
  package mutating func write() throws(Fault) {
    guard let store else { return }
    var batch = ModelBatch<Item>(plannedBy: index)
    do {
      for step in steps { try add(step, to: &batch, store) }
    } catch {
      store.blobs.discard(batch.blobs)
      throw error
    }
    let written: [RecordID: Item]
    written = try batch.write(to: store, now: terms.now)
    for place in steps.indices { steps[place].kind = steps[place].kind.asWritten(written) }
  }

  private func add(
    _ step: Step, to batch: inout ModelBatch<Item>, _ store: Store
  ) throws(Fault) {
    switch step.kind {
    case .added(var item):
      let blobs = try attach(step.files, to: &item, store)
      batch.add(item, blobs: blobs)
    case .updated(let old, var item):
      var record: StoredRecord<Item>
      record = try StoredRecord(planned: old, in: store)
      let blobs = try attach(step.files, to: &item, store)
      record.model = item
      batch.update(record, blobs: blobs)
    case .unchanged, .skipped: break
    }
  }

  private func attach(
    _ paths: [FilePath], to item: inout Item, _ store: Store
  ) throws(Fault) -> [StagedBlob] {
    var blobs: [StagedBlob] = []
    for path in paths {
      do {
        let staged = try store.blobs.stageAttachment(path, limit: terms.fileLimit)
        blobs.append(staged.blob)
        item.media.append(
          Media(
            file: staged.attachment, title: "", addedAt: terms.now,
            facts: store.blobs.facts(of: staged.blob)))
      } catch {
        store.blobs.discard(blobs)
        throw error
      }
    }
    return blobs
  }
}

extension FileSystem {
  /// Returns the SHA-256 of a file from where the descriptor stands.
  fileprivate func digest(of file: FileDescriptor) throws(Fault) -> [UInt8] {
    var hasher = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try read(file, into: buffer)
      if count == 0 { return hasher.finalize() }
      hasher.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
