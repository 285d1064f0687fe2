/// What the import of one kind of file has of its own: how its entries meet the records of a store.
///
/// ``ImportPlan`` is the same for all of them: it shows an importer the records that are there, takes its
/// steps, and writes them.
package protocol Importer {
  associatedtype Model: RecordModel & Equatable

  /// What is to be said of the files beside their entries.
  var problems: [(source: Int, problem: ImportProblem)] { get }
  /// The numbers of the things in the files that are no entries, by their names.
  var leftOut: [String: Int] { get }
  /// Notes a record that is there, by which an entry may be known again.
  mutating func note(_ record: IndexEntry)
  /// Matches each entry of the file with a record, and merges it into that one or into a new one.
  ///
  /// - Throws: what ends the import as a whole, as `.noRandomness` does.
  mutating func steps(in target: ImportTarget) throws(Fault) -> [ImportStep<Model>]
  /// Takes the files of a step into the store, for the record that is about to be written.
  func attach(
    _ files: [FilePath], to model: inout Model, in store: Store
  ) throws(Fault) -> [StagedBlob]
}

extension Importer {
  package var problems: [(source: Int, problem: ImportProblem)] { [] }
  package var leftOut: [String: Int] { [:] }

  package func attach(
    _ files: [FilePath], to model: inout Model, in store: Store
  ) throws(Fault) -> [StagedBlob] { [] }
}

/// The store that an import goes into.
package struct ImportTarget {
  /// `nil` where there is none and nothing will be written.
  let store: Store?
  let now: Instant

  /// Returns the header of a record that is added; it has no id where there is no store.
  func newHeader() throws(Fault) -> RecordHeader {
    try store?.newHeader(now: now) ?? RecordHeader(id: .zero, createdAt: now)
  }

  /// Reads a record that is to be changed; `nil` where it is not what was written.
  func read<Model: RecordModel>(_ type: Model.Type, _ id: RecordID) -> Model? {
    try? store?.readIntact(type, id).model
  }
}

/// The result of an import for one entry.
package struct ImportStep<Model: RecordModel> {
  /// The number of the file among those that are imported.
  package var source = 0
  /// The physical line on which the entry begins, or the fault stands.
  package let line: Int
  /// The name or title in it; `nil` where it could not be read.
  package var name: String?
  /// The text by which an entry of a calendar is known again.
  package var uid: String?
  package internal(set) var outcome: ImportOutcome<Model>
  /// What else is to be said of an entry that counts.
  package internal(set) var remarks: [ImportProblem] = []
  /// The files that are to be kept with the record besides those that it has.
  package internal(set) var files: [FilePath] = []
  /// The numbers of the things in it for which the record has no place, by their names in the file.
  package internal(set) var leftOut: [String: Int] = [:]

  /// The reason why the entry is skipped, or the remarks on it.
  package var problems: [ImportProblem] {
    if case .skipped(let problem) = outcome { [problem] } else { remarks }
  }
}

/// What an import does with the record that an entry is of.
package enum ImportOutcome<Model: RecordModel> {
  case added(Model)
  case updated(from: Model, to: Model)
  case unchanged(Model)
  /// The record goes to the trash.
  case removed(Model)
  case skipped(ImportProblem)

  /// Whether the store has something else by it.
  package var isChange: Bool {
    switch self {
    case .added, .updated, .removed: true
    case .unchanged, .skipped: false
    }
  }

  /// The record as it is after the import.
  package var model: Model? {
    switch self {
    case .added(let model), .updated(_, let model), .unchanged(let model), .removed(let model):
      model
    case .skipped: nil
    }
  }

  /// Returns it with the record as it was written, with its times and its revision.
  fileprivate func asWritten(_ models: [RecordID: Model]) -> Self {
    switch self {
    case .added(let model): .added(models[model.header.id] ?? model)
    case .updated(let old, let new): .updated(from: old, to: models[new.header.id] ?? new)
    case .unchanged, .removed, .skipped: self
    }
  }
}

/// The reason why an entry is not imported, or a remark on one that is.
package struct ImportProblem: Sendable {
  package enum Weight: Sendable {
    /// A fact about the store beside which the entry comes.
    case note
    /// The entry is skipped for good reason, or taken in another way.
    case remark
    /// The store says less than the file, or something else.
    case loss
    /// Nothing is imported because of it, unless what is bad is passed over.
    case bad
  }

  package let weight: Weight
  /// The physical line that it is about.
  package let line: Int
  /// The words come after the subject of a sentence, which is the caller's.
  package let fault: Fault
  /// The words without the values that they compare; `nil` where they are as short.
  private let brief: String?
  /// The entry that counts in the place of this one; its place is left open in the words.
  package let rival: (source: Int, line: Int)?

  init(
    _ weight: Weight, at line: Int, _ fault: Fault, brief: String? = nil,
    rival: (source: Int, line: Int)? = nil
  ) {
    (self.weight, self.line, self.fault) = (weight, line, fault)
    (self.brief, self.rival) = (brief, rival)
  }

  init(_ weight: Weight, at line: Int, _ message: Fault.Message, hint: String? = nil) {
    self.init(weight, at: line, Fault(.partial, message, hint: hint))
  }

  /// The words for a list of problems.
  package var words: String { brief ?? words(rival: rival.map { "line \($0.line)" } ?? "") }

  /// Returns the words for a sentence.
  ///
  /// - Parameter place: the place of the entry that counts instead.
  package func words(rival place: String) -> String {
    fault.message.naming(place).text { seconds, _ in Instant(seconds: seconds).rfc3339 }
  }
}

