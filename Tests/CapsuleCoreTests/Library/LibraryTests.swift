import Foundation
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct LibraryTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test(arguments: libraryExamples.map(\.name))
  func `an example of the library gives its answer`(name: String) throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let example = try require(libraryExamples.first { $0.name == name })
    try expect(example.run(place.path), is: example.answer)
  }

  @Test func `the examples in the library's documentation are those that run here`() throws {
    let page = try String(
      contentsOf: folder.appending(path: "../../../docs/internals/library.md"), encoding: .utf8)
    let source = try String(
      contentsOf: folder.appending(path: "LibraryExamples.swift"), encoding: .utf8)
    let functions = source.components(separatedBy: "\nfunc ").dropFirst().map { "func " + $0 }
    expect(functions.count, is: libraryExamples.count)
    for function in functions {
      let text = function.trimmingCharacters(in: .newlines)
      expect(page.contains("```swift\n\(text)\n```"))
    }
  }

  @Test func `bequests are found behind others, and as many as were asked for`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try Store.open(directory: place.path, clock: .system)
    let mia = try store.add(Beneficiary(name: "Mia"))
    for name in ["Piano", "Ring", "Golden ring"] {
      _ = try store.add(Bequest(try store.add(Item(name: name)), to: mia))
    }
    expect(store.records(Bequest.self, matching: "rings").isEmpty)
    expect(store.records(Bequest.self, matching: "ring").count, is: 2)
    expect(store.records(Bequest.self, matching: "ring", limit: 1).count, is: 1)
    expect(store.records(Bequest.self, limit: 2).count, is: 2)
  }

  @Test func `an event takes an image, and no other file`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try Store.open(directory: place.path, clock: .system)
    let event = try store.add(
      Event(title: "Launch", on: .instant(Instant(seconds: 0)), zone: "UTC"))
    let media = folder.appending(path: "../Vectors/media")
    let changed = try store.setImage(media.appending(path: "palette.png").path, of: event.id)
    expect(changed.image?.mediaType, is: "image/png")
    expect(changed.revision, is: event.revision + 1)
    var bytes: [UInt8] = []
    try store.read(require(changed.image)) { bytes += $0 }
    try expect(Data(bytes) == Data(contentsOf: media.appending(path: "palette.png")))
    let error = expect(throws: Fault.self) { try store.setImage(#filePath, of: event.id) }
    expect(error?.code, is: .notAnImage)
  }

  @Test func `bytes that are handed over a piece at a time are sealed as they are`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try Store.open(directory: place.path, clock: .system)
    // Pieces shorter and longer than what is read at once.
    let pieces = [1, 70_000, 3, 200_000].enumerated().map { number, count in
      [UInt8](repeating: UInt8(number), count: count)
    }
    var rest = pieces[...]
    let capsule = try store.seal(
      NewCapsule(
        title: "A letter", unlockAt: Instant(seconds: 0),
        contents: [.stream(named: "mia.bin") { rest.popFirst() ?? [] }]))
    var bytes: [UInt8] = []
    try store.open(capsule.id).read(contentAt: 0) { bytes += $0 }
    expect(bytes == pieces.flatMap(\.self))
  }

  @Test func `people are found by a text in any field, in order`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try Store.open(directory: place.path, clock: .system)
    for (name, word) in [("Zoe", "sister"), ("Ben", "son"), ("Mia", "daughter, and sister of Ben")]
    {
      var person = Beneficiary(name: name)
      person.relationship = word
      let added = try store.add(person)
      expect(added.revision, is: 1)
      expect(added.createdAt, is: added.updatedAt)
    }
    expect(store.records(BeneficiaryQuery(text: "SISTER")).map(\.name), is: ["Mia", "Zoe"])
    expect(
      store.records(BeneficiaryQuery(reversed: true, limit: 2)).map(\.name), is: ["Zoe", "Mia"])
    let letter = try store.seal(
      NewCapsule(title: "Letter", unlockAt: Instant(seconds: 4_000_000_000), contents: [.text("a")])
    )
    let mia = try require(store.records(BeneficiaryQuery(text: "mia")).first)
    let left = try store.add(Bequest(letter, to: mia, .uponPassing))
    expect(left.subject, is: RecordReference(.capsule, letter.id))
    expect(left.access, is: .uponPassing)
  }

  @Test func `each record says when and how often it was written`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let time = Instant(seconds: 1_800_000_000)
    let store = try Store.open(directory: place.path, clock: StoreClock { time })
    func written(_ record: some Record) -> [Int64] {
      [record.createdAt.seconds, record.updatedAt.seconds, record.revision]
    }
    let item = try store.add(Item(name: "Ring"))
    let mia = try store.add(Beneficiary(name: "Mia"))
    let left = try store.add(Bequest(item, to: mia))
    for record in [written(item), written(mia), written(left)] {
      expect(record, is: [time.seconds, time.seconds, 1])
    }
    let changed = try store.change(Item.self, item.id) { $0.location = "attic" }
    expect(written(changed), is: [time.seconds, time.seconds, 2])
    expect(
      try store.relations.dependents(of: RecordReference(.item, item.id), now: time),
      is: [RecordReference(.bequest, left.id)])
    expect(try store.trustProblems().isEmpty)
  }

  @Test func `a description has no control character of a text`() {
    let errors: [any CustomStringConvertible] = [
      Fault.notAStore(path: "a\u{1B}[2J"), Fault.busy(holder: "x\ny"),
      Fault.refused(.invalid(.email, "\u{202E}a")),
      Fault.exists(FilePath("\u{9B}31m")),
      FieldError(path: "title", problem: .invalid("\u{2028}")),
      Fault.opening(.locked(until: Instant(seconds: .max), remaining: 1)),
      Fault.forbidden(
        .neverEarlier(from: .latest, to: Instant(seconds: .min)), RecordID(high: 0, low: 0)),
    ]
    for error in errors {
      let scalars = error.description.unicodeScalars
      expect(scalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
      expect(!scalars.contains { [0x202E, 0x2028].contains($0.value) })
      expect(!scalars.isEmpty)
    }
  }

  @Test func `no value at the public door ends the process`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    var random = SystemRandomNumberGenerator()
    let seconds = [Int64.min, .min + 1, -62_135_596_801, -1, 0, 253_402_300_800, .max - 1, .max]
    let texts = ["", " ", "\0", "\u{600}|", "a\r\n", String(repeating: "é", count: 600)]
    for second in seconds {
      let time = Instant(seconds: second)
      let store = try Store.open(directory: place.path, clock: StoreClock { time })
      for text in texts {
        _ = try? store.seal(NewCapsule(title: text, unlockAt: time, contents: [.text(text)]))
        _ = try? store.seal(
          NewCapsule(title: "a", unlockAt: time, contents: [.file(text)], lock: .honor))
        _ = try? store.add(Event(title: text, on: .instant(time), zone: text))
        var item = Item(name: text)
        item.value = try? Money(text)
        item.reminder = Reminder(every: text, since: time)
        item.log(HistoryEntry(at: time, notes: text))
        item.unlog(Int(clamping: second))
        _ = try? store.add(item)
        var event = Event(title: "e" + text, on: .instant(time), zone: text)
        event.recurrence = Recurrence(words: text) ?? Recurrence(words: "weekdays")
        event.alerts = [EventAlert(text), EventAlert("1 week before")].compactMap { $0 }
        _ = try? store.add(event)
        event.isDeadline = true
        try? event.meet(at: time)
        _ = try? store.add(event)
        try? store.setOwner(text)
        try? store.declarePassing(owner: text, at: time)
        try? store.revokePassing()
        if let id = RecordID(
          "\(Int.random(in: 10_000_000...99_999_999))-0000-4000-8000-000000000000")
        {
          _ = try? store.mark(id, as: .sent, notes: text)
        }
        _ = try? Store.open(
          directory: place.path + "/" + text, creating: false, clock: .system)
        _ = try? store.when(text, zone: text)
        _ = try? store.attach(text, to: RecordID(high: 0, low: 1))
        _ = store.records(ItemQuery(tags: [text], text: text, limit: .min))
        _ = try? LockRequest.recipients([text])
        _ = try? LockRequest.timelock(until: time, escrow: [text])
        _ = try? Keys(identities: [text], passphrase: text, beacon: text)
        _ = Instant(rfc3339: text)
        _ = CivilDate(iso8601: text)
        _ = store.records(Event.self, matching: text, limit: .min)
        _ = try? store.agenda(from: time, until: time, zone: text)
        _ = try? store.importPeople(Array(text.utf8))
      }
      _ = try? store.agenda(
        from: time, until: Instant(seconds: .random(in: .min ... .max, using: &random)), limit: .min
      )
      _ = try? store.due(since: time)
      expect(try store.agenda(from: .earliest, until: .latest, limit: 0).isEmpty)
      _ = CivilDate(year: Int(clamping: second), month: .max, day: .min)
    }
    let store = try Store.open(directory: place.path, clock: .system)
    for capsule in store.records(Capsule.self).prefix(2) {
      for second in seconds {
        let error = expect(throws: Fault.self) {
          _ = try store.change(Capsule.self, capsule.id) {
            $0.unlockAt = Instant(seconds: second)
            $0.title = "\u{202E}\u{1B}[2J"
            $0.contents = []
          }
        }
        let words = error?.description ?? ""
        expect(!words.isEmpty && !words.unicodeScalars.contains("\u{1B}"))
      }
    }
    expect(try store.verify().isSound)
    for capsule in store.records(Capsule.self) {
      expect(throws: (any Error).self) {
        _ = try store.change(Capsule.self, capsule.id) {
          $0.title = "\0" + $0.title + "é" + $0.title
        }
        _ = try store.change(Capsule.self, capsule.id) {
          $0.title = String(repeating: "a", count: 1025)
        }
      }
    }
  }
}
