import CapsuleCore

extension Session {
  /// Answers with a list of one kind's records, streamed.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none, which answers as an empty one does.
  ///   - columns: The columns of the table; asked for when it is written.
  func list<Query: RecordQuery, View: RecordView>(
    _ query: Query, in store: Store?, _ invocation: Invocation, _ remarks: ListRemarks,
    columns: @autoclosure () -> [RowColumn<View>], view: (Query.Row) -> View
  ) throws -> ExitCode {
    if let store { warnOfFindings(in: store) }
    var index = store?.index(Query.kind, now: now, look: .filesOfFew(256))
    var isPartial = false
    if var known = index.take() {
      isPartial = warn(of: &known, remarks)
      index = known
    }
    var isEmpty = true
    var problems: Set<IndexProblem> = []
    func each(_ body: (View) -> Bool) {
      // The index is taken out while it is used, so that it is not copied.
      guard let store, var known = index.take() else { return }
      query.forEach(in: &known, of: store) { row in
        let record = view(row)
        isEmpty = false
        problems.insert(record.problem)
        return body(record)
      }
      index = known
    }
    let code = try render(
      ending: isEmpty && invocation[ListOptions.exitCode] ? .none : .ok, each: each,
      writingJSON: { view, writer in view.write(to: &writer) },
      text: { out in
        let shown = columns()
        out.table(shown.map(\.head), plain: invocation[ListOptions.plain]) { body in
          each { body($0.cells(shown)) }
        }
        if isEmpty, !isPartial, let note = remarks.whenEmpty { console.note(note) }
      })
    if remarks.areOfListedOnly, warn(of: problems, remarks.noun) { return .partial }
    return isPartial ? .partial : code
  }
}
