import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The table of outcomes in docs/internals/sync.md: each row is what two machines have after they changed the same
/// record without knowing of each other, and then came to rest.
struct SyncOutcomeTests {
  /// Two changes, and the parts of the record that are told.
  private struct Row {
    /// `nil` for the settings.
    let kind: RecordKind?
    let first: String
    let second: String
    let members: [String]
    let change: (inout SyncWorld, RecordID) throws -> Void

    init(
      _ kind: RecordKind?, _ first: String, _ second: String, _ members: [String] = [],
      _ change: @escaping (inout SyncWorld, RecordID) throws -> Void
    ) {
      self.kind = kind
      self.first = first
      self.second = second
      self.members = members
      self.change = change
    }
  }

  private static func capsule(
    _ world: inout SyncWorld, _ machine: String, _ id: RecordID, _ change: (inout Capsule) -> Void,
    adding bytes: [UInt8]? = nil
  ) throws {
    let now = world.tick()
    let store = try world.store(machine)
    var record = try store.read(Capsule.self, id)
    change(&record.model)
    var blobs: [StagedBlob] = []
    if let bytes {
      let blob = try StoreScenario.stage(store, bytes)
      record.model.contents.append(StoreScenario.content(bytes[0], blob))
      blobs = [blob]
    }
    _ = try store.update(record, now: now, blobs: blobs)
  }

  private static var rows: [Row] {
    [
      Row(.item, "notes: A", "notes: B", ["notes"]) { world, id in
        try world.edit("a", id) { $0.notes = "A" }
        try world.edit("b", id) { $0.notes = "B" }
      },
      Row(.item, "notes: A", "location: B", ["notes", "location"]) { world, id in
        try world.edit("a", id) { $0.notes = "A" }
        try world.edit("b", id) { $0.location = "B" }
      },
      Row(.item, "notes: A", "notes: none", ["notes"]) { world, id in
        try world.edit("a", id) { $0.notes = "A" }
        try world.edit("b", id) { $0.notes = "" }
      },
      Row(.item, "tags: new", "tags: old, B", ["tags"]) { world, id in
        try world.edit("a", id) { $0.tags = ["new"] }
        try world.edit("b", id) { $0.tags = ["old", "B"] }
      },
      Row(.item, "deleted", "notes: B", ["notes"]) { world, id in
        try world.delete("a", id)
        try world.edit("b", id) { $0.notes = "B" }
      },
      Row(.item, "deleted", "deleted") { world, id in
        try world.delete("a", id)
        try world.delete("b", id)
      },
      Row(.item, "deleted and purged", "nothing") { world, id in
        try world.delete("a", id)
        let store = try world.store("a")
        _ = try store.trash.purge(try store.trash.records(.item), now: world.tick())
      },
      Row(.item, "deleted and purged", "notes: B", ["notes"]) { world, id in
        try world.delete("a", id)
        let store = try world.store("a")
        _ = try store.trash.purge(try store.trash.records(.item), now: world.tick())
        try world.edit("b", id) { $0.notes = "B" }
      },
      Row(.item, "deleted", "bequeathed") { world, id in
        let now = world.tick()
        let store = try world.store("b")
        var person = Beneficiary.blank
        person.header = try store.newHeader(now: now)
        person.name = "Ben"
        person = try store.insert(person)
        try store.insert(
          Bequest(
            header: try store.newHeader(now: now), subject: RecordReference(.item, id),
            beneficiary: person.header.id))
        try world.delete("a", id)
      },
      Row(.item, "its file lost", "nothing") { world, id in
        try world.files.unlink(try world.store("a").layout.record(.item, id))
      },
      Row(.item, "an item of the same name", "an item of the same name") { world, id in
        _ = try world.addItem("a", "Twin")
        _ = try world.addItem("b", "Twin")
      },
      Row(.capsule, "unlocks a day later", "unlocks two days later", ["unlockAt"]) { world, id in
        try capsule(&world, "a", id) { $0.unlockAt = Instant(seconds: 1_800_000_000 + 86_400) }
        try capsule(&world, "b", id) { $0.unlockAt = Instant(seconds: 1_800_000_000 + 172_800) }
      },
      Row(.capsule, "a content added", "another content added", ["contents"]) { world, id in
        try capsule(&world, "a", id, { _ in }, adding: [1])
        try capsule(&world, "b", id, { _ in }, adding: [2])
      },
      Row(.capsule, "opened", "a content added", ["contents", "openedAt"]) { world, id in
        try capsule(&world, "a", id) { $0.openedAt = Instant(seconds: 1_700_000_500) }
        try capsule(&world, "b", id, { _ in }, adding: [2])
      },
      Row(.capsule, "opened", "opened a day later", ["openedAt"]) { world, id in
        try capsule(&world, "a", id) { $0.openedAt = Instant(seconds: 1_700_000_500) }
        try capsule(&world, "b", id) { $0.openedAt = Instant(seconds: 1_700_086_900) }
      },
    ] + eventRows + [
      Row(nil, "the owner's passing declared", "another setting changed") { world, _ in
        let now = world.tick()
        _ = try world.store("a").settings.declarePassing(at: now, owner: "Ada", now: now)
        try world.store("b").settings.change { $0.set(.leapDay, to: .string("mar1")) }
      },
      Row(nil, "the owner's passing declared", "the passing of a year before declared") {
        world, _ in
        let now = world.tick()
        _ = try world.store("a").settings.declarePassing(at: now, owner: "Ada", now: now)
        _ = try world.store("b").settings.declarePassing(
          at: Instant(seconds: now.seconds - 365 * 86_400), owner: "Ada", now: world.tick())
      },
    ]
  }

