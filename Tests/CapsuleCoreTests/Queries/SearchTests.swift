import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The search through the texts of all records.
@Suite struct SearchTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
  }

  private func header(_ number: UInt8) -> RecordHeader {
    RecordHeader(id: StoreScenario.id(number), createdAt: Instant(seconds: 1_600_000_000))
  }

  private func item(_ number: UInt8, _ name: String, description: String = "") throws {
    var item = Item(header: header(number), name: name)
    item.description = description
    try store.insert(item)
  }

  /// How often an array moves while something is appended to it, so many times.
  private func moves(_ count: Int, _ append: (inout [UInt8]) -> Void) -> Int {
    var bytes: [UInt8] = []
    var capacities: Set<Int> = []
    for _ in 0..<count {
      append(&bytes)
      capacities.insert(bytes.capacity)
    }
    return capacities.count
  }

  @Test func `the texts of a record are copied a few times, however many there are`() {
    let folding = TextFolding()
    expect(moves(4_096) { folding.fold("went to the spring", to: &$0) } < 30)
    expect(moves(4_096) { MailTransfer.append([1, 2, 3], to: &$0, lineEnd: [10]) } < 30)
  }

  private func search(
    _ words: String..., change: (inout SearchQuery) -> Void = { _ in }
  ) throws -> SearchAnswer {
    var query = try SearchQuery(words, now: now)
    change(&query)
    return store.queries.search(query)
  }

  private func titles(_ words: String...) throws -> [String] {
    store.queries.search(try SearchQuery(words, now: now)).groups.flatMap(\.hits).map(\.title)
  }

  @Test func `every text of every kind is looked through`() throws {
    var capsule = StoreScenario.capsule(1)
    (capsule.title, capsule.notes, capsule.tags) = ("alpha", "bravo", ["charlie"])
    try store.insert(capsule)
    var event = Event(
      header: header(2), title: "delta", moment: .day(CivilDate(daysSinceEpoch: 1)), zone: "")
    event.notes = "echo"
    try store.insert(event)
    var item = Item(header: header(3), name: "foxtrot")
    (item.description, item.category, item.location) = ("golf", "hotel", "india")
    item.notes = "romeo"
    (item.serial, item.boughtFrom) = ("sierra", "tango")
    item.tags = ["juliett"]
    item.log(HistoryEntry(at: now, notes: "kilo"))
    try store.insert(item)
    var person = Beneficiary(header: header(4), name: "lima")
    (person.relationship, person.email, person.phone) = ("mike", "november@example.org", "+44 7")
    (person.contact, person.notes) = ("oscar", "papa")
    try store.insert(person)
    let bequest = Bequest(
      header: header(5), subject: RecordReference(.item, item.id), beneficiary: person.id,
      message: "quebec")
    try store.insert(bequest)
    let expected: [(word: String, title: String, field: SearchField.Name?)] = [
      ("alpha", "alpha", nil), ("bravo", "alpha", "notes"), ("charlie", "alpha", "tags"),
      ("delta", "delta", nil), ("echo", "delta", "notes"), ("golf", "foxtrot", "description"),
      ("romeo", "foxtrot", "notes"),
      ("hotel", "foxtrot", "category"), ("india", "foxtrot", "location"),
      ("sierra", "foxtrot", "serial"), ("tango", "foxtrot", "boughtFrom"),
      ("juliett", "foxtrot", "tags"), ("kilo", "foxtrot", "history"),
      ("mike", "lima", "relationship"),
      ("november@", "lima", "email"), ("+44", "lima", "phone"), ("oscar", "lima", "contact"),
      ("papa", "lima", "notes"), ("quebec", "foxtrot to lima", "message"),
    ]
    for (word, title, field) in expected {
      let hits = try search(word).groups.flatMap(\.hits)
      expect(hits.map(\.title), is: [title], "\(word)")
      expect(hits.first?.matches.map(\.field.name) == (field.map { [$0] } ?? []), "\(word)")
    }
    try expect(titles("foxtrot", "lima"), is: ["foxtrot to lima"])
    try expect(search("foxtrot").groups.map(\.kind), is: [.item, .bequest])
  }

  /// The members that are texts in a record, and no words of a person's.
  private static let codes: Set<String> = [
    "id", "schema", "createdAt", "updatedAt", "unlockAt", "unlockZone", "openedAt", "kind", "key",
    "recipient", "chain", "publicKey", "groupHash", "beaconID", "inner", "escrow", "beacon",
    "addedAt", "sealed", "blob", "zone", "local", "date", "at", "color", "unit", "alerts", "doneAt",
    "uid", "uidModified", "calendar", "currency", "amount", "boughtOn", "warrantyUntil", "from",
    "time", "since", "cardUID", "person", "digest", "madeAt", "confirmedAt", "lostAt", "replacedAt",
    "capsule", "beneficiary", "access", "accessAt", "state",
  ]

  @Test func `no text that a record has is left out`() throws {
    func words(_ value: JSON, _ key: String) -> [String] {
      switch value {
      case .string(let text): Self.codes.contains(key) ? [] : [text]
      case .array(let values): values.flatMap { words($0, key) }
      // The name of a file is bytes.
      case .object(let members):
        members["mediaType"] != nil ? [] : members.flatMap { words($0.value, $0.key) }
      default: []
      }
    }
    for model in try RecordSamples.all {
      let searched = model.searchFields.map(\.text)
      let found = model.fields.flatMap { words($0.value, $0.key) }
      expect(!found.isEmpty || type(of: model).kind == .bequest)
      for text in found { expect(searched.contains(text), "\(type(of: model)): \(text)") }
    }
  }

  /// Searches for a word that only one member of a record has.
  private func checkSearch<Model: RecordModel>(
    of member: RecordShape.Member, in sample: Model, _ number: UInt8
  ) throws {
    let words = ["email": "zulu\(number)@example.org", "phone": "+44 7\(number)"]
    let word = words[member.name] ?? "zulu\(number)"
    var fields = sample.fields
    fields[member.name] = member.type == "array" ? [word].json : word.json
    fields["id"] = StoreScenario.id(number).json
    if fields["name"] != nil { fields["name"] = "name \(number)".json }
    try store.insert(Model(fields: fields))
    let hits = try search(word).groups.flatMap(\.hits)
    expect(hits.count, is: 1, "\(Model.kind) \(member.name)")
    expect(hits.first?.matches.map(\.field.name.rawValue) ?? [], is: [member.name])
  }

  @Test(arguments: [RecordKind.capsule, .event, .item, .beneficiary])
  func `a search finds each searched field, and names it`(kind: RecordKind) throws {
    let sample = try require(RecordSamples.all.first { type(of: $0).kind == kind })
    let texts = kind.shape.members.filter { member in
      member.facts.traits.contains(.searched) && member.part == nil
        && ["string", "array"].contains(member.type) && !member.facts.traits.contains(.title)
    }
    expect(texts.count > 1)
    for (number, member) in texts.enumerated() {
      try checkSearch(of: member, in: sample, UInt8(number + 10))
    }
  }

  @Test func `each word has to be there, in whichever text`() throws {
    try item(1, "Red boat", description: "of wood")
    try item(2, "Red car", description: "of steel")
    try expect(titles("red", "wood"), is: ["Red boat"])
    try expect(titles("red", "of"), is: ["Red car", "Red boat"])
    try expect(titles("boat of"), is: [])
    try expect(titles("of wood"), is: ["Red boat"])
  }

  @Test(arguments: [
    ("CAFE", "Café"), ("straße", "STRASSE"), ("été", "e\u{301}te\u{301}"),
    ("한글", "\u{1112}\u{1161}\u{11ab}글"),
    ("of wood", "OF\nWOOD"), ("Ω", "\u{2126}"), ("豈", "\u{f900}"), ("ижица", "ИЖИЦА"),
    ("boat", "xxboatxx"), ("\u{930}\u{941}", "रु"),
  ])
  func `a word is found whatever its case, accents and spelling`(
    word: String, name: String
  ) throws {
    try item(1, name)
    try expect(titles(word), is: [name])
  }

  @Test func `words are found at every place of a long text, and not where they are not`() throws {
    let folding = TextFolding()
    for length in 0...40 {
      for place in 0...length {
        let text =
          String(repeating: "a", count: place) + "needle"
          + String(repeating: "e", count: length - place)
        let matcher = TextMatcher([folding.fold("needle")])
        expect(matcher.words(in: folding.fold(text)[...]), is: 1)
        expect(
          matcher.words(in: folding.fold(text.replacing("needle", with: "needlf"))[...]), is: 0)
      }
    }
  }

  @Test func `what was found is marked in scalars, with what goes with a letter`() throws {
    try item(1, "A re\u{301}al e\u{301}", description: "x")
    let hit = try require(try search("e").groups.first?.hits.first)
    expect(hit.titleMarks, is: [3..<5, 8..<10])
  }

  @Test(arguments: [(["red", "boat"], 0..<7), (["redb", "boat"], 0..<7), (["boat", "o"], 3..<7)])
  func `words that touch or overlap are marked as one`(words: [String], mark: Range<Int>) throws {
    try item(1, "Redboat")
    let answer = store.queries.search(try SearchQuery(words, now: now))
    expect(answer.groups.first?.hits.first?.titleMarks, is: [mark])
  }

  @Test func `a long text is cut around what was found`() throws {
    let long =
      String(repeating: "one two ", count: 100) + "needle" + String(repeating: " end", count: 100)
    try item(1, "Box", description: long)
    let match = try require(try search("needle").groups.first?.hits.first?.matches.first)
    expect(match.isCutBefore && match.isCutAfter)
    expect(match.text.unicodeScalars.count <= 90)
    let mark = try require(match.marks.first)
    expect(Array(match.text.unicodeScalars)[mark].map(String.init).joined(), is: "needle")
  }

  @Test func `what has all words in its title stands first, then what was made last`() throws {
    try item(1, "Old", description: "rose")
    try item(2, "Rose garden")
    try item(3, "New", description: "rose")
    try expect(titles("rose"), is: ["Rose garden", "New", "Old"])
  }

  @Test func `all hits are counted, and as many read as were asked for`() throws {
    for number in 1...5 { try item(UInt8(number), "Rose \(number)") }
    let group = try require(try search("rose") { $0.limit = 2 }.groups.first)
    expect(group.total, is: 5)
    expect(group.hits.map(\.title), is: ["Rose 5", "Rose 4"])
  }

  @Test func `words that say nothing are refused`() {
    expect(throws: SearchQuery.WordProblem.empty(" ")) { try SearchQuery([" "], now: now) }
    expect(throws: SearchQuery.WordProblem.empty("")) { try SearchQuery(["a", ""], now: now) }
    expect(throws: SearchQuery.WordProblem.tooMany(33, limit: 32)) {
      try SearchQuery(Array(repeating: "a", count: 33), now: now)
    }
  }

  @Test func `nothing is found across the border of two texts`() throws {
    try item(1, "Red", description: "boat")
    try expect(titles("redboat"), is: [])
    try expect(titles("red boat"), is: [])
  }
}
