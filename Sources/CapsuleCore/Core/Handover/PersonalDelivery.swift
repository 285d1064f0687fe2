/// The terms of deliveries: how, where and when they are made.
package struct DeliveryTerms {
  /// The directory for the folders; `nil` where no place was named.
  package let output: FilePath?
  /// Whether each delivery is an archive that is sealed to its person.
  package let isSealed: Bool
  /// Whether a gift says what the item is worth.
  package let withValues: Bool
  package let now: Instant
  /// The zone of the dates.
  let zone: () -> ZoneRules

  /// - Parameter zone: the zone of the dates on the page; asked for when there is one to show.
  package init(
    output: FilePath?, isSealed: Bool, withValues: Bool, now: Instant,
    zone: @autoclosure @escaping () -> ZoneRules
  ) {
    self.output = output
    self.isSealed = isSealed
    self.withValues = withValues
    self.now = now
    self.zone = zone
  }

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
  case unreadable([FileSystemError])
  /// The names of these people are not known, or of more where a directory could not be looked at: of two
  /// people with one name, the later one may have the name of the earlier one's folder.
  case namesUnknown([RecordID])
  /// A bequest names a record that is not there.
  case gone(RecordReference, bequest: RecordID)
  /// The record of a person cannot be used.
  case person(StoreError)
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
  /// The reason why it cannot be made: a ``DeliveryError``, or the error of what was read.
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

/// The reason why a person's delivery was not made.
package enum DeliveryError: Error {
  /// The person has no age recipient to seal to.
  case noRecipient(Beneficiary)
  /// The person has no email address.
  case noAddress(Beneficiary)
  /// The person's email address is none that mail can be sent to.
  case unusableAddress(Beneficiary, MailAddress.Fault)
  /// The person's mail is larger than the limit, in bytes.
  case mailTooLarge(Beneficiary, limit: Int64)
  /// The person's mail was handed over, but these bequests could not be marked sent.
  case mailUnmarked([Unmarked], Beneficiary)
  /// A record that the delivery was planned by is another by now: nothing of it was handed over.
  case changedMeanwhile(Changed, Beneficiary)
  /// Something has the name of the person's delivery already.
  case exists(FilePath, Beneficiary)
  /// The place of all deliveries is no directory.
  case notADirectory(FilePath)
  /// A file of a gift could not be written from what the store has of it.
  case file(name: String, gift: String, person: String, cause: any Error)
  /// A file of a capsule that is left to nobody could not be written from what the store has of it.
  case capsuleFile(name: String, capsule: String, cause: any Error)
  /// A file's bytes are not as many as its record says.
  case wrongSize(expected: Int64)
  /// The delivery is whole, but these bequests could not be marked sent.
  case unmarked([Unmarked], FilePath?)

  /// What is another than it was planned with.
  package enum Changed: Hashable, Sendable {
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
  package struct Unmarked {
    package let bequest: RecordID
    /// The gift's title.
    package let title: String
    package let cause: BequestMarkError
  }
}
