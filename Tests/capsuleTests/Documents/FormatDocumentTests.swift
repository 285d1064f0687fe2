import TestSupport
import Testing

@testable import CapsuleCore
@testable import ProgramTestHelpers

/// What `docs/reference/format.md` says of the store is what the model writes and what other programs read.
@Suite struct FormatDocumentTests {
  @Test(
    .enabled(if: OtherPrograms.areExpected("age", "jq"), "age or jq is not installed"),
    arguments: ["honor", "recipients"])
  func `the steps of opening by hand open every content`(lock: String) throws {
    let document = try DocumentText("docs/how-to/open-without-capsule.md")
    let key = try document.block(after: "<!-- by hand: \(lock) -->", language: "sh")
    let contents = try document.block(after: "<!-- by hand: contents -->", language: "sh")
    let line = """
      set -eu
      place=$(mktemp -d)
      trap 'rm -rf "$place"' EXIT
      cd "$place"
      export STORE="$place/store" CAPSULE_STORE="$place/store" HOME="$place"
      "$capsule" keygen -o your-key.txt 2>/dev/null
      case \(lock) in
        honor) set -- ;;
        recipients) set -- --recipient "$("$capsule" keygen -y your-key.txt)" ;;
      esac
      printf 'Dear Mia\\n' > letter.txt
      head -c 200000 /dev/urandom > photo.jpg
      : > empty
      ID=$("$capsule" create Hand --unlock 2999 "$@" -q \\
        letter.txt photo.jpg empty --text 'an inline text')
      "$capsule" create Other --unlock 2999 -q --text 'of another capsule' > /dev/null
      \(key)
      \(contents)
      cmp letter.txt content-1
      cmp photo.jpg content-2
      cmp empty content-3
      printf %s 'an inline text' | cmp - content-4
      test "$(jq -r .name details-2.json)" = photo.jpg
      test "$(jq .size details-2.json)" = 200000
      test ! -e content-5
      test ! -e key.txt
      """
    let result = try ProgramRun(shell: line, environment: ["PATH": OtherPrograms.path]).result()
    expect(result.end, is: .exited(0), "\(result.err)")
  }

  @Test(.enabled(if: OtherPrograms.exist("sed", "sha256sum", "jq"), "sha256sum is not installed"))
  func `the checksum is made as the document says`() throws {
    let step = try DocumentText("docs/reference/format.md").block(
      after: "By hand:\n", language: "sh")
    let line = """
      set -eu
      place=$(mktemp -d)
      trap 'rm -rf "$place"' EXIT
      export CAPSULE_STORE="$place/store" HOME="$place"
      "$capsule" create A --unlock 2999 -q --text '{"checksum": "' > /dev/null
      cd "$CAPSULE_STORE"
      made=$(\(step))
      test "${made%% *}" = "$(jq -r .checksum store.json)"
      mv capsules/*/*.json store.json
      made=$(\(step))
      test "${made%% *}" = "$(jq -r .checksum store.json)"
      """
    let result = try ProgramRun(shell: line, environment: ["PATH": OtherPrograms.path]).result()
    expect(result.end, is: .exited(0), "\(result.err)")
  }

  @Test func `a table has each member that the model writes`() throws {
    let text = try DocumentText("docs/reference/format.md").text
    for member in try Set(Self.entities().values.joined()) {
      let isTold = text.contains("| `\(member)` |") || text.contains("| `identities[].\(member)` |")
      expect(isTold, "no table has \(member)")
    }
  }