  private static func event(
    _ world: inout SyncWorld, _ machine: String, _ id: RecordID, _ change: (inout Event) -> Void
  ) throws {
    let now = world.tick()
    let store = try world.store(machine)
    var record = try store.read(Event.self, id)
    change(&record.model)
    _ = try store.update(record, now: now)
  }

  private static func key(_ day: Int) -> OccurrenceKey {
    OccurrenceKey(CivilDate(daysSinceEpoch: 20_000 + 7 * day))
  }

  /// What is done to one weekly deadline of whole days.
  private static func row(
    _ first: String, _ second: String, _ members: [String],
    _ one: @escaping (inout Event) -> Void, _ other: @escaping (inout Event) -> Void
  ) -> Row {
    Row(.event, first, second, members) { world, id in
      try event(&world, "a", id, one)
      try event(&world, "b", id, other)
    }
  }

  private static func moved(_ day: Int, title: String? = nil) -> MovedOccurrence {
    var move = MovedOccurrence(key(day), at: title == nil ? .day(key(day + 1).local.date) : nil)
    move.title = title
    return move
  }

  private static var eventRows: [Row] {
    let daily = Recurrence(every: 1, .day)
    return [
      row(
        "every day", "every two days", ["repeat"], { $0.recurrence = daily },
        { $0.recurrence = Recurrence(every: 2, .day) }),
      row(
        "until a day", "10 times", ["until", "times"], { $0.series.until = key(9) },
        { $0.series.times = 10 }),
      row(
        "a date left out, one added", "another left out", ["except", "also"],
        {
          $0.series.except = [key(1)]
          $0.series.also = [AddedOccurrence(OccurrenceKey(CivilDate(daysSinceEpoch: 20_003)))]
        }, { $0.series.except = [key(2)] }),
      row(
        "a date moved", "another title for it", ["moved"], { $0.series.moved = [moved(1)] },
        { $0.series.moved = [moved(1, title: "B")] }),
      row(
        "a date left out", "the same date moved", ["except", "moved"],
        { $0.series.except = [key(1)] }, { $0.series.moved = [moved(1)] }),
      row(
        "a date done", "the same date skipped", ["settled"],
        { $0.series.settle([key(1)], doneAt: Instant(seconds: 1_700_000_000)) },
        { $0.series.settle([key(1)], doneAt: nil) }),
      row(
        "no repetition any more", "a date left out", ["repeat", "except"],
        { $0.series.end() }, { $0.series.except = [key(1)] }),
    ]
  }

