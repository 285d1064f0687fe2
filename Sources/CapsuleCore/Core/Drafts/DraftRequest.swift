/// A question to the program that helps with words: one JSON object, which it gets on its input.
///
/// Of people it has the names and how they are related, of things what describes them. Never in it are
/// what capsules hold, keys, addresses and numbers of people, and places of things; notes and media only
/// where they were asked for.
package struct DraftRequest: Sendable {
  package enum Task: String, CaseIterable, Hashable, Sendable {
    case message, suggest, describe
  }

  /// Something that is sent only where it is asked for.
  package enum Inclusion: String, CaseIterable, Hashable, Sendable {
    case notes, media
  }

  package let task: Task
  let instructions: String
  package private(set) var input: JSONObject

  /// The version of the form.
  package static let version: Int64 = 1

  /// The line that the program gets.
  package var bytes: [UInt8] {
    let object: JSONObject = [
      "version": .integer(Self.version), "task": .string(task.rawValue),
      "instructions": .string(instructions), "input": .object(input),
    ]
    return JSON.object(object).encoded(.compact) + [UInt8(ascii: "\n")]
  }

  /// Asks for the words that go with a bequest.
  ///
  /// - Parameters:
  ///   - owner: the owner's name; empty where that is not known.
  ///   - subject: the item or capsule.
  package static func message(
    of bequest: Bequest, owner: String, to person: Beneficiary, subject: DraftSubject,
    including inclusions: Set<Inclusion>
  ) -> DraftRequest {
    var input: JSONObject = [
      "gift": .object(subject.members(inclusions)), "owner": .string(owner),
      "person": .object(Self.members(of: person, inclusions)),
      "message": .string(bequest.message),
    ]
    input["access"] =
      switch bequest.access {
      case .immediate: "immediate"
      case .afterDate: "afterDate"
      case .uponPassing: "uponPassing"
      }
    return DraftRequest(
      task: .message,
      instructions: """
        Write a short personal message from "owner" to "person" that goes with "gift". Use only what \
        stands in the input, and invent no facts. "message" is what was written so far; keep what it means. \
        Answer with the message alone, as plain text in the language of the input.
        """, input: input)
  }

  /// Asks who might receive an item.
  package static func suggest(
    _ item: Item, people: [Beneficiary], including inclusions: Set<Inclusion>
  ) -> DraftRequest {
    DraftRequest(
      task: .suggest,
      instructions: """
        Say which of "people" might be glad of "item", the likeliest first, at most five. Answer with one \
        line for each: the name as it stands in the input, a colon, and the reason in a few words. Name \
        nobody else.
        """,
      input: [
        "item": .object(DraftSubject.item(item).members(inclusions)),
        "people": .array(people.map { .object(members(of: $0, inclusions)) }),
      ])
  }

  /// Asks for the description of an item.
  ///
  /// - Parameter media: its media, where they are to be seen.
  package static func describe(
    _ item: Item, media: [DraftMedia], including inclusions: Set<Inclusion>
  ) -> DraftRequest {
    var members = DraftSubject.item(item).members(inclusions)
    members["value"] = .string(item.value?.description ?? "")
    if inclusions.contains(.media) { members["media"] = .array(media.map(\.json)) }
    return DraftRequest(
      task: .describe,
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
}

/// An item or a capsule, as a draft may know it.
package enum DraftSubject: Sendable {
  case item(Item)
  case capsule(Capsule)

  func members(_ inclusions: Set<DraftRequest.Inclusion>) -> JSONObject {
    var members: JSONObject
    let notes: String
    switch self {
    case .item(let item):
      members = [
        "kind": "item", "name": .string(item.name), "description": .string(item.description),
        "category": .string(item.category), "quantity": .integer(item.quantity),
        "tags": .array(item.tags.map { .string($0) }),
      ]
      notes = item.notes
    case .capsule(let capsule):
      members = [
        "kind": "capsule", "name": .string(capsule.title),
        "tags": .array(capsule.tags.map { .string($0) }),
      ]
      notes = capsule.notes
    }
    if inclusions.contains(.notes) { members["notes"] = .string(notes) }
    return members
  }
}

/// A file of an item, whole.
package struct DraftMedia: Sendable {
  let name: String
  let title: String
  let mediaType: String
  let bytes: [UInt8]

  var json: JSON {
    .object([
      "name": .string(name), "title": .string(title), "mediaType": .string(mediaType),
      "base64": .string(Base64.encode(bytes, padded: true)),
    ])
  }
}

extension StoreBlobs {
  /// The most bytes of media that one request has.
  package static var draftMediaLimit: Int64 { 32 << 20 }

  /// Reads the media of an item.
  ///
  /// - Returns: `nil` where they are more than ``draftMediaLimit``.
  package func draftMedia(of item: Item) throws -> [DraftMedia]? {
    let total = item.media.reduce(Int64(0)) {
      $0.addingReportingOverflow($1.file.size).partialValue
    }
    guard (0...Self.draftMediaLimit).contains(total) else { return nil }
    return try item.media.map { media in
      var sink = MemorySink()
      try copy(media.file.blob, to: &sink)
      return DraftMedia(
        name: String(decoding: media.file.name, as: UTF8.self), title: media.title,
        mediaType: media.file.mediaType, bytes: sink.bytes)
    }
  }
}