extension Fault {
  /// The record of the thing that an entry means cannot be read.
  static func unreadableForImport(_ id: RecordID, of noun: String) -> Fault {
    Fault(
      .partial, "the record '\(id)' of the \(noun) cannot be read",
      hint: "list the damage: capsule verify; then fix it: capsule repair")
  }

  /// The same fault as the reason why an entry is bad: its words alone.
  var ofEntry: Fault { Fault(.partial, description) }
}

/// An import of a file among the records of a store: planned first, then written, all of it or nothing.
package struct ImportPlan<Source: Importer> {
  /// The results for the entries of the file, in their order.
  package private(set) var steps: [ImportStep<Source.Model>]
  /// The records of the kind that were there; `nil` where there is no store. Those that cannot be read take
  /// part in nothing.
  package let index: RecordIndex?
  private let source: Source
  private let target: ImportTarget

  /// Plans the import; nothing is written.
  ///
  /// - Parameter store: `nil` where there is none and nothing will be written.
  /// - Throws: `.noRandomness`; `.io` where the system does not let records be read, which would be added again.
  package init(_ source: Source, into store: Store?, now: Instant) throws(Fault) {
    var source = source
    var index = try store?.index.whole(Source.Model.kind, now: now)
    index?.forEach(.ascending) { record in
      source.note(record)
      return true
    }
    self.index = index
    target = ImportTarget(store: store, now: now)
    steps = try source.steps(in: target)
    self.source = source
  }

  /// The number of the entries because of which nothing is imported.
  package var badCount: Int {
    steps.count {
      if case .skipped(let problem) = $0.outcome { problem.weight == .bad } else { false }
    }
  }

  /// What is to be said of the files beside their entries.
  package var problems: [(source: Int, problem: ImportProblem)] { source.problems }

  /// The numbers of all that is left out, by its names in the files.
  package var leftOut: [String: Int] {
    steps.reduce(into: source.leftOut) { all, step in
      if step.outcome.model != nil { all.merge(step.leftOut, uniquingKeysWith: +) }
    }
  }

  /// Whether the store has something else by it.
  package var isChange: Bool { steps.contains { $0.outcome.isChange } }

  /// Writes what the steps change, all of it at once, and passes over what is skipped.
  ///
  /// - Throws: ``Fault``: `.changedMeanwhile` where the store has other records than when this was planned;
  ///   `.storeBusy` and `.io`, those of the files that are taken in among them. The store has nothing of the
  ///   import then.
  package mutating func write() throws(Fault) {
    guard let store = target.store else { return }
    var batch = ModelBatch<Source.Model>(plannedBy: index)
    do {
      for step in steps {
        switch step.outcome {
        case .added(var model):
          let blobs = try source.attach(step.files, to: &model, in: store)
          batch.add(model, blobs: blobs)
        case .updated(let old, var model):
          var record = try StoredRecord(planned: old, in: store)
          let blobs = try source.attach(step.files, to: &model, in: store)
          record.model = model
          batch.update(record, blobs: blobs)
        case .removed(let model): batch.remove(try StoredRecord(planned: model, in: store))
        case .unchanged, .skipped: break
        }
      }
    } catch {
      store.blobs.discard(batch.blobs)
      throw error
    }
    let written = Dictionary(
      try store.write(batch, now: target.now).map { ($0.header.id, $0) }
    ) { first, _ in first }
    for place in steps.indices { steps[place].outcome = steps[place].outcome.asWritten(written) }
  }
}

/// An import beside others that write: where one of them was faster, it is planned anew.
package enum ImportRetry {
  private static let most = 20

  /// Tries until nobody was faster, and gives up in the end.
  ///
  /// - Parameter attempt: plans and writes; gets the number of the tries before.
  package static func run(_ attempt: (Int) throws -> Void) throws {
    for number in 0... {
      do { return try attempt(number) } catch {
        guard (error as? Fault)?.code == .changedMeanwhile, number + 1 < most else { throw error }
      }
    }
  }
}

extension StoredRecord where Model: Equatable {
  /// Reads a record that a plan was made from.
  ///
  /// - Throws: `.changedMeanwhile` where it is another by now, is gone, or is damaged.
  fileprivate init(planned: Model, in store: Store) throws(Fault) {
    let changed = Fault.changedMeanwhile(Model.kind, planned.header.id)
    do { self = try store.read(Model.self, planned.header.id) } catch {
      switch error.code {
      case .recordGone, .recordDamaged, .newerRecord: throw changed
      default: throw error
      }
    }
    guard model == planned else { throw changed }
  }
}
