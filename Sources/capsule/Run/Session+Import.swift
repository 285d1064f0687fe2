import CapsuleCore

extension Session {
  /// Runs an import: all of it, or nothing where an entry is bad and bad ones are not passed over.
  ///
  /// - Parameters:
  ///   - plan: plans it for a store; once more where the store is made for it.
  ///   - report: says what of an entry is bad, is left out, or is taken otherwise.
  ///   - refusal: the failure where that many entries are bad.
  /// - Returns: the plan, written unless it is dry; and whether records that were there cannot be read.
  func run<Plan: ImportPlan>(
    isDry: Bool, skipsBad: Bool, plan: (Store?) throws -> Plan, report: (Plan.Step) -> Void,
    refusal: (Int) -> Failure
  ) throws -> (plan: Plan, isPartial: Bool) {
    // A store that is about to be made is none to warn of.
    let existing = isDry ? try existingStore() : try existingStoreQuietly()
    var isPartial = false
    func planned(_ store: Store?) throws -> Plan {
      let work = try plan(store)
      // A record that cannot be read takes part in nothing.
      if var index = work.index, warn(of: &index) { isPartial = true }
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
      let store = try storeForChange()
      if existing == nil { work = try planned(store) }
      try ImportRetry.run { number in
        if number > 0 {
          work = try plan(store)
          try requireGood()
        }
        try work.write()
      }
      noteFirstUse(of: store)
    }
    return (work, isPartial)
  }
}
