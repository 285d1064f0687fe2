/// The terms of deliveries: how, where and when they are made.
package struct DeliveryTerms {
  /// The directory for the folders; `nil` where no place was named.
  package let output: FilePath?
  /// Whether each delivery is an archive that is sealed to its person.
  package let isSealed: Bool
  /// Whether a gift says what the item is worth.
  package let withValues: Bool
  package let now: Instant
  /// The time by the clock, which a rehearsal of a later time goes by when it reads the store.
  let clock: Instant
  /// The zone of the dates.
  let zone: () -> ZoneRules

  /// - Parameters:
  ///   - clock: the time by the clock, where the delivery is rehearsed as if it were another one.
  ///   - zone: the zone of the dates on the page; asked for when there is one to show.
  package init(
    output: FilePath?, isSealed: Bool, withValues: Bool, now: Instant, clock: Instant? = nil,
    zone: @autoclosure @escaping () -> ZoneRules
  ) {
    self.output = output
    self.isSealed = isSealed
    self.withValues = withValues
    self.now = now
    self.clock = clock ?? now
    self.zone = zone
  }

  /// Whether a time is ahead by the clock, and has come in what is rehearsed.
  func isRehearsed(_ time: Instant) -> Bool { time > clock && time <= now }

  /// The day of an instant as the name of a folder: `2040-01-01`.
  func date(_ instant: Instant) -> String { zone().civil(at: instant).date.description }

  /// An instant for people: `Sun 15 Jun 2036 09:00 CEST`.
  func dateTime(_ instant: Instant) -> String {
    DateText.local(instant, in: zone())
  }

  /// The day of an instant, in full: `21 November 2026`.
  func day(_ instant: Instant) -> String { zone().civil(at: instant).date.inWords }
}

extension CivilDate {
  /// The date on a page: `21 November 2026`.
  var inWords: String { "\(day) \(Month(rawValue: month)?.name ?? "") \(year)" }
}

/// Everything that is handed over now, person by person, and what stood in the way.
package struct DeliveryPlan {
  package var deliveries: [PersonalDelivery]
  /// The issues in the order in which they were found.
  package let issues: [DeliveryIssue]
  /// The owner's name; empty where that is not known.
  package let owner: String

  /// Whether there is something that can be made.
  package var canBeMade: Bool { deliveries.contains(where: \.canBeMade) }

  /// The bytes of all files that can be made, without pages and letters.
  package var size: Int64 {
    deliveries.reduce(0) { $1.problem == nil ? $0.addingClamped($1.size) : $0 }
  }
}

/// Something that a plan has to leave out.
public enum DeliveryIssue: Sendable {
  /// Some people or bequests cannot be read, and are in no delivery; the errors name directories
  /// that could not be looked at.
  case unreadable([Fault])
  /// The names of these people are not known, or of more where a directory could not be looked at: of two
  /// people with one name, the later one may have the name of the earlier one's folder.
  case namesUnknown([RecordID])
  /// A bequest names a record that is not there.
  case gone(RecordReference, bequest: RecordID)
  /// The record of a person cannot be used.
  case person(Fault)
}

/// One person's delivery, found before anything is written.
public struct PersonalDelivery {
  public let person: Beneficiary
  /// The name of the person's folder, the same whoever else receives something.
  public let name: String
  /// The time that its gifts wait for; `nil` where they wait for none.
  package let notBefore: Instant?
  /// The path of the folder or of the sealed file; `nil` where no place was named.
  package let path: FilePath?
  package internal(set) var gifts: [PlannedGift] = []
  package internal(set) var leftOut: [LeftOut] = []
  /// The reason why it cannot be made: a ``Fault``, or the error of what was read.
  package internal(set) var problem: (any Error)?
  public internal(set) var outcome = Outcome.planned

  /// The progress of a delivery.
  public enum Outcome {
    case planned, made
    /// It is made, or handed over as mail, and its bequests are marked sent.
    case marked
  }

  /// A gift that is not handed over yet.
  package struct LeftOut {
    package let bequest: StoredRecord<Bequest>
    /// The digest of the capsule's record, as it was planned with.
    let subjectDigest: [UInt8]
    package let title: String
    package let until: Instant
  }

  var canBeMade: Bool { !gifts.isEmpty && problem == nil }

  /// The files of all gifts, without the page and the letter.
  package var files: [DeliveryFile] { gifts.flatMap(\.files) }