  /// What goes with what, and what keeps what from being deleted.
  @Test func `the relations in the diagram are those of the model`() throws {
    let diagram = try DocumentText("docs/reference/format.md").block(
      after: "<!-- er -->", language: "mermaid")
    struct Relation: Hashable {
      let left, ends, right, label: String
    }
    var relations: Set<Relation> = []
    for line in diagram.split(separator: "\n") where line.contains("--") {
      let words = line.split(separator: " ", maxSplits: 4).map(String.init)
      try require(words.count == 5 && words[3] == ":", "\(line)")
      relations.insert(
        Relation(
          left: words[0], ends: words[1], right: words[2],
          label: words[4].filter { $0 != "\"" }))
    }
    let kinds = Dictionary(
      uniqueKeysWithValues: RecordKind.allCases.map { ($0.rawValue.uppercased(), $0) })
    // A store holds every kind, and records stand in files of their own: what one names stays, and
    // goes only after it.
    var expected: Set<Relation> = []
    for (name, kind) in kinds {
      expected.insert(Relation(left: "STORE", ends: "||--o{", right: name, label: "holds"))
      for other in kind.namedKinds {
        let isOptional = kind == .bequest && Bequest.subjectKinds.contains(other)
        expected.insert(
          Relation(
            left: name, ends: isOptional ? "}o--o|" : "}o--||", right: other.rawValue.uppercased(),
            label: "keeps, or goes before"))
      }
    }
    expect(relations.filter { kinds[$0.right] != nil }, is: expected)
    // All else stands in its record, and is deleted and restored with it: it names no record.
    let id = RecordID(high: 1, low: 2)
    let bequest = Bequest(
      header: RecordHeader(id: id, createdAt: Instant(seconds: 0)),
      subject: RecordReference(.item, id), beneficiary: id)
    expect(Set(bequest.references.map(\.kind)).isSubset(of: RecordKind.bequest.namedKinds))
    for (entity, members) in try Self.entities() where kinds[entity] == nil {
      expect(
        members.isDisjoint(with: ["id", "item", "beneficiary"]) || entity == "STORE"
          || entity == "CONTENT", "\(entity)")
    }
    let inRecords: [String: Set<String>] = [
      "ITEM": ["MEDIA", "ENTRY", "REMINDER", "VALUE"],
      "EVENT": ["REPEAT", "ATTACHMENT", "MOVED", "SETTLED"],
      "CAPSULE": ["LOCK", "CONTENT"], "BEQUEST": ["DELIVERY"], "TRUSTEES": ["SHARE", "REPLACED"],
    ]
    for (record, parts) in inRecords {
      let drawn = relations.filter { $0.left == record && kinds[$0.right] == nil }.map(\.right)
      expect(Set(drawn), is: parts, "\(record)")
    }
  }

  @Test func `what goes with an item is drawn, goes to the trash with it and comes back`() throws {
    let home = try ProgramStore()
    let made = try home.shell(
      """
      set -eu
      printf 'a paper' > paper.txt
      $capsule item add Ring --value 'EUR 1' -q > id
      $capsule item attach Ring paper.txt -q
      $capsule item log Ring --value 1 --notes n -q
      $capsule item remind Ring --every month -q
      """)
    try require(made.end == .exited(0), "\(made.err)")
    let live = "cat '\(home.store)'/items/*/*.json"
    let record = try home.shell(live).output

    // Each object in the record is drawn: its members as an entity's, and the line to it.
    let document = try DocumentText("docs/reference/format.md")
    let diagram = try document.block(after: "<!-- er -->", language: "mermaid")
    let entities = try Self.entities().filter {
      ["VALUE", "MEDIA", "ENTRY", "REMINDER"].contains($0.key)
    }
    var lines: Set<String> = []
    let parsed = try JSON.parse(record).object
    let fields = try require(parsed)
    for field in fields {
      let (member, value) = (field.key, field.value)
      let (parts, mark) = value.array.map { ($0, "o{") } ?? ([value], "o|")
      for object in parts.compactMap({ $0.object }) {
        let names = entities.filter { $0.value.isSuperset(of: object.keys) }.keys
        expect(names.count, is: 1, "\(member) is drawn as \(names)")
        for name in names {
          lines.insert(
            "ITEM ||--\(mark) \(name) : \(name == "VALUE" ? "\"is worth\"" : "\"goes with\"")")
        }
      }
    }
    let drawn = diagram.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("ITEM |") }.map(String.init)
    expect(lines == Set(drawn) && drawn.count == 4)
    expect(
      document.text.contains(
        "media, history and reminder are part of its record: they go to the trash and come back with it"
      ))

