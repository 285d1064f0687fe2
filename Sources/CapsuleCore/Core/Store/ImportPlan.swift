/// An import of a file among the records of a store: planned first, then written, all of it or nothing.
package protocol ImportPlan {
  associatedtype Step: ImportStep

  /// The results for the entries of the file, in their order.
  var steps: [Step] { get }
  /// The records of the kind that were there; `nil` where there is no store. Those that cannot be read take
  /// part in nothing.
  var index: RecordIndex? { get }
  /// Writes what the steps change, all of it at once, and passes over what is skipped.
  ///
  /// - Throws: ``Fault``: `.changedMeanwhile` where the store has other records than when this was
  ///   planned.
  mutating func write() throws
}

/// The result of an import for one entry.
package protocol ImportStep {
  associatedtype Model: RecordModel
  associatedtype Problem: ImportProblem

  var kind: ImportOutcome<Model, Problem> { get }
}

/// The reason why an entry is not imported.
package protocol ImportProblem {
  /// Whether nothing is imported because of it, unless what is bad is passed over.
  var isBad: Bool { get }
}

/// What an import does with the record that an entry is of.
package enum ImportOutcome<Model: RecordModel, Problem> {
  case added(Model)
  case updated(from: Model, to: Model)
  case unchanged(Model)
  case skipped(Problem)

  /// Whether the store has something else by it.
  package var isChange: Bool {
    switch self {
    case .added, .updated: true
    case .unchanged, .skipped: false
    }
  }

  /// Returns it with the record as it was written, with its times and its revision.
  func asWritten(_ models: [RecordID: Model]) -> Self {
    switch self {
    case .added(let model): .added(models[model.header.id] ?? model)
    case .updated(let old, let new): .updated(from: old, to: models[new.header.id] ?? new)
    case .unchanged, .skipped: self
    }
  }
}

extension ImportOutcome: Sendable where Problem: Sendable {}

extension ImportPlan {
  /// The number of the entries because of which nothing is imported.
  package var badCount: Int {
    steps.count { if case .skipped(let problem) = $0.kind { problem.isBad } else { false } }
  }

  /// Whether the store has something else by it.
  package var isChange: Bool { steps.contains { $0.kind.isChange } }
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
  /// - Throws: `.changedMeanwhile` where it is another by now.
  init(planned: Model, in store: Store) throws(Fault) {
    self = try store.read(Model.self, planned.header.id)
    guard model == planned else { throw .changedMeanwhile(Model.kind, planned.header.id) }
  }
}

extension ModelBatch {
  /// Writes the records of an import, all of them or none.
  ///
  /// - Returns: them as they were written, by their ids.
  func write(to store: Store, now: Instant) throws(Fault) -> [RecordID: Model] {
    Dictionary(try store.write(self, now: now).map { ($0.header.id, $0) }) { first, _ in first }
  }
}
