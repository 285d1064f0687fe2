/// A question to the program that helps with words: one JSON object, which it gets on its input.
///
/// Of people it has the names and how they are related, of things what describes them. Never in it are
/// what capsules hold, keys, addresses and numbers of people, and places of things; notes and media only
/// where they were asked for.
package struct DraftRequest: Sendable {
  /// Something that is sent only where it is asked for.
  package enum Inclusion: String, CaseIterable, Hashable, Sendable {
    case notes, media
  }

  private let task: String
  private let instructions: String
  private let input: JSONObject

  /// The version of the form.
  package static let version: Int64 = 1

  /// The line that the program gets, and that `--dry-run` prints: characters that turn or hide text on a
  /// terminal are escapes, which mean the same in JSON.
  package var bytes: [UInt8] {
    let object: JSONObject = [
      "version": .integer(Self.version), "task": .string(task),
      "instructions": .string(instructions), "input": .object(input),
    ]
    return SafeText.json(JSON.object(object).encoded(.compact) + [UInt8(ascii: "\n")])
  }

  /// Asks for the words that go with a bequest to a person.
  ///
  /// - Throws: the ``Fault`` of what it is about, and of the settings, which name the owner.
  package static func message(
    of bequest: Bequest, to person: Beneficiary, in store: Store,
    including inclusions: Set<Inclusion>
  ) throws(Fault) -> DraftRequest {
    let id = bequest.subject.id
    let gift =
      bequest.subject.kind == .item
      ? members(of: try store.readIntact(Item.self, id).model, inclusions)
      : members(of: try store.readIntact(Capsule.self, id).model, inclusions)
    let access: JSON =
      switch bequest.access {
      case .immediate: "immediate"
      case .afterDate: "afterDate"
      case .uponPassing: "uponPassing"
      }
    return DraftRequest(
      task: "message",
      instructions: """
        Write a short personal message from "owner" to "person" that goes with "gift". Use only \
        the input, and invent no facts. "message" is what was written so far; keep what it means. \
        Answer with the message alone, as plain text in the language of the input.
        """,
      input: [
        "gift": .object(gift), "owner": .string(try store.settings.intact().owner),
        "person": .object(members(of: person, inclusions)), "message": .string(bequest.message),
        "access": access,
      ])
  }

  /// Asks who might receive an item.
  package static func suggest(
    _ item: Item, people: [Beneficiary], including inclusions: Set<Inclusion>
  ) -> DraftRequest {
    DraftRequest(
      task: "suggest",
      instructions: """
        Say which of "people" might be glad of "item", the likeliest first, at most five. Answer with one \
        line for each: the name exactly as in the input, a colon, and the reason in a few words. Name \
        nobody else.
        """,
      input: [
        "item": .object(members(of: item, inclusions)),
        "people": .array(people.map { .object(members(of: $0, inclusions)) }),
      ])
  }

  /// Asks for the description of an item.
  ///
  /// - Throws: `.refused` where its media are more than ``mediaLimit``, and the faults of reading them.
  package static func describe(
    _ item: Item, in blobs: StoreBlobs, including inclusions: Set<Inclusion>
  ) throws(Fault) -> DraftRequest {
    var members = members(of: item, inclusions)
    members["value"] = .string(item.value?.description ?? "")
    if inclusions.contains(.media) { members["media"] = .array(try media(of: item, in: blobs)) }
    return DraftRequest(
      task: "describe",
      instructions: """
        Describe "item" for a list of a household. Answer in plain text: if you can say them, first a line \
        "Category: " with one word and a line "Value: " with the currency's code and a number, as in "Value: \
        EUR 1200"; then an empty line, and a description of one to four sentences. Invent no facts.
        """, input: ["item": .object(members)])
  }

  private static func members(
    of person: Beneficiary, _ inclusions: Set<Inclusion>
  ) -> JSONObject {
    var members: JSONObject = [
      "name": .string(person.name), "relationship": .string(person.relationship),
    ]
    if inclusions.contains(.notes) { members["notes"] = .string(person.notes) }
    return members
  }

  private static func members(of item: Item, _ inclusions: Set<Inclusion>) -> JSONObject {
    var members: JSONObject = [
      "kind": "item", "name": .string(item.name), "description": .string(item.description),
      "category": .string(item.category), "quantity": .integer(item.quantity),
      "tags": .array(item.tags.map { .string($0) }),
    ]
    if inclusions.contains(.notes) { members["notes"] = .string(item.notes) }
    return members
  }

  private static func members(of capsule: Capsule, _ inclusions: Set<Inclusion>) -> JSONObject {
    var members: JSONObject = [
      "kind": "capsule", "name": .string(capsule.title),
      "tags": .array(capsule.tags.map { .string($0) }),
    ]
    if inclusions.contains(.notes) { members["notes"] = .string(capsule.notes) }
    return members
  }

  /// The most bytes of media that one request has.
  private static let mediaLimit: Int64 = 32 << 20

  /// Reads the media of an item, each whole.
  private static func media(of item: Item, in blobs: StoreBlobs) throws(Fault) -> [JSON] {
    let total = item.media.reduce(Int64(0)) {
      $0.addingReportingOverflow($1.file.size).partialValue
    }
    guard (0...mediaLimit).contains(total) else {
      throw Fault(
        .refused, "the attachments of '\(item.name)' are larger than \(ByteSize.text(mediaLimit))",
        hint: "leave out --include media")
    }
    var all: [JSON] = []
    for media in item.media {
      var sink = MemorySink()
      try blobs.copy(media.file.blob, to: &sink)
      all.append([
        "name": .string(String(decoding: media.file.name, as: UTF8.self)),
        "title": .string(media.title), "mediaType": .string(media.file.mediaType),
        "base64": .string(Base64.encode(sink.bytes, padded: true)),
      ])
    }
    return all
  }
}