  package var size: Int64 { gifts.reduce(0) { $0.addingClamped($1.size) } }

  /// The folder's files: the page and the letter, then the files that they name.
  func allFiles(
    owner: String, _ terms: DeliveryTerms
  ) -> [DeliveryFile] {
    let page = HandoverPage(handover: handover(owner: owner, terms))
    return [DeliveryFile("index.html", page.html), DeliveryFile("letter.txt", page.letter)] + files
  }

  /// The gifts as values.
  func handover(owner: String, _ terms: DeliveryTerms) -> Handover {
    Handover(
      owner: owner, person: person.name, date: terms.day(terms.now), gifts: gifts.map(\.gift),
      leftOut: leftOut.map {
        Handover.LeftOut(title: $0.title, reason: "opens on \(terms.dateTime($0.until))")
      }, notBefore: notBefore.map(terms.dateTime) ?? "")
  }
}

/// One gift of a delivery: its place on the page, and its files.
package struct PlannedGift {
  package let bequest: StoredRecord<Bequest>
  /// The digest of the record of the item or the capsule, as it was planned with.
  let subjectDigest: [UInt8]
  package let gift: Gift
  /// The files in the order of the gift's own.
  package let files: [DeliveryFile]

  var size: Int64 { files.reduce(0) { $0.addingClamped($1.size) } }
}

/// What a delivery was planned with, and is another by now.
package enum DeliveryChanged: Hashable, Sendable {
  /// The declaration of the owner's passing, without which a bequest is not accessible.
  case passing
  /// The record of the person who receives it.
  case person
  /// The bequest of a gift, by the gift's title.
  case bequest(of: String)
  /// A gift itself, by its title.
  case gift(String)
}

/// A bequest that could not be marked.
package struct UnmarkedBequest: Sendable {
  let bequest: RecordID
  /// The gift's title.
  let title: String
  let cause: Fault
}

/// The reason why a person's delivery was not made.
extension Fault {
  /// The person has no age recipient to seal to.
  package static func noRecipient(_ person: Beneficiary) -> Fault {
    Fault(
      .noRecipient, "'\(person.name)' has no age recipient to seal to",
      hint: "add one: capsule beneficiary edit \(person.name.shellWord) --recipient age1…",
      id: person.id)
  }

  /// The person has no email address.
  package static func noAddress(_ person: Beneficiary) -> Fault {
    Fault(
      .noAddress, "'\(person.name)' has no email address",
      hint:
        "add one: capsule beneficiary edit \(person.name.shellWord) --email ADDRESS; or deliver a "
        + "folder: --output DIR",
      id: person.id)
  }

  /// Mail cannot be sent to the person's email address.
  package static func unusableAddress(_ person: Beneficiary, _ fault: Fault) -> Fault {
    Fault(
      .noAddress,
      "invalid email address of '\(person.name)': '\(person.email)'",
      hint: fault.hint
        ?? "change it: capsule beneficiary edit \(person.name.shellWord) --email ADDRESS",
      id: person.id)
  }

  /// The person's mail is larger than the limit, in bytes.
  package static func mailTooLarge(_ person: Beneficiary, limit: Int64) -> Fault {
    Fault(
      .mailTooLarge,
      "the mail for '\(person.name)' was not sent: it is larger than \(ByteSize.text(limit))",
      hint:
        "deliver a folder: capsule deliver \(person.id) --output DIR; or raise 'limit' in the mail configuration",
      id: person.id)
  }

  /// The person's mail was handed over, but these bequests could not be marked sent.
  package static func mailUnmarked(_ bequests: [UnmarkedBequest], _ person: Beneficiary) -> Fault {
    unmarked(
      bequests,
      hint:
        "run the command again: capsule deliver --mail marks them, and sends nothing twice"
    ) { titles, cause in
      "the mail for '\(person.name)' was sent, but \(titles) could not be marked as sent: \(cause)"
    }
  }

  /// The delivery is whole, but these bequests could not be marked sent.
  package static func unmarked(_ bequests: [UnmarkedBequest], _ path: FilePath?) -> Fault {
    let ids = bequests.map(\.bequest.description)
    return unmarked(
      bequests,
      hint: "check the bequest, then mark it as sent: "
        + ids.map { "capsule bequest mark \($0) sent" }.joined(separator: "; ")
    ) { titles, cause in
      "'\(path?.text ?? "")' is complete, but \(titles) could not be marked as sent: \(cause)"
    }
  }

