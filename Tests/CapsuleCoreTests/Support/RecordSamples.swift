import TestSupport
import Testing

@testable import CapsuleCore

/// A record of each kind with every field set, for tests that hold for all kinds.
enum RecordSamples {
  static let id = RecordID(high: 1, low: 2)

  static var all: [any RecordModel] {
    get throws { [try capsule, try event, try item, try beneficiary, bequest, try trustees] }
  }

  private static var header: RecordHeader {
    var header = RecordHeader(id: id, createdAt: Instant(seconds: 1_700_000_000))
    header.noteMaking(at: 1_700_000_000_000_000_007)
    return header
  }

  private static func attachment(_ name: [UInt8]) -> CapsuleCore.Attachment {
    CapsuleCore.Attachment(
      name: name, mediaType: "image/jpeg", size: 3, modified: FileTime(seconds: 1, nanoseconds: 2),
      blob: BlobName(digest: SHA256.hash([1])))
  }

  static var capsule: Capsule {
    get throws {
      let timelock = Timelock(
        chain: "c", publicKey: "p", genesis: 1, groupHash: "g", beaconID: "b", period: 3, round: 4,
        inner: .recipients, escrow: ["age1x"], beacon: "s")
      let contents = [ContentKind.text, .image, .other].map { kind in
        Content(
          id: id, kind: kind, addedAt: header.createdAt, sealedSize: 5, sealed: "age",
          blob: kind == .text ? nil : BlobName(digest: SHA256.hash([2])))
      }
      return Capsule(
        header: header, title: "Tïtle", notes: "n", tags: ["a", "b"],
        unlockAt: Instant(seconds: 2_000_000_000), unlockZone: "Europe/Paris",
        lock: Lock(kind: .timelock, key: "k", recipient: "r", timelock: timelock),
        contents: contents, openedAt: Instant(seconds: 2_000_000_001))
    }
  }

  static var event: Event {
    get throws {
      var event = Event(
        header: header, title: "Launch", moment: .instant(Instant(seconds: 5)), zone: "UTC")
      event.notes = "n"
      event.color = EventColor("red")
      event.image = attachment(Array("ï.jpg".utf8))
      event.recurrence = Recurrence(every: 2, .week)
      event.alerts = [try require(EventAlert("1 day before at 09:00"))]
      event.uid = "u@example.org"
      event.imported = EntryVersion(sequence: 3, modified: Instant(seconds: 6))
      event.isYearUnknown = true
      return event
    }
  }

  static var item: Item {
    get throws {
      var item = Item(header: header, name: "Ring")
      item.description = "d"
      item.notes = "N"
      item.category = "c"
      item.value = try Money("EUR 0.05")
      item.replacementValue = try Money("JPY 7")
      item.quantity = 2
      item.location = "l"
      item.price = try Money("EUR 4")
      item.serial = "S"
      item.boughtOn = CivilDate(iso8601: "2024-05-03")
      item.boughtFrom = "F"
      item.warrantyUntil = CivilDate(iso8601: "2027-05-02")
      item.tags = ["t"]
      item.media = [
        Media(
          file: attachment([0xff, 0]), title: "m", addedAt: header.createdAt,
          facts: MediaFacts(width: 1, height: 2, milliseconds: 3))
      ]
      item.log(HistoryEntry(at: Instant(seconds: 1), value: ExactDecimal("1.50"), notes: "x"))
      item.reminder = Reminder(every: 3, .month, since: .epoch)
      item.reminder?.name = "n"
      item.reminder?.from = Instant(seconds: 9)
      item.reminder?.time = .noon
      item.reminder?.isOn = false
      return item
    }
  }

  static var beneficiary: Beneficiary {
    get throws {
      var person = Beneficiary(header: header, name: "Zoë")
      person.relationship = "daughter"
      person.email = "zoe@example.org"
      person.phone = "+33 6"
      person.contact = "c"
      person.recipient = try require(
        AgeRecipient(.x25519, publicKey: [UInt8](repeating: 9, count: 32))
      ).description
      person.notes = "n"
      person.cardUID = "u"
      return person
    }
  }

  static var trustees: TrusteeGroup {
    get throws {
      let recipient = try require(
        AgeIdentity(seed: SecretBytes(copying: 0..<32), isPostQuantum: true)
      ).recipient
      func share(_ holder: String, _ person: RecordID?) -> TrusteeShare {
        TrusteeShare(
          person: person, holder: holder, digest: SHA256.hash(Array(holder.utf8)),
          madeAt: header.createdAt)
      }
      let shares = [share("Mia", id), share("Ben", nil)]
      var group = TrusteeGroup(
        header: header, name: "family", recipient: recipient.description, identifier: 6,
        threshold: 2, shares: shares)
      group.renew(identifier: 57, threshold: 2, shares: shares)
      group.confirm(0, at: Instant(seconds: 2_000_000_000))
      group.lose(1, at: Instant(seconds: 2_000_000_000))
      return group
    }
  }

  static var bequest: Bequest {
    var bequest = Bequest(
      header: header, subject: RecordReference(.capsule, id), beneficiary: id,
      access: .afterDate(Instant(seconds: 2_000_000_000)), message: "m")
    _ = bequest.mark(
      DeliveryChange(.sent, at: header.createdAt, notes: "n"), now: header.createdAt)
    return bequest
  }
}