/// The text that came back, without anything that acts on a terminal or hides from the eye.
package struct DraftReply: Hashable, Sendable {
  package let text: String

  /// The most bytes of it.
  package static let limit = 64 << 10

  package enum Problem: Hashable, Sendable {
    /// It is more than ``limit``.
    case tooLong
    /// It is not UTF-8.
    case notText
    /// Nothing of it is to be seen.
    case empty
  }

  package init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.count <= Self.limit else { throw Fault(Problem.tooLong) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(Problem.notText) }
    let lines = Self.harmless(text).parts(at: "\n").map(Self.withoutEnd)
    guard let first = lines.firstIndex(where: { !$0.isEmpty }),
      let last = lines.lastIndex(where: { !$0.isEmpty })
    else { throw Fault(Problem.empty) }
    self.text = lines[first...last].joined(separator: "\n")
  }

  /// Returns a line without the white space at its end.
  private static func withoutEnd(_ line: String) -> String {
    let scalars = line.unicodeScalars
    guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(scalars[...last])
  }

  /// Returns a text without control characters but line feeds and tabs, without the sequences that begin
  /// with an escape (ECMA-48 §5.4, §5.6), and without characters that turn a line or cannot be seen.
  private static func harmless(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1b: skip(&rest)
      case 0x0d:
        if rest.first != "\n" { kept.append("\n") }
      case 0x09, 0x0a: kept.append(scalar)
      case 0x2028, 0x2029: kept.append("\n")
      case 0x00...0x1f, 0x7f...0x9f, 0xad, 0x61c, 0x200b, 0x200e...0x200f, 0x202a...0x202e,
        0x2060...0x206f, 0xfeff, 0xfff9...0xfffb:
        break
      default: kept.append(scalar)
      }
    }
    return String(kept)
  }

  /// Passes over a sequence, behind its escape. A string without an end goes no further than its line:
  /// what follows is more likely text.
  private static func skip(_ rest: inout String.UnicodeScalarView.SubSequence) {
    guard let kind = rest.first?.value, (0x20...0x7e).contains(kind) else { return }
    rest.removeFirst()
    switch kind {
    case 0x5b:  // CSI: parameters, and a final character.
      rest = rest.drop { (0x20...0x3f).contains($0.value) }
      if let end = rest.first, (0x40...0x7e).contains(end.value) { rest.removeFirst() }
    case 0x50, 0x58, 0x5d...0x5f:  // DCS, SOS, OSC, PM and APC: a string, and its end.
      rest = rest.drop { ![0x07, 0x0a, 0x1b, 0x9c].contains($0.value) }
      guard let end = rest.first?.value, end != 0x0a else { return }
      // An escape ends it, whatever sequence that begins (`ESC \` is one).
      if end == 0x1b, rest.dropFirst().first != "\\" { return }
      rest.removeFirst(end == 0x1b ? 2 : 1)
    case 0x20...0x2f:  // Intermediate characters, and a final one.
      rest = rest.drop { (0x20...0x2f).contains($0.value) }
      if let end = rest.first, (0x30...0x7e).contains(end.value) { rest.removeFirst() }
    default: break
    }
  }
}