  private static func unmarked(
    _ bequests: [UnmarkedBequest], hint: String, _ message: (String, Message) -> Message
  ) -> Fault {
    guard var fault = bequests.first?.cause else {
      return Fault(.internal, "no bequest was marked")
    }
    let titles = bequests.map { "'\($0.title)'" }.joined(separator: ", ")
    fault.message = message(titles, fault.message)
    fault.hint = hint
    fault.details["unmarked"] = .array(bequests.map { .string($0.bequest.description) })
    return fault
  }

  /// A record that the delivery was planned by is another by now: nothing of it was handed over.
  package static func deliveryChanged(_ changed: DeliveryChanged, _ person: Beneficiary) -> Fault {
    let what =
      switch changed {
      case .passing: "the declaration of the death"
      case .person: "the record of '\(person.name)'"
      case .bequest(let title): "the bequest of '\(title)'"
      case .gift(let title): "'\(title)'"
      }
    return Fault(
      .deliveryChanged,
      "nothing was delivered to '\(person.name)': another process changed \(what)",
      hint: "run the command again", id: person.id, cause: changed)
  }

  /// Something has the name of the person's delivery already.
  package static func deliveryExists(_ path: FilePath, _ person: Beneficiary) -> Fault {
    Fault(
      .deliveryExists,
      "nothing was written for '\(person.name)': '\(path.text)' already exists",
      hint:
        "if '\(path.text)' is complete, mark its bequests: capsule bequest mark REF sent; otherwise move it "
        + "away and run the command again",
      details: ["id": .string(person.id.description), "path": .string(path.text)], cause: path)
  }

  /// The place of all deliveries is no directory.
  package static func notADirectory(_ path: FilePath) -> Fault {
    Fault(.refused, "'\(path.text)' is not a directory", hint: "choose another directory")
  }

  /// Says which file of a delivery is damaged; any other fault is about none.
  func ofDelivery(_ file: DeliveryFile, _ subject: (_ name: String) -> String) -> Fault {
    guard code.kind == .damaged else { return self }
    var fault = self
    fault.message =
      "\(subject(file.path.parts(at: "/").last ?? "")) cannot be delivered: \(message)"
    return fault
  }
}

extension Brief<Bequest> {
  /// Whether it waits to be handed over and may be.
  ///
  /// - Parameter passing: the time at which the owner passed away, where that was declared.
  package func isDeliverable(passing: Instant?, at now: Instant) -> Bool {
    digest.state == .notSent && accessible(passing: passing).map { $0 <= now } ?? false
  }
}

extension Store {
  /// What is handed over: deliveries, mail, and the estate.
  package var handover: StoreHandover { StoreHandover(store: self) }
}

/// What is handed over: deliveries, mail, and the estate.
package struct StoreHandover: StoreSubject {
  package let store: Store
}

extension StoreHandover {
  /// Finds everything that is accessible now and not yet sent, person by person; nothing is written.
  ///
  /// - Parameters:
  ///   - people: the people who are asked about; `nil` for everybody. A person who receives nothing
  ///     is not in the plan.
  ///   - opening: opens a capsule without asking anybody; its errors are the problem of the person's
  ///     delivery. It leaves no trace in the record: to hand a capsule over is not to open it.
  /// - Throws: `.recordDamaged` and `.io` of the settings, which say whose the things are and whether that
  ///   person is alive: neither is guessed.
  package func plan(
    for people: [RecordID]?, _ terms: DeliveryTerms,
    opening: @escaping (StoredRecord<Capsule>) throws -> UnattendedOutcome
  ) throws(Fault) -> DeliveryPlan {
    let settings = try store.settings.intact()
    var planner = DeliveryPlanner(
      store: store, terms: terms, passing: settings.passing?.at, trustees: nil, opening: opening)
    let deliveries = planner.deliveries(to: people)
    return DeliveryPlan(deliveries: deliveries, issues: planner.issues, owner: settings.owner)
  }

  /// Counts the bequests that wait to be handed over and may be.
  package func countDeliverableBequests(passing: Instant?, now: Instant) -> Int {
    var index = store.index.open(.bequest, now: now)
    var count = 0
    index.forEach(.ascending) { entry in
      let summary = Brief<Bequest>(entry)
      if summary?.isDeliverable(passing: passing, at: now) == true { count += 1 }
      return true
    }
    return count
  }
}
