import CapsuleCore

/// What goes to one person, found before anything is written.
struct Delivery {
  let person: Beneficiary
  /// The name of the person's folder, the same whoever else receives something.
  let name: String
  /// Where it goes: a folder, or a sealed file; `nil` where no place was named.
  let path: FilePath?
  var gifts: [DeliveryGift] = []
  var leftOut: [LeftOut] = []
  /// Why it cannot be made.
  var problem: Failure?
  /// What became of it.
  var outcome = Outcome.planned

  enum Outcome {
    case planned, made
    /// Made, and its bequests are marked sent.
    case marked
  }

  /// A gift that is not handed over yet.
  struct LeftOut {
    let bequest: RecordID
    let subject: RecordReference
    let title: String
    let until: Instant
  }

  /// The files of all gifts, without the page and the letter.
  var files: [DeliveryFile] { gifts.flatMap(\.files) }

  var size: Int64 { gifts.reduce(0) { $0 + $1.size } }

  /// The folder's files: the page and the letter, then what they name.
  func allFiles(owner: String, date: String, _ session: Session) -> [DeliveryFile] {
    let handover = Handover(
      owner: owner, person: person.name, date: date, gifts: gifts.map(\.gift),
      leftOut: leftOut.map {
        Handover.LeftOut(title: $0.title, reason: "sealed until \(session.dateTime($0.until))")
      })
    return [
      DeliveryFile("index.html", HandoverPage(handover).bytes),
      DeliveryFile("letter.txt", HandoverLetter(handover, width: TextWidth.of).bytes),
    ] + files
  }
}

/// One gift of a delivery: what the page says of it, and its files.
struct DeliveryGift {
  let bequest: StoredRecord<Bequest>
  let gift: Gift
  /// In the order of the gift's own.
  let files: [DeliveryFile]

  var size: Int64 { files.reduce(0) { $0 + $1.size } }
}