/// The people that a reply names.
package struct DraftSuggestions: Sendable {
  /// The people who are there, each once, in the order of the reply, and the reason for each; empty for
  /// none.
  package private(set) var people: [(person: Beneficiary, reason: String)] = []
  /// The lines that name nobody who is there.
  package private(set) var unknown: [String] = []
  /// The lines with a name that several people have.
  package private(set) var ambiguous: [String] = []

  package init(_ reply: DraftReply, among people: [Beneficiary]) {
    let byName = Dictionary(grouping: people) { NameKey($0.name.onOneLine) }
    var named: Set<RecordID> = []
    for line in reply.text.parts(at: "\n") {
      let words = Self.unmarked(line)
      if words.isEmpty { continue }
      guard let (found, reason) = Self.find(words, byName) else {
        unknown.append(words)
        continue
      }
      guard let person = found.first, found.count == 1 else {
        ambiguous.append(words)
        continue
      }
      if named.insert(person.id).inserted {
        self.people.append((person, reason))
      }
    }
  }

  /// Finds the longest beginning of a line, up to a colon or its end, that is a name.
  private static func find(
    _ line: String, _ byName: [NameKey: [Beneficiary]]
  ) -> (people: [Beneficiary], reason: String)? {
    let parts = line.parts(at: ":")
    var found: (people: [Beneficiary], count: Int)?
    var name = ""
    for (index, part) in parts.enumerated() {
      name += index == 0 ? part : ":" + part
      guard name.utf8.count <= Beneficiary.nameLimit else { break }
      if let people = byName[NameKey(name.onOneLine)] { found = (people, index + 1) }
    }
    return found.map { found in
      (found.people, parts[found.count...].joined(separator: ":").onOneLine)
    }
  }

  /// Returns a line without the mark of a list: `- `, `* `, `1. `.
  private static func unmarked(_ line: String) -> String {
    let words = line.onOneLine
    let parts = words.parts(at: " ")
    let mark = parts[0]
    let isMark =
      ["-", "*", "•"].contains(mark)
      || mark.utf8.count > 1 && [UInt8(ascii: "."), UInt8(ascii: ")")].contains(mark.utf8.last)
        && mark.utf8.dropLast().allSatisfy(\.isASCIIDigit)
    return isMark && parts.count > 1 ? parts.dropFirst().joined(separator: " ") : words
  }
}

/// The description of an item in a reply.
package struct DraftDescription: Hashable, Sendable {
  /// The text behind the first lines; each field is empty where the reply does not have it.
  package private(set) var description = ""
  package private(set) var category = ""
  package private(set) var value = ""

  /// Reads `Category:` and `Value:` on the first lines, and the description behind them.
  package init(_ text: String) {
    var lines = text.parts(at: "\n")[...]
    while let line = lines.first?.trimmed {
      if let category = Self.value(of: "category", in: line), self.category.isEmpty {
        self.category = category
      } else if let value = Self.value(of: "value", in: line), self.value.isEmpty {
        self.value = value
      } else if !line.isEmpty {
        break
      }
      lines.removeFirst()
    }
    description = lines.joined(separator: "\n").trimmed
  }

  /// The description as a text that can be read back.
  package var text: String {
    let heads = [("Category", category), ("Value", value)].filter { !$0.1.isEmpty }
      .map { "\($0): \($1)\n" }
    return heads.joined() + (heads.isEmpty ? "" : "\n") + description
  }

  private static func value(of name: String, in line: String) -> String? {
    let parts = line.parts(at: ":")
    guard parts.count > 1, parts[0].trimmed.lowercased() == name else { return nil }
    return parts.dropFirst().joined(separator: ":").trimmed
  }
}

/// The message leaves the command open.
extension DraftReply.Problem: FaultCause {
  package var code: Fault.Code { .refused }

  package var message: Fault.Message {
    let reason =
      switch self {
      case .tooLong: "more than \(ByteSize.text(Int64(DraftReply.limit)))"
      case .notText: "something that is not text in UTF-8"
      case .empty: "no text"
      }
    return "'\(open: .name)' answered with \(reason); nothing was kept"
  }
}
