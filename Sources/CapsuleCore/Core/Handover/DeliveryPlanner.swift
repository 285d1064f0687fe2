/// Finds what is accessible now and not yet sent, person by person; for an estate also what will be.
struct DeliveryPlanner {
  let store: Store
  let terms: DeliveryTerms
  /// The time at which the owner passed away, where that was declared.
  let passing: Instant?
  /// The group that an estate is for; `nil` for deliveries.
  let trustees: SpareHolders?
  let opening: (StoredRecord<Capsule>) throws -> UnattendedOutcome
  private(set) var issues: [DeliveryIssue] = []

  init(
    store: Store, terms: DeliveryTerms, passing: Instant?, trustees: SpareHolders?,
    opening: @escaping (StoredRecord<Capsule>) throws -> UnattendedOutcome
  ) {
    self.store = store
    self.terms = terms
    self.passing = passing
    self.trustees = trustees
    self.opening = opening
  }

  /// Returns the deliveries of the people named, or of all, without those who receive nothing.
  mutating func deliveries(to people: [RecordID]?) -> [PersonalDelivery] {
    let bequests = deliverable(to: people.map(Set.init))
    var found: [PersonalDelivery] = []
    let names = names()
    let known = Set(names.map(\.0))
    for (person, parts) in bequests where !known.contains(person) {
      let reference = RecordReference(.beneficiary, person)
      for id in parts.values.joined() where !isThere(reference) {
        issues.append(.gone(reference, bequest: id))
      }
    }
    for (id, name) in names {
      guard let parts = bequests[id] else { continue }
      do {
        let person = try store.readIntact(Beneficiary.self, id).model
        for (date, ids) in days(of: parts) {
          let delivery = delivery(ids, to: person, name: name, notBefore: date)
          if !delivery.gifts.isEmpty || !delivery.leftOut.isEmpty || delivery.problem != nil {
            found.append(delivery)
          }
        }
      } catch {
        issues.append(.person(error))
      }
    }
    if terms.isSealed { requireVouched(&found) }
    return found
  }

  /// Joins what waits for times of one day: it lies in one folder, which waits for the last of them.
  private func days(
    of parts: [Instant?: [RecordID]]
  ) -> [(notBefore: Instant?, bequests: [RecordID])] {
    var days: [(notBefore: Instant?, bequests: [RecordID])] = []
    for (date, ids) in parts.sorted(by: { ($0.key ?? terms.now) < ($1.key ?? terms.now) }) {
      if let date, let last = days.last?.notBefore, terms.date(last) == terms.date(date) {
        days[days.count - 1].notBefore = date
        days[days.count - 1].bequests += ids
      } else {
        days.append((date, ids))
      }
    }
    return days
  }

  /// Returns a folder's name for every person, in the order in which they were added: nobody's
  /// depends on who receives something today, only on who is kept.
  private mutating func names() -> [(RecordID, String)] {
    var people: [(place: IndexPlace, name: String, isReadable: Bool)] = []
    var unknown: [RecordID] = []
    var index = store.index.open(.beneficiary, now: terms.clock)
    index.forEach(.ascending) { entry in
      let name = Brief<Beneficiary>(entry)?.record.name
      // One who cannot be read receives nothing, and is among the issues; the name is kept for that person.
      if entry.problem != .none, let kept = keptPerson(entry.id) {
        let known = IndexEntry(
          id: entry.id, sortKey: kept.createdAt.seconds, madeAt: kept.header.madeAt)
        people.append((known.place, kept.name, name != nil))
      } else if let name {
        people.append((entry.place, name, true))
      } else {
        unknown.append(entry.id)
      }
      return true
    }
    if trustees == nil, !unknown.isEmpty || !index.failures.isEmpty {
      issues.append(.namesUnknown(unknown))
    }
    noteProblems(of: &index)
    var names = PortableFileNames()
    return people.sorted { $0.place < $1.place }
      .map { ($0.place.id, names.next($0.name, fallback: "person"), $0.isReadable) }
      .filter(\.2).map { ($0.0, $0.1) }
  }

  /// Returns a person as the newest version in the journals says; `nil` where none does.
  private func keptPerson(_ id: RecordID) -> Beneficiary? {
    let versions = try? store.journal.versions(of: .beneficiary, id)
    return (versions?.first).flatMap {
      try? RecordFile.decode($0.bytes, as: Beneficiary.self, id: id).model
    }
  }

  /// Finds the bequests by the person, and by the date that they wait for, which is none in a delivery.
  private mutating func deliverable(
    to people: Set<RecordID>?
  ) -> [RecordID: [Instant?: [RecordID]]] {
    var found: [RecordID: [Instant?: [RecordID]]] = [:]
    var index = store.index.open(.bequest, now: terms.clock)
    index.forEach(.ascending) { entry in
      if let summary = Brief<Bequest>(entry),
        people?.contains(summary.record.beneficiary) ?? true, isWanted(summary)
      {
        let date = summary.accessible(passing: passing).flatMap { $0 > terms.now ? $0 : nil }
        found[summary.record.beneficiary, default: [:]][date, default: []].append(entry.id)
      }
      return true
    }
    noteProblems(of: &index)
    return found
  }

