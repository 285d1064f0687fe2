import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What the index keeps of a record.
@Suite struct BriefTests {
  /// The members that a record's brief has otherwise than the record: of objects only some members are kept.
  private func differences<Model: RecordModel>(_ model: Model) -> [String] {
    let (own, kept) = (model.fields, model.brief.record.fields)
    let blank = Model.blank.fields
    return RecordShape(Model.self).members.compactMap { member in
      let isKept = !member.facts.traits.isDisjoint(with: [.listed, .listedCut, .title])
      let name = member.name
      if name == "id" { return own[name] == kept[name] ? nil : name }
      // Absent and `null` say the same.
      let expected = (isKept ? own : blank)[name] ?? .null
      return (kept[name] ?? .null) == expected ? nil : name
    }
  }

  @Test func `a brief has the listed fields, and no others`() throws {
    let partly: [RecordKind: [String]] = [.capsule: ["lock"], .trustees: ["shares"]]
    for model in try RecordSamples.all {
      let kind = type(of: model).kind
      expect(differences(model), is: partly[kind] ?? [], "\(kind)")
    }
    let (capsule, group) = (try RecordSamples.capsule, try RecordSamples.trustees)
    expect(capsule.brief.record.lock.kind, is: capsule.lock.kind)
    expect(capsule.brief.record.lock.key, is: "")
    expect(group.brief.record.shares.map(\.holder), is: group.shares.map(\.holder))
    expect(group.brief.record.shares.map(\.digest), is: group.shares.map(\.digest))
  }

  @Test func `every field of a record says how it is merged`() {
    for kind in RecordKind.allCases {
      for member in kind.shape.members {
        expect(member.facts.merge != nil, "\(kind) \(member.name)")
      }
    }
  }

  @Test func `an index of other fields is of another version`() throws {
    let all: FieldTraits = [.listed, .listedCut, .title]
    let values = [[], .searched, .fixed, .listed, all].map { FieldFingerprint(of: $0).value }
    expect(Set(values).count, is: values.count)
    expect(FieldFingerprint(of: all).value, is: FieldFingerprint(of: all).value)
  }

  @Test(
    arguments: [
      (RecordKind.item, "category"), (.item, "value"), (.item, "reminder"), (.event, "doneAt"),
      (.event, "uid"),
    ])
  func `a field through which briefs are read is one that is listed`(
    kind: RecordKind, field: String
  ) throws {
    let member = try require(kind.shape.members.first { $0.name == field })
    expect(member.facts.traits.contains(.listed))
  }

  @Test func `a brief through a field has it, and nothing behind it`() throws {
    let item = try RecordSamples.item
    let bytes = item.indexContribution.summary
    let brief = try require(Brief<Item>(id: item.id, encoded: bytes, through: "value"))
    expect((brief.record.category, brief.record.value) == (item.category, item.value))
    expect((brief.record.description, brief.record.location) == ("", ""))
    expect(brief.record.reminder == nil && item.reminder != nil)
  }

  @Test func `a digest is read without the fields behind it`() throws {
    let item = try RecordSamples.item
    let entry = IndexEntry(id: item.id, contribution: item.indexContribution, problem: .none)
    expect(Brief<Item>.digest(entry), is: item.digest)
    expect(Brief<Item>.digest(IndexEntry(id: item.id, problem: .altered)) == nil)
  }

  /// Reads a summary of a kind; `nil` for another version's bytes.
  private func read(_ kind: RecordKind, _ bytes: [UInt8]) -> (any Hashable)? {
    switch kind {
    case .capsule: Brief<Capsule>(id: RecordSamples.id, encoded: bytes)
    case .event: Brief<Event>(id: RecordSamples.id, encoded: bytes)
    case .item: Brief<Item>(id: RecordSamples.id, encoded: bytes)
    case .beneficiary: Brief<Beneficiary>(id: RecordSamples.id, encoded: bytes)
    case .bequest: Brief<Bequest>(id: RecordSamples.id, encoded: bytes)
    case .trustees: Brief<TrusteeGroup>(id: RecordSamples.id, encoded: bytes)
    }
  }

  @Test func `a summary is read whole or not at all`() throws {
    let (capsule, event) = (try RecordSamples.capsule, try RecordSamples.event)
    let (item, person) = (try RecordSamples.item, try RecordSamples.beneficiary)
    let expected: [any Hashable] = [
      capsule.brief, event.brief, item.brief, person.brief, RecordSamples.bequest.brief,
      try RecordSamples.trustees.brief,
    ]
    for (model, summary) in zip(try RecordSamples.all, expected) {
      let kind = type(of: model).kind
      let bytes = model.indexContribution.summary
      expect(read(kind, bytes).map { AnyHashable($0) }, is: AnyHashable(summary))
      for end in bytes.indices {
        expect(read(kind, Array(bytes[..<end])) == nil, "\(kind) \(end)")
      }
      expect(read(kind, bytes + [0]) == nil)
    }
  }

  @Test func `no bytes end the reading of a summary with a crash`() throws {
    var random = SeededGenerator(seed: 11)
    for model in try RecordSamples.all {
      let bytes = model.indexContribution.summary
      for _ in 0..<TestScale.count(full: 50_000, debug: 1000) {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          changed[Int.random(in: changed.indices, using: &random)] = .random(
            in: 0...255, using: &random)
        }
        for kind in RecordKind.allCases { _ = read(kind, changed) }
        _ = Brief<Event>(id: RecordSamples.id, encoded: changed, through: "doneAt")
        _ = Brief<Item>(id: RecordSamples.id, encoded: changed, through: "reminder")
      }
    }
  }

  @Test(arguments: ["x", "é", "€", "😀", "e\u{301}"])
  func `the first part of a text ends before a character's bytes do not fit`(character: String) {
    for more in 0...4 {
      let text = String(repeating: "x", count: more) + String(repeating: character, count: 2048)
      let (beginning, isAll) = text.beginning
      let size = beginning.utf8.count
      expect(isAll == (text.utf8.count <= 2048))
      expect(text.utf8.starts(with: beginning.utf8))
      expect(isAll || (2045...2048).contains(size))
      expect(String(validating: Array(beginning.utf8), as: UTF8.self) != nil)
    }
    let short = String(repeating: "x", count: 2048)
    expect(short.beginning == (short, true))
  }
}
