import CapsuleCore

extension ImportPlan {
  /// Runs an import: all of it, or nothing where an entry is bad and bad ones are not passed over.
  ///
  /// - Parameters:
  ///   - session: the run of the command.
  ///   - plan: plans it for a store; once more where the store is made for it.
  ///   - report: says what of an entry is bad, is left out, or is taken otherwise.
  ///   - refusal: the failure where that many entries are bad.
  /// - Returns: the plan, written unless it is dry; and whether records that were there cannot be read.
  static func run(
    _ session: Session, isDry: Bool, skipsBad: Bool, plan: (Store?) throws -> Self,
    report: (Step) -> Void, refusal: (Int) -> Failure
  ) throws -> (plan: Self, isPartial: Bool) {
    // A store that is about to be made is none to warn of.
    let existing = try isDry ? session.stores.existing() : session.stores.existingQuietly()
    var isPartial = false
    func planned(_ store: Store?) throws -> Self {
      let work = try plan(store)
      // A record that cannot be read takes part in nothing.
      if var index = work.index, session.records.warn(of: &index) { isPartial = true }
      return work
    }
    var work = try planned(existing)
    for step in work.steps { report(step) }
    func requireGood() throws {
      let bad = work.badCount
      if bad > 0, !skipsBad { throw refusal(bad) }
    }
    try requireGood()
    if !isDry, work.isChange {
      let store = try session.stores.forChange()
      if existing == nil { work = try planned(store) }
      try ImportRetry.run { number in
        if number > 0 {
          work = try plan(store)
          try requireGood()
        }
        try work.write()
      }
      session.stores.noteFirstUse(of: store)
    }
    return (work, isPartial)
  }
}