  /// Finds the people to whom things were handed over before, by the thing.
  func handedOver() -> [RecordReference: [EstateItem.HandedOver]] {
    var names: [RecordID: String] = [:]
    var people = store.index.open(.beneficiary, now: terms.clock)
    people.forEach(.ascending) { entry in
      names[entry.id] = Brief<Beneficiary>(entry)?.record.name
      return true
    }
    var found: [RecordReference: [EstateItem.HandedOver]] = [:]
    var bequests = store.index.open(.bequest, now: terms.clock)
    bequests.forEach(.ascending) { entry in
      if let bequest = Brief<Bequest>(entry),
        bequest.digest.state == .sent || bequest.digest.state == .accepted
      {
        let name = names[bequest.record.beneficiary] ?? "somebody who is not known any more"
        found[bequest.record.subject, default: []].append(
          .init(name: name, at: bequest.digest.stateSince))
      }
      return true
    }
    return found
  }

  /// Whether a bequest is handed over: now, or by an estate at any time.
  private func isWanted(_ bequest: Brief<Bequest>) -> Bool {
    guard trustees == nil else { return bequest.digest.state == .notSent }
    return bequest.isDeliverable(passing: passing, at: terms.now)
  }

  /// Notes that records cannot be read at all: they are in nobody's delivery.
  mutating func noteProblems(of index: inout RecordIndex) {
    let failures = index.failures
    if !failures.isEmpty || index.problems().contains(where: \.summary.isEmpty) {
      issues.append(.unreadable(failures))
    }
  }

  private func isThere(_ reference: RecordReference) -> Bool {
    let path = store.layout.record(reference.kind, reference.id)
    return (try? store.files.statusIfPresent(path)) != .some(nil)
  }

  private mutating func delivery(
    _ ids: [RecordID], to person: Beneficiary, name: String, notBefore: Instant?
  ) -> PersonalDelivery {
    var delivery = PersonalDelivery(
      person: person, name: name, notBefore: notBefore,
      path: terms.output?.appending(terms.isSealed ? name + ".tar.age" : name))
    var maker = GiftMaker(store: store, terms: terms, trustees: trustees, opening: opening)
    do {
      for id in ids {
        guard let bequest = try bequest(id) else { continue }
        // A subject that a synchroniser took away holds nothing else up.
        guard isThere(bequest.model.subject) else {
          issues.append(.gone(bequest.model.subject, bequest: id))
          continue
        }
        switch try maker.make(bequest) {
        case .gift(let gift): delivery.gifts.append(gift)
        case .leftOut(let leftOut): delivery.leftOut.append(leftOut)
        }
      }
      // Gifts that can be seen at once come before those that are to be opened by hand.
      let gifts = delivery.gifts
      delivery.gifts = gifts.filter { $0.gift.opening == nil }
      delivery.gifts += gifts.filter { $0.gift.opening != nil }
      if !gifts.isEmpty { try check(delivery) }
    } catch {
      delivery.problem = error
    }
    return delivery
  }

  /// Reads a bequest; `nil` where the record itself, unlike the index, has nothing to hand over.
  private func bequest(_ id: RecordID) throws(Fault) -> StoredRecord<Bequest>? {
    let record: StoredRecord<Bequest>
    do { record = try store.readIntact(Bequest.self, id) } catch {
      if error.code == .recordGone { return nil }
      throw error
    }
    return isWanted(record.model.brief) ? record : nil
  }

  /// Sees to it that deliveries are sealed to keys that this device knows.
  private func requireVouched(_ deliveries: inout [PersonalDelivery]) {
    do {
      let untrusted = try store.trust.untrusted(among: deliveries.map(\.person))
      for index in deliveries.indices {
        if let error = untrusted[deliveries[index].person.id] { deliveries[index].problem = error }
      }
    } catch {
      for index in deliveries.indices { deliveries[index].problem = error }
    }
  }

  /// Sees to it that a delivery can be sealed, and that its place is free.
  private func check(_ delivery: PersonalDelivery) throws {
    if terms.isSealed, delivery.person.recipient.isEmpty {
      throw Fault.noRecipient(delivery.person)
    }
    guard let path = delivery.path else { return }
    let status: FileStatus?
    do { status = try store.files.statusIfPresent(path) } catch {
      // A parent folder that is not there is no obstacle; a parent that is no folder is one.
      guard error.condition == .notDirectory else { throw error }
      throw Fault.notADirectory(path.parent)
    }
    if status != nil { throw Fault.deliveryExists(path, delivery.person) }
  }
}
