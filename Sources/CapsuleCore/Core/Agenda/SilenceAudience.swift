/// The people who hear of the owner's silence, as the store knows them now.
package struct SilenceAudience: Sendable {
  /// The name of the owner; empty where it is not known.
  package let owner: String
  /// The witnesses who can be reached.
  package private(set) var witnesses: [Beneficiary] = []
  /// The witnesses who cannot: their record is gone, cannot be read, or has no address.
  package private(set) var unreachable: [RecordID] = []
  /// The groups of trustees that were not replaced.
  package private(set) var groups: [TrusteeGroup] = []
  /// The trustees among the people of the store who have an address.
  package private(set) var trustees: [Beneficiary] = []

  package init(_ terms: SilenceSwitch, in store: Store, settings: StoreSettings, now: Instant) {
    owner = settings.owner
    for id in terms.witnesses {
      if let person = Self.person(id, in: store) {
        witnesses.append(person)
      } else {
        unreachable.append(id)
      }
    }
    groups = store.trustees.groups(now: now)
    var seen = Set<RecordID>()
    for share in groups.flatMap(\.shares) where share.lostAt == nil {
      guard let id = share.person, seen.insert(id).inserted,
        let person = Self.person(id, in: store)
      else { continue }
      trustees.append(person)
    }
  }

  private static func person(_ id: RecordID, in store: Store) -> Beneficiary? {
    guard let person = try? store.readIntact(Beneficiary.self, id).model, !person.email.isEmpty
    else { return nil }
    return person
  }

  /// Returns the people who are to be told of a step: the owner, who is `nil`, before others.
  package func addressees(of step: SilenceStep) -> [Beneficiary?] {
    switch step {
    case .due, .warned, .resumed: [nil]
    case .grace: [nil] + witnesses
    case .silent:
      witnesses + trustees.filter { person in !witnesses.contains { $0.id == person.id } }
    }
  }

  /// Whether a person holds a share.
  package func isTrustee(_ person: Beneficiary) -> Bool {
    trustees.contains { $0.id == person.id }
  }
}
