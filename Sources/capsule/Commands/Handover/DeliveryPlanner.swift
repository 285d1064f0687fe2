import CapsuleCore

/// Finds what is accessible now and not yet sent, person by person.
struct DeliveryPlanner {
  let session: Session
  let store: Store
  let settings: StoreSettings
  let opening: UnattendedOpening
  /// Where the folders go; `nil` where no place was named.
  let output: FilePath?
  let isSealed: Bool
  let withValues: Bool
  /// What came of records that could not be used.
  private(set) var code = ExitCode.ok

  init(
    session: Session, store: Store, opening: UnattendedOpening, output: FilePath?, isSealed: Bool,
    withValues: Bool
  ) throws {
    self.session = session
    self.store = store
    // They say whose the things are and whether that person is alive: nothing is taken for granted.
    let (settings, damage) = try store.readSettings()
    if let damage { throw StoreError.damaged(damage, path: store.layout.settings.text) }
    self.settings = settings
    self.opening = opening
    self.output = output
    self.isSealed = isSealed
    self.withValues = withValues
  }

  /// The deliveries of the people named, or of all; those for whom there is nothing are left out.
  mutating func deliveries(to people: [RecordID]?) -> [Delivery] {
    let bequests = accessible(to: people.map(Set.init))
    var found: [Delivery] = []
    let names = names()
    let known = Set(names.map(\.0))
    for (person, ids) in bequests where !known.contains(person) {
      let reference = RecordReference(.beneficiary, person)
      for id in ids where !isThere(reference) { tellGone(reference, of: id) }
    }
    for (id, name) in names {
      guard let ids = bequests[id] else { continue }
      do throws(StoreError) {
        let record = try store.read(Beneficiary.self, id)
        if let damage = record.integrity {
          throw .damaged(damage, path: store.layout.record(.beneficiary, id).text)
        }
        let delivery = delivery(ids, to: record.model, name: name)
        if !delivery.gifts.isEmpty || !delivery.leftOut.isEmpty || delivery.problem != nil {
          found.append(delivery)
        }
      } catch {
        let failure = Failure(error)
        code = ExitCode.worst(code, failure.kind.exitCode)
        session.console.report(failure)
      }
    }
    return found
  }

  /// A folder's name for every person, in the order in which they were added: nobody's depends on who
  /// receives something today, only on who is kept.
  private mutating func names() -> [(RecordID, String)] {
    var names = PortableFileNames()
    var found: [(RecordID, String)] = []
    var index = store.index(.beneficiary, now: session.now)
    index.forEach(.ascending) { entry in
      // Who cannot be read has no name; that is told below.
      guard !entry.summary.isEmpty else { return true }
      let name = RecordKind.beneficiary.title(of: entry)
      found.append((entry.id, names.next(name, fallback: "person")))
      return true
    }
    noteProblems(of: &index)
    return found
  }

  private mutating func accessible(to people: Set<RecordID>?) -> [RecordID: [RecordID]] {
    var found: [RecordID: [RecordID]] = [:]
    let passing = settings.passing?.at
    var index = store.index(.bequest, now: session.now)
    index.forEach(.ascending) { entry in
      if let summary = BequestSummary(id: entry.id, encoded: entry.summary),
        people?.contains(summary.beneficiary) ?? true, summary.state == .notSent,
        isReached(summary.accessible(passing: passing))
      {
        found[summary.beneficiary, default: []].append(entry.id)
      }
      return true
    }
    noteProblems(of: &index)
    return found
  }

  private func isReached(_ time: Instant?) -> Bool {
    time.map { $0 <= session.now } ?? false
  }

  private mutating func noteProblems(of index: inout RecordIndex) {
    for failure in index.failures { session.console.report(Failure(failure)) }
    // What cannot be read at all is in nobody's delivery.
    guard index.problems().contains(where: \.summary.isEmpty) || !index.failures.isEmpty else {
      return
    }
    code = ExitCode.worst(code, .partial)
    session.console.warning(
      "some records are not what was written; what they say is in no delivery",
      hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
  }

  private func isThere(_ reference: RecordReference) -> Bool {
    let path = store.layout.record(reference.kind, reference.id)
    return (try? store.files.statusIfPresent(path)) != .some(nil)
  }

  /// What a synchroniser took away is delivered to nobody, and holds nothing else up.
  private mutating func tellGone(_ reference: RecordReference, of bequest: RecordID) {
    code = ExitCode.worst(code, .partial)
    session.console.warning(
      "a bequest names the \(reference.kind.word) '\(reference.id)', which is not there",
      hint: "'capsule bequest show \(bequest)' tells of it; bring that back, or delete the bequest",
      details: ["id": .string(bequest.description)])
  }

  private mutating func delivery(_ ids: [RecordID], to person: Beneficiary, name: String)
    -> Delivery
  {
    var delivery = Delivery(
      person: person, name: name, path: output?.appending(isSealed ? name + ".tar.age" : name))
    var maker = DeliveryGiftMaker(session: session, opening: opening, withValues: withValues)
    do {
      for id in ids {
        // The record itself says what it is, not the index.
        guard let bequest = try bequest(id) else { continue }
        guard isThere(bequest.model.subject) else {
          tellGone(bequest.model.subject, of: id)
          continue
        }
        switch try maker.make(bequest) {
        case .gift(let gift): delivery.gifts.append(gift)
        case .leftOut(let leftOut): delivery.leftOut.append(leftOut)
        }
      }
      // What can be seen at once comes before what is to be opened by hand.
      delivery.gifts = delivery.gifts.stablySorted {
        $0.gift.opening == nil && $1.gift.opening != nil
      }
      if !delivery.gifts.isEmpty { try check(delivery) }
    } catch {
      delivery.problem = Failure(error)
    }
    return delivery
  }

  private func bequest(_ id: RecordID) throws -> StoredRecord<Bequest>? {
    let record: StoredRecord<Bequest>
    do throws(StoreError) {
      record = try store.read(Bequest.self, id)
      if let damage = record.integrity {
        throw .damaged(damage, path: store.layout.record(.bequest, id).text)
      }
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
    let accessible = record.model.access.accessible(
      since: record.model.createdAt, passing: settings.passing?.at)
    return record.model.state == .notSent && isReached(accessible) ? record : nil
  }

  private func check(_ delivery: Delivery) throws {
    if isSealed, delivery.person.recipient.isEmpty {
      throw Failure(
        .refused, "'\(delivery.person.name)' has no age recipient to seal to",
        hint: "set one: 'capsule beneficiary edit REF --recipient age1…'",
        details: ["id": .string(delivery.person.id.description)])
    }
    guard let path = delivery.path else { return }
    let status: FileStatus?
    do throws(FileSystemError) { status = try store.files.statusIfPresent(path) } catch {
      // Where the place of all is no directory yet, nothing is in the way.
      guard error.condition == .notDirectory else { throw error }
      throw Failure(
        .refused, "'\(path.parent.text)' is no directory", hint: "name another with '--output'")
    }
    if status != nil { throw Failure.isThere(delivery.person, path) }
  }
}

extension Failure {
  /// Something has the name of a delivery.
  static func isThere(_ person: Beneficiary, _ path: FilePath) -> Failure {
    Failure(
      .refused, "'\(path.text)' exists already; nothing was written for '\(person.name)'",
      hint:
        "look whether it is this delivery: then mark it with 'capsule bequest mark REF sent', else "
        + "move it away and deliver again",
      details: ["id": .string(person.id.description), "path": .string(path.text)])
  }
}
