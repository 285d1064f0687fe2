/// An import of a table among the items of a store.
///
/// A line changes the item of its `id`, else the one that has its name in the store, else it makes a new one.
/// A column that the table has wins: an empty cell takes the item's away. Columns that it has not stay.
package struct ItemImport: Importer {
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

  private let table: ItemTable
  private let terms: Terms
  private let files: any FileSystem
  /// The items that there are, by their names, and the names that several have.
  private var holders: [NameKey: RecordID] = [:]
  private var shared: Set<NameKey> = []
  private var known: Set<RecordID> = []
  private var steps: [ImportStep<Item>] = []
  /// The lines of the items that there are.
  private var taken: [RecordID: Int] = [:]
  /// The names of lines whose own another line has, by their numbers.
  private var numbered: [Int: String] = [:]

  /// - Parameter files: the file system in which the files of the column `files` are looked for.
  package init(_ table: ItemTable, _ terms: Terms, _ files: any FileSystem) {
    (self.table, self.terms, self.files) = (table, terms, files)
  }

  package mutating func note(_ record: IndexEntry) {
    known.insert(record.id)
    if let name = Brief<Item>(record)?.record.name, !name.isEmpty,
      holders.updateValue(record.id, forKey: NameKey(name)) != nil
    {
      shared.insert(NameKey(name))
    }
  }

  package mutating func steps(
    in target: ImportTarget
  ) throws(Fault) -> [ImportStep<Item>] {
    defer { steps = [] }
    numberNames()
    for entry in table.entries {
      switch entry {
      case .fault(let line, let fault):
        steps.append(
          ImportStep(line: line, outcome: .skipped(ImportProblem(.bad, at: line, Fault(fault)))))
      case .line(let line): steps.append(try step(line, target))
      }
    }
    settleNames()
    return steps
  }

  /// Gives the items of Homebox that have one name their numbers, in the order of what it knows them by.
  private mutating func numberNames() {
    var lines: [NameKey: [(identity: String, line: Int, name: String)]] = [:]
    for case .line(let line) in table.entries where !line.identity.isEmpty {
      guard let name = line.cells["name"]?.trimmed, !name.isEmpty else { continue }
      lines[NameKey(name), default: []].append((line.identity, line.number, name))
    }
    for found in lines.values where found.count > 1 {
      // Where two are known by the same, they are two lines for one item.
      guard Set(found.map(\.identity)).count == found.count else { continue }
      let ordered = found.sorted { $0.identity < $1.identity }
      for (number, item) in ordered.enumerated().dropFirst() {
        numbered[item.line] = "\(item.name) (\(number + 1))"
      }
    }
  }

  private mutating func step(
    _ given: ItemTable.Line, _ target: ImportTarget
  ) throws(Fault) -> ImportStep<Item> {
    let (old, new, files): (Item?, Item, [FilePath])
    var line = given
    var remarks: [ImportProblem] = []
    if let name = numbered[line.number] {
      line.cells["name"] = name
      remarks.append(
        ImportProblem(
          .remark, at: line.number, "named '\(name)', because another item has its name"))
    }
    do {
      (old, new, files) = try merge(line, target, &remarks)
    } catch {
      return ImportStep(
        line: line.number, name: line.cells["name"],
        outcome: .skipped(ImportProblem(.bad, at: line.number, error)))
    }
    let outcome: ImportOutcome<Item>
    if let old {
      taken[old.id] = line.number
      outcome = old == new && files.isEmpty ? .unchanged(old) : .updated(from: old, to: new)
    } else {
      var item = new
      item.header = try target.newHeader()
      outcome = .added(item)
    }
    return ImportStep(
      line: line.number, name: line.cells["name"], outcome: outcome, remarks: remarks, files: files)
  }

  /// Returns the item that a line is of, as it was and as it becomes, and the files that it does not have yet.
  ///
  /// - Throws: what is wrong with the line.
  private func merge(
    _ line: ItemTable.Line, _ target: ImportTarget, _ remarks: inout [ImportProblem]
  ) throws(Fault) -> (old: Item?, new: Item, files: [FilePath]) {
    let old = try item(line, target)
    var item = old ?? Item()
    try apply(line, to: &item, &remarks)
    if let fault = item.fault { throw fault.ofEntry }
    return (old, item, try newFiles(line.cells["files"] ?? "", of: item))
  }

  /// Returns the item that a line is of: that of its id, else that of its name.
  private func item(
    _ line: ItemTable.Line, _ target: ImportTarget
  ) throws(Fault) -> Item? {
    var found = line.cells["id"].flatMap { RecordID($0.trimmed.lowercased()) }
    if let id = found, !known.contains(id) { found = nil }
    if found == nil, let name = line.cells["name"] {
      let key = holders[NameKey(name)] == nil ? NameKey(name.trimmed) : NameKey(name)
      if shared.contains(key) {
        throw Fault(
          .partial, "several items have the name '\(name.shortened)'",
          hint: "put the id of the item into the column 'id'")
      }
      found = holders[key]
    }
    guard let found else { return nil }
    if let line = taken[found] { throw Fault(.partial, "line \(line) is for the same item") }
    guard let item = target.read(Item.self, found) else {
      throw .unreadableForImport(found, of: "item")
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
      switch steps[place].outcome {
      case .added(let item): Claim(place: place, old: nil, new: NameKey(item.name))
      case .updated(let old, let new):
        Claim(place: place, old: NameKey(old.name), new: NameKey(new.name))
      case .unchanged, .removed, .skipped: nil
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
    switch steps[claim.place].outcome {
    case .added(let item), .updated(_, let item): name = item.name
    case .unchanged, .removed, .skipped: return
    }
    let holder = line.map { "line \($0) also" } ?? "another item"
    steps[claim.place].outcome = .skipped(
      ImportProblem(
        .bad, at: steps[claim.place].line, "\(holder) has the name '\(name.shortened)'",
        hint: "use another name; to change the existing item, put its id into the column 'id'"))
    steps[claim.place].files = []
    refused.append(claim)
  }

  // MARK: The cells of a line

  private func apply(
    _ line: ItemTable.Line, to item: inout Item, _ remarks: inout [ImportProblem]
  ) throws(Fault) {
    if let text = line.cells["name"] { Self.take(text, &item.name) }
    guard !item.name.isEmpty else {
      let id = (line.cells["id"] ?? "").trimmed.lowercased()
      let isKnown = RecordID(id).map { known.contains($0) } ?? id.isEmpty
      throw Fault(
        .partial,
        isKnown ? "no name" : "no item has the id '\(id.shortened)', and the line has no name")
    }
    for field in ItemField.parts.reversed().joined() {
      guard let text = line.cells[field.name] else { continue }
      switch field.value {
      case .text(let path): Self.take(text, &item[keyPath: path])
      case .verbatim(let path): item[keyPath: path] = text
      case .texts(let path): item[keyPath: path] = TextList.texts(text).unique
      case .date(let path): item[keyPath: path] = try date(text, field.name)
      case .money(let path): item[keyPath: path] = try money(text, field.name)
      case .quantity:
        guard let (count, isExact) = Self.count(text), (1...Item.quantityLimit).contains(count)
        else {
          throw Fault(
            .partial,
            "quantity '\(text.shortened)' is not a whole number from 1 to \(Item.quantityLimit)")
        }
        item.quantity = count
        if !isExact {
          remarks.append(
            ImportProblem(
              .loss, at: line.number,
              "quantity '\(text.shortened)' is not a whole number, so \(count) was used"))
        }
      case .id, .files: break
      }
    }
    if let facts = line.remarks {
      item.notes = ([line.cells["notes"] ?? ""] + facts).filter { !$0.isEmpty }
        .joined(separator: "\n")
    }
  }

  /// Takes a text without white space at its ends, except where it is the item's already.
  private static func take(_ cell: String, _ text: inout String) {
    if !cell.utf8.elementsEqual(text.utf8) { text = cell.trimmed }
  }

  /// Reads a count: of one with decimals the whole part, at least 1; 1 where there is none.
  private static func count(_ cell: String) -> (count: Int64, isExact: Bool)? {
    let text = cell.trimmed
    if let count = cell.isEmpty ? 1 : Int64(text) { return (count, true) }
    let parts = withPoint(text).parts(at: ".")
    guard parts.count == 2, let count = Int64(parts[0]), count >= 0, !parts[1].isEmpty,
      parts[1].utf8.allSatisfy(\.isASCIIDigit)
    else { return nil }
    let isExact = parts[1].utf8.allSatisfy { $0 == UInt8(ascii: "0") }
    return (isExact ? count : max(count, 1), isExact)
  }

  /// Reads a date: `2024-05-03`.
  private func date(_ text: String, _ column: String) throws(Fault) -> CivilDate? {
    let text = text.trimmed
    if text.isEmpty { return nil }
    guard let date = CivilDate(iso8601: text), date.isRepresentable else {
      throw Fault(
        .partial, "invalid \(column) '\(text.shortened)'",
        hint: "write year, month and day: 2024-05-03")
    }
    return date
  }

  /// Reads an amount: a number alone is of the currency that was given for such, and a comma before one
  /// or two digits is a point.
  private func money(_ text: String, _ column: String) throws(Fault) -> Money? {
    let amount = SpreadsheetAmount(text)
    if let currency = terms.currency, amount.symbol(notOf: currency) != nil {
      throw Fault(
        .partial, "\(column) '\(text.shortened)' is not in \(currency.code)",
        hint: "write its currency before the number, such as 'USD 1129.99'")
    }
    var words = amount.words(of: terms.currency)
    if words.isEmpty { return nil }
    let isBare = words.count == 1 && ExactDecimal(words[0]) != nil
    if isBare || words.contains(where: SpreadsheetAmount.isSymbol) {
      guard let currency = terms.currency else {
        throw Fault(
          .partial, "\(column) '\(text.shortened)' has no currency",
          hint: "set one for all lines: --currency EUR")
      }
      words.insert(currency.code, at: 0)
    }
    do { return try Money(words.joined(separator: " ")) } catch {
      throw Self.fault(error.cause as? Money.Problem ?? .form, of: text, in: column)
    }
  }

  private static func fault(
    _ problem: Money.Problem, of text: String, in column: String
  ) -> Fault {
    let cell = "\(column) '\(text.shortened)'"
    return switch problem {
    case .form:
      Fault(
        .partial, "\(cell) is not an amount",
        hint: text.utf8.contains(UInt8(ascii: ","))
          ? "use a decimal point and no thousands separator: 'EUR 1200.50'" : amountHint)
    case .unknownCurrency(let code):
      Fault(.partial, "\(cell): invalid currency code '\(code.shortened)'", hint: amountHint)
    case .tooFine(let currency):
      Fault(
        .partial, "\(cell) has too many decimals for \(currency.code)",
        hint: currency.decimalsHint)
    case .negative: Fault(.partial, "\(cell) is negative", hint: "use a value of 0 or more")
    case .tooLarge: Fault(.partial, "\(cell) is too large", hint: "use a smaller amount")
    case .noCurrency, .sharedSymbol, .twoReadings:
      Fault(.partial, "\(cell) is not an amount", hint: amountHint)
    }
  }

  private static let amountHint = "write a currency and a number, such as 'EUR 1200.50'"

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
  private func newFiles(_ cell: String, of item: Item) throws(Fault) -> [FilePath] {
    var paths: [FilePath] = []
    for text in TextList.texts(cell).unique where !text.isEmpty {
      let isAbsolute = text.utf8.first == UInt8(ascii: "/")
      let path =
        isAbsolute ? FilePath(text) : terms.directory.appending(bytes: Array(text.utf8))
      guard try isInSources(path) else {
        throw Fault(
          .partial, "'\(path.text)' is outside the directories of this import",
          hint: "allow its directory: --files-from DIR")
      }
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
        throw error.ofEntry
      }
      if isTooLarge {
        throw Fault(
          .partial,
          "'\(path.text)' is larger than \(ByteSize.text(limit)), the setting 'maxFileSize'",
          hint: "raise the limit: capsule settings set maxFileSize SIZE")
      }
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
  private func isInSources(_ path: FilePath) throws(Fault) -> Bool {
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
      throw error.ofEntry
    }
  }

  package func attach(
    _ paths: [FilePath], to item: inout Item, in store: Store
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

extension Currency {
  /// The way out of an amount with too many decimals.
  package var decimalsHint: String {
    exponent == 0
      ? "use a whole number, such as '\(code) 1200'"
      : "use at most \(exponent) digits after the decimal point, and no thousands separator: "
        + "'\(code) 1200.\(String(repeating: "0", count: Int(exponent)))'"
  }
}
