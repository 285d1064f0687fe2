import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The form in which the index keeps a summary.
@Suite struct SummaryTests {
  private func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  /// Times of 1,700,000,000 and 2,000,000,000 s, zigzagged and as LEB128.
  private let made: [UInt8] = [0x80, 0xc4, 0x9f, 0xd5, 0x0c]
  private let later: [UInt8] = [0x80, 0xd0, 0xac, 0xf3, 0x0e]

  @Test func `the bytes of a summary are those of the index's format`() throws {
    let id = text(RecordSamples.id.description)
    var capsule = [text("Tïtle"), [2], text("a"), text("b"), text("n"), [1], made, made]
    capsule += [later, text("Europe/Paris"), [1, 0x82, 0xd0, 0xac, 0xf3, 0x0e], [3]]
    capsule += [[1, 1, 0, 0, 0, 1, 30]]
    var event = [text("Launch"), [10], text("UTC"), [2, 2], [1], [0, 0, 0, 1, 0, 0, 0]]
    event += [[0x91, 0xfd, 1], [0], made, [0], made, text("red"), [1], [1], text("n")]
    event += [text("u@example.org")]
    var item = [text("Ring"), [1], [1, 2], [1, 2], [0], text("1.50"), [3, 1], text("n")]
    item += [[1, 18], [1, 0x80, 0xa3, 5], [0], [0], made, made, text("c"), text("l")]
    item += [text("EUR"), [10], text("JPY"), [14], [4], [1], text("t"), [2], text("x"), [1]]
    item += [text("d"), [1], text("N")]
    let person = try RecordSamples.beneficiary
    var beneficiary = [text("Zoë"), [1], text("u"), made, made, text("daughter")]
    beneficiary += [text("zoe@example.org"), text("+33 6"), text(person.recipient), text("c")]
    beneficiary += [text("n"), [1]]
    var bequest = [text(""), text("capsule"), id, id, text("afterDate"), [1], later]
    bequest += [text("sent"), made, made, made, [1]]
    let group = try RecordSamples.trustees
    var trustees = [text("family"), made, made, [0xa7, 0x0f], Array(group.recipient.utf8)]
    trustees += [
      [57, 2, 2], text("Mia"), [64], Array(group.shares[0].digest.utf8), [1], later, [0],
    ]
    trustees += [text("Ben"), [64], Array(group.shares[1].digest.utf8), [0], [1], later]
    for (model, parts) in zip(
      try RecordSamples.all, [capsule, event, item, beneficiary, bequest, trustees])
    {
      expect(model.indexContribution.summary, is: parts.flatMap { $0 }, "\(type(of: model))")
    }
  }

  /// Reads a summary of a kind; `nil` for another version's bytes.
  private func read(_ kind: RecordKind, _ bytes: [UInt8]) -> (any Hashable)? {
    switch kind {
    case .capsule: CapsuleSummary(id: RecordSamples.id, encoded: bytes)
    case .event: EventSummary(id: RecordSamples.id, encoded: bytes)
    case .item: ItemSummary(id: RecordSamples.id, encoded: bytes)
    case .beneficiary: BeneficiarySummary(id: RecordSamples.id, encoded: bytes)
    case .bequest: BequestSummary(id: RecordSamples.id, encoded: bytes)
    case .trustees: TrusteeSummary(id: RecordSamples.id, encoded: bytes)
    }
  }

  @Test func `a summary is read whole or not at all`() throws {
    let (capsule, event) = (try RecordSamples.capsule, try RecordSamples.event)
    let (item, person) = (try RecordSamples.item, try RecordSamples.beneficiary)
    let expected: [any Hashable] = [
      capsule.summary, event.summary, item.summary, person.summary, RecordSamples.bequest.summary,
      try RecordSamples.trustees.summary,
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
        _ = EventTiming(encoded: changed)
        _ = ItemSummary.timing(encoded: changed)
        _ = ItemSummary.value(encoded: changed)
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