    // All of them go and come back with the record, whose bytes stay what they are.
    try expect(home.shell("$capsule item delete Ring --yes -q").end, is: .exited(0))
    expect(try home.shell(live).output.isEmpty)
    try expect(home.shell("cat '\(home.store)'/trash/items/*.json").output, is: record)
    expect(try home.shell("find '\(home.store)'/blobs -type f | wc -l").out.contains("1"))
    try expect(home.shell("$capsule restore Ring -q").end, is: .exited(0))
    try expect(home.shell(live).output, is: record)
    try expect(
      home.shell("$capsule item delete Ring --yes && $capsule purge --yes").end, is: .exited(0))
    expect(try home.shell("find '\(home.store)' -name '*.json' -path '*items*'").out.isEmpty)
    expect(try home.shell("find '\(home.store)'/blobs -type f").out.isEmpty)
  }

  /// The members of every object, each with all that it can have.
  private static func entities() throws -> [String: Set<String>] {
    let id = RecordID(high: 1, low: 2)
    let now = Instant(seconds: 0)
    var header = RecordHeader(id: id, createdAt: now)
    header.noteMaking(at: 1)
    let identity = StoreIdentity(recipient: "", file: "")
    let timelock = Timelock(chain: .quicknet, round: 1, inner: nil, escrow: [])
    let lock = Lock(kind: .timelock, key: "", recipient: "", timelock: timelock, spare: "")
    let content = Content(
      id: id, kind: .text, addedAt: now, sealedSize: 0, sealed: "", blob: nil)
    let capsule = Capsule(
      header: header, title: "", notes: "", tags: [], unlockAt: now,
      unlockZone: "UTC", lock: lock, contents: [content])
    let details = [[], [0xff]].map { name in
      ContentDetails(
        name: name, mediaType: "", size: 0, modified: nil, caption: nil, text: "")
    }
    var event = Event(
      header: header, title: "", moment: .instant(now), zone: "UTC")
    let recurrence = try require(Recurrence(everyMonths: 1, onThe: -1, .friday))
    event.recurrence = recurrence
    event.uid = ""
    event.imported = EntryVersion(sequence: 0, modified: now)
    (event.reader, event.calendar, event.isFloating) = (2, "home", true)
    (event.length, event.endZone, event.tags) = (EventLength("PT1H"), "UTC", ["a"])
    let key = try require(OccurrenceKey("2027-03-05"))
    var moved = MovedOccurrence(key, at: .instant(now))
    (moved.zone, moved.length, moved.title, moved.notes) = ("UTC", event.length, "T", "N")
    (moved.tags, moved.color, moved.alerts) = (["b"], "none", [])
    moved.isForLater = true
    moved.imported = event.imported
    (event.series.until, event.series.times) = (key, 3)
    (event.series.except, event.series.also) = ([key], [AddedOccurrence(key)])
    (event.series.moved, event.series.settled) = ([moved], [SettledOccurrence(key, doneAt: now)])
    event.settle(EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc })
    event.isYearUnknown = true
    let attachments = [[], [0xff]].map { name in
      Attachment(
        name: name, mediaType: "", size: 0, modified: nil, blob: BlobName(digest: []))
    }
    let checksum: Set = ["checksum"]
    let shares = [TrusteeShare(person: id, holder: "", digest: [], madeAt: now)]
    var trustees = TrusteeGroup(
      header: RecordHeader(id: id, createdAt: now), name: "", recipient: "", identifier: 0,
      threshold: 2, shares: shares)
    trustees.confirm(0, at: now)
    trustees.lose(0, at: now)
    let former = trustees
    trustees.replaceKey(
      recipient: "", identifier: 0, threshold: 2, shares: former.shares, at: now)
    let replaced = try require(trustees.fields["replaced"]?.array?.first?.object)
    var silenceSwitch = SilenceSwitch()
    silenceSwitch.pausedUntil = now
    return [
      "TRUSTEES": checksum.union(trustees.fields.keys),
      "SHARE": Set(trustees.shares.flatMap(\.fields.keys)),
      "STORE": checksum.union(
        StoreHeader(id: id, createdAt: now, identities: [identity]).fields.keys),
      "IDENTITY": Set(identity.fields.keys),
      "SETTINGS": checksum.union(
        Setting.all.map(\.key) + [
          StoreSettings.passingName, StoreSettings.switchName, StoreSettings.checkInsName,
        ]),
      "SWITCH": Set(silenceSwitch.fields.keys),
      "REPLACED": Set(replaced.keys),
      "PASSING": Set(Passing(at: now, declaredAt: now).fields.keys),
      "CAPSULE": checksum.union(capsule.fields.keys),
      "EVENT": checksum.union(event.fields.keys),
      "REPEAT": Set(EventRepeat(recurrence: recurrence).fields.keys).union(
        try require(EventRepeat(rules: [RecurrenceRule(.yearly)])).fields.keys),
      "MOVED": Set(moved.fields.keys).union(
        MovedOccurrence(key, at: .day(key.local.date)).fields.keys),
      "SETTLED": Set(SettledOccurrence(key, doneAt: now).fields.keys),
      "ATTACHMENT": Set(attachments.flatMap(\.fields.keys)),
      "ITEM": checksum.union(
        Item(header: header, name: "").fields.keys),
      "BENEFICIARY": checksum.union(
        Beneficiary(header: header, name: "").fields.keys),
      "BEQUEST": checksum.union(
        Bequest(
          header: header, subject: RecordReference(.item, id),
          beneficiary: id
        ).fields.keys),
      "DELIVERY": Set(DeliveryChange(.sent, at: now, notes: "").fields.keys),
      "VALUE": Set(try Money("EUR 1").fields.keys),
      "MEDIA": Set(
        attachments.flatMap {
          Media(file: $0, title: "", addedAt: now, facts: MediaFacts()).fields.keys
        }),
      "ENTRY": Set(HistoryEntry(at: now, value: nil, notes: "").fields.keys),
      "REMINDER": Set(try require(Reminder(every: 1, .day, since: now)).fields.keys),
      "LOCK": Set(lock.fields.keys),
      "TIMELOCK": Set(timelock.fields.keys),
      "CONTENT": Set(content.fields.keys),
      "DETAILS": Set(details.flatMap(\.fields.keys)),
    ]
  }
}
