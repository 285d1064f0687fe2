import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct BeneficiaryTests {
  private func person(_ change: (inout Beneficiary) -> Void = { _ in }) throws -> Beneficiary {
    var person = Beneficiary(
      header: RecordHeader(
        id: RecordID(high: 3, low: 4),
        createdAt: try require(Instant(rfc3339: "2026-01-01T00:00:00Z"))),
      name: "Zoë")
    person.relationship = "daughter"
    person.email = "zoe@example.org"
    person.phone = "+33 6 12 34 56 78"
    person.contact = "Signal\nby post"
    person.recipient = try require(
      AgeRecipient(.x25519, publicKey: [UInt8](repeating: 9, count: 32))
    )
    .description
    person.notes = "n"
    person.cardUID = "urn:uuid:1"
    change(&person)
    return person
  }

  @Test func `a record holds all of a person, and what it does not know`() throws {
    let person = try person()
    var fields = person.fields
    fields["shoeSize"] = 38
    let read = try Beneficiary(fields: fields)
    expect(read.fields, is: fields)
    expect(read.unknown, is: ["shoeSize": 38])
    expect(read.cardUID == "urn:uuid:1" && read.contact == person.contact)
  }

  @Test func `a name is all that a person must have`() throws {
    var fields = try person().fields
    for field in [
      "relationship", "email", "phone", "contact", "recipient", "notes", "cardUID",
    ] {
      fields[field] = field == "notes" ? .null : nil
    }
    let read = try Beneficiary(fields: fields)
    expect(read, is: Beneficiary(header: read.header, name: "Zoë"))
  }

  @Test(
    arguments: [
      ("recipient", JSON.string("age1xyz")), ("name", .string(String(repeating: "x", count: 1025))),
      ("name", .null), ("email", 5), ("cardUID", false),
    ])
  func `a field that cannot stand there is told by its name`(field: String, value: JSON) throws {
    var fields = try person().fields
    fields[field] = value
    expect {
      _ = try Beneficiary(fields: fields)
    } throws: {
      ($0 as? FieldError)?.path == field
    }
  }

  @Test(arguments: [1, 3000])
  func `a summary tells what its person does, through the index's form too`(length: Int) throws {
    for uid in [nil, "", "x"] {
      let person = try person {
        $0.notes = String(repeating: "é", count: length)
        $0.cardUID = uid
      }
      let summary = person.brief
      expect(summary.isWhole == (length == 1) && summary.record.notes.utf8.count <= 2048)
      expect(
        Brief<Beneficiary>(id: person.id, encoded: person.indexContribution.summary), is: summary)
      expect(summary.record.cardUID, is: uid)
    }
  }
}