  /// How a machine has a record.
  private static func state(
    _ world: inout SyncWorld, _ machine: String, _ row: Row, _ id: RecordID
  ) throws -> String {
    let store = try world.store(machine)
    var words: [String] = []
    guard let kind = row.kind else {
      let settings = try store.settings.intact()
      words.append(settings.passing == nil ? "none declared" : "the passing is declared")
      if settings.leapDayRule == .march1 { words.append("the other setting is changed") }
      return try (words + conflicts(&world, machine, .settings)).joined(separator: "; ")
    }
    let path = store.layout.record(kind, id)
    if let bytes = world.files.bytes(path.text) {
      words.append("live")
      let fields = try RecordFile.decode(bytes).fields
      for member in row.members { words.append("\(member): \(text(fields[member]))") }
    } else {
      words.append(
        try store.trash.records(kind).contains { $0.id == id } ? "in the trash" : "purged")
    }
    words += try conflicts(&world, machine, .record(RecordReference(kind, id)))
    return words.joined(separator: "; ")
  }

  private static func conflicts(
    _ world: inout SyncWorld, _ machine: String, _ subject: SyncSubject
  ) throws -> [String] {
    let now = world.tick()
    return try world.store(machine).sync.hold(now: now) { work throws(Fault) in
      try work.conflicts().filter { $0.subject == subject }
    }.map { conflict in
      "conflict with \(conflict.others.map { text($0.value) }.joined(separator: ", "))"
    }
  }

  private static func text(_ value: JSON?) -> String {
    switch value {
    case .string(let text)? where text.isEmpty: "none"
    case .string(let text)?: text
    case .object(let members)? where members.isEmpty: "left out"
    case .object(let members)? where members["unit"] != nil:
      "every \(members["every"]?.integer ?? 0)"
    case .object(let members)? where members["of"] != nil:
      members.count == 1
        ? "skipped" : members.map(\.key).filter { $0 != "of" }.sorted().joined(separator: " and ")
    case .integer(let number)?: String(number)
    case .object?: "the other one"
    case .array(let elements)? where elements.first?["of"] != nil:
      elements.map { text($0) }.joined(separator: ", ")
    case .array(let elements)? where elements.allSatisfy({ $0.string == nil }):
      "\(elements.count)"
    case .array(let elements)?:
      elements.isEmpty ? "none" : elements.compactMap(\.string).joined(separator: ", ")
    default: "none"
    }
  }

  /// Lets it happen, and says what came of it.
  private static func line(_ row: Row) throws -> String {
    var world = try SyncWorld()
    let id: RecordID
    if row.kind == .item {
      id = try world.addItem("a", "Ring")
      try world.edit("a", id) {
        $0.notes = "old"
        $0.tags = ["old"]
      }
    } else if row.kind == .event {
      let store = try world.store("a")
      var event = Event(
        header: try store.newHeader(now: world.tick()), title: "E", moment: .day(key(0).local.date),
        zone: "")
      event.isDeadline = true
      event.recurrence = Recurrence(every: 1, .week)
      id = try store.insert(event).header.id
    } else {
      try world.store("a").settings.change { $0.set(.owner, to: .string("Ada")) }
      id = StoreScenario.id(0x20)
      try world.store("a").insert(StoreScenario.capsule(0x20))
    }
    try world.settle()
    try row.change(&world, id)
    var notes: Set<String> = []
    for machine in ["a", "b", "a", "b"] {
      for note in try world.sync(machine).notes {
        switch note {
        case .sameName: notes.insert("note: two items have one name")
        case .addedToOpened: notes.insert("note: content was added to an opened capsule")
        }
      }
    }
    try world.settle()
    let first = try state(&world, "a", row, id)
    let second = try state(&world, "b", row, id)
    let outcome = first == second ? first : "here \(first); there \(second)"
    return "| \(row.kind?.rawValue ?? "settings") | \(row.first) | \(row.second) | "
      + ([outcome] + notes.sorted()).joined(separator: "; ") + " |"
  }

  @Test func `the document has what comes of changes on both machines`() throws {
    let made = try Self.rows.map { try Self.line($0) }
    let path = FilePath(BuiltProgram.packageRoot + "docs/internals/sync.md")
    let text = String(
      decoding: try POSIXFileSystem().readFile(path, limit: 1 << 20), as: UTF8.self)
    let table = text.parts(at: "\n").map { String($0) }
      .drop { $0 != "<!-- outcomes -->" }.dropFirst(3).prefix { $0 != "<!-- /outcomes -->" }
    expect(Array(table), is: made, "made now:\n\(made.joined(separator: "\n"))")
  }
}
