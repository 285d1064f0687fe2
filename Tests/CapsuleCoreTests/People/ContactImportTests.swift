import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct ContactImportTests {
  /// The import of cards among some people.
  private func plan(
    _ text: String, among people: [Beneficiary], accepts: Bool = false
  ) -> PeopleImport {
    var plan = PeopleImport(
      ContactFile(Array(text.utf8)), acceptsRecipients: accepts, acceptsAddresses: accepts)
    for person in people { plan.note(person.brief) }
    return plan
  }

  /// What became of each card, in a word and the person's name.
  private func run(_ text: String, on people: inout [Beneficiary]) -> [String] {
    var plan = plan(text, among: people)
    var count = people.count
    let steps = plan.steps(
      newHeader: {
        count += 1
        return RecordHeader(
          id: RecordID(high: 7, low: UInt64(count)), createdAt: Instant(seconds: 0))
      },
      read: { id in people.first { $0.id == id } })
    return steps.map { step in
      switch step.outcome {
      case .added(let person):
        people.append(person)
        return "added \(person.name)"
      case .updated(let old, let new):
        people = people.map { $0.id == old.id ? new : $0 }
        return "updated \(new.name)"
      case .unchanged(let person), .removed(let person): return "unchanged \(person.name)"
      case .skipped(let problem): return "skipped: \(problem.words)"
      }
    }
  }

  private func card(_ lines: String...) -> String {
    (["BEGIN:VCARD"] + lines + ["END:VCARD", ""]).joined(separator: "\n")
  }

  @Test func `a card's UID is the link, whatever becomes of the name`() throws {
    var people: [Beneficiary] = []
    expect(run(card("FN:Ann", "UID:1", "EMAIL:a@x.org"), on: &people), is: ["added Ann"])
    expect(run(card("FN:Ann", "UID:1", "EMAIL:a@x.org"), on: &people), is: ["unchanged Ann"])
    expect(run(card("FN:Anna", "UID:1", "TEL:5"), on: &people), is: ["updated Anna"])
    expect(people.count, is: 1)
    expect(people[0].email == "a@x.org" && people[0].phone == "5" && people[0].cardUID == "1")
    expect(run(card("FN:Anna", "UID:2"), on: &people), is: ["added Anna"])
  }

  @Test func `the card's fields win, others stay`() throws {
    var person = Beneficiary(
      header: RecordHeader(id: RecordID(high: 1, low: 1), createdAt: Instant(seconds: 0)),
      name: "Ann")
    person.relationship = "niece"
    person.phone = "1"
    person.notes = "mine"
    person.contact = "Signal"
    var people = [person]
    let text = card("FN:Ann", "EMAIL:new@x.org", "TEL:2", "URL:http://a", "RELATED:child")
    expect(run(text, on: &people), is: ["updated Ann"])
    (person.email, person.phone) = ("new@x.org", "2")
    person.contact = "Web: http://a\nRelated: child"
    expect(people, is: [person])
  }

  @Test(
    arguments: [
      ("6FD2AB9F-6B2F-4A5F-9C77-0D3B1F6A4B12", "urn:uuid:6fd2ab9f-6b2f-4a5f-9c77-0d3b1f6a4b12"),
      ("6fd2ab9f-6b2f-4a5f-9c77-0d3b1f6a4b12", "URN:UUID:6FD2AB9F-6b2f-4a5f-9c77-0D3B1F6A4B12"),
    ])
  func `a UUID is the same in both versions' spelling`(one: String, other: String) {
    var people: [Beneficiary] = []
    _ = run(card("FN:Ann", "UID:\(one)"), on: &people)
    expect(run(card("FN:Ann", "UID:\(other)"), on: &people), is: ["unchanged Ann"])
    expect(PeopleImport.link("Abc") != PeopleImport.link("abc"))
  }

  @Test func `of two cards with one UID the later counts`() {
    var people: [Beneficiary] = []
    let text = card("FN:Old", "UID:1") + card("FN:New", "UID:1")
    expect(
      run(text, on: &people),
      is: ["skipped: the card on line 5 has the same UID and is used instead", "added New"])
    expect(
      run(text, on: &people),
      is: ["skipped: the card on line 5 has the same UID and is used instead", "unchanged New"])
  }

  @Test func `a card without a UID is linked by name to one who has none`() {
    var people: [Beneficiary] = []
    _ = run(card("FN:Ann", "UID:1"), on: &people)
    expect(run(card("FN:ANN", "TEL:1"), on: &people), is: ["added ANN"])
    expect(run(card("FN:Ann", "TEL:2"), on: &people), is: ["updated Ann"])
    expect(people.map(\.phone), is: ["", "2"])
  }

  @Test func `father and son come in and stay two, also when imported again`() {
    var people: [Beneficiary] = []
    let text = card("FN:Jo", "TEL:1") + card("FN:Jo", "TEL:2")
    expect(run(text, on: &people), is: ["added Jo", "added Jo"])
    expect(run(text, on: &people), is: ["unchanged Jo", "unchanged Jo"])
    expect(
      run(card("FN:Jo", "TEL:3"), on: &people),
      is: ["skipped: several people are called 'Jo', and the card has no UID"])
    expect(people.map(\.phone), is: ["1", "2"])
  }

  @Test func `of two people of one name a card without a UID means the one whose address it has`() {
    var people: [Beneficiary] = []
    expect(
      run(card("FN:Jo", "EMAIL:a@x.org") + card("FN:Jo", "EMAIL:b@x.org"), on: &people),
      is: ["added Jo", "added Jo"])
    expect(run(card("FN:Jo", "EMAIL:b@x.org"), on: &people), is: ["unchanged Jo"])
    expect(
      run(card("FN:Jo", "EMAIL:c@x.org"), on: &people),
      is: ["skipped: several people are called 'Jo', and the card has no UID"])
  }

  @Test func `a card replaces a known mail address only where that is accepted`() {
    var person = Beneficiary(
      header: RecordHeader(id: RecordID(high: 1, low: 1), createdAt: Instant(seconds: 0)),
      name: "Ann")
    person.email = "ann@example.org"
    person.cardUID = "1"
    for accepts in [false, true] {
      var plan = PeopleImport(
        ContactFile(Array(card("FN:Ann", "UID:1", "TEL:1", "EMAIL:eve@example.com").utf8)),
        acceptsRecipients: false, acceptsAddresses: accepts)
      plan.note(person.brief)
      let steps = plan.steps(
        newHeader: { person.header }, read: { _ in person })
      guard case .updated(_, let new) = steps.first?.outcome else {
        Issue.record("\(steps)")
        continue
      }
      expect(new.email == (accepts ? "eve@example.com" : "ann@example.org") && new.phone == "1")
      let change = steps.first?.remarks.first?.fault.cause as? PeopleImport.AddressChange
      expect(change?.new == (accepts ? nil : "eve@example.com"))
      expect(change?.old == (accepts ? nil : "ann@example.org"))
    }
  }

  @Test func `a person whose record cannot be changed is left alone`() {
    var plan = plan(
      card("FN:Ann"),
      among: [
        Beneficiary(
          header: RecordHeader(id: RecordID(high: 1, low: 1), createdAt: Instant(seconds: 0)),
          name: "Ann")
      ])
    let steps = plan.steps(
      newHeader: { RecordHeader(id: RecordID(high: 2, low: 2), createdAt: Instant(seconds: 0)) },
      read: { _ in nil })
    guard case .skipped(let problem) = steps.first?.outcome else {
      Issue.record("\(steps)")
      return
    }
    expect(problem.words.hasSuffix("of the person cannot be read"), "\(problem.words)")
  }

  @Test func `a card replaces a known age recipient only where that is accepted`() {
    let known = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
    let other = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    var person = Beneficiary(
      header: RecordHeader(id: RecordID(high: 1, low: 1), createdAt: Instant(seconds: 0)),
      name: "Ann")
    person.recipient = known
    let text = card("FN:Ann", "TEL:1", "X-AGE-RECIPIENT:\(other)")
    for accepts in [false, true] {
      var plan = plan(text, among: [person], accepts: accepts)
      let steps = plan.steps(newHeader: { person.header }, read: { _ in person })
      guard case .updated(_, let new) = steps.first?.outcome else {
        Issue.record("\(steps)")
        continue
      }
      expect(new.recipient == (accepts ? other : known) && new.phone == "1")
      let remarks = steps.first?.remarks.map { $0.words(rival: "") } ?? []
      let refusal = "has a different age recipient for 'Ann', '\(other)', which was not used"
      expect(remarks, is: accepts ? [] : [refusal])
    }
  }
}
