import CapsuleCore

extension SyncHold {
  /// The name in JSON.
  var name: String {
    switch self {
    case .newer: "newer"
    case .missingFile: "missingFile"
    case .damaged: "damaged"
    case .changedMeanwhile: "changedMeanwhile"
    case .forbidden: "forbidden"
    case .brokenHere: "damaged"
    case .unreadable: "unreadable"
    }
  }

  /// - Parameter subject: the one that waits.
  func words(of subject: SyncSubject) -> String {
    let id =
      if case .record(let record) = subject { record.id.description } else { subject.text }
    return switch self {
    case .newer(let schema): "it has format \(schema), which is newer than this program's"
    case .missingFile: "a file of it is not in the carrier yet"
    case .damaged: "its file here is not what was written; 'capsule repair' mends it"
    case .changedMeanwhile: "it was changed meanwhile"
    case .forbidden(let rule):
      "another machine \(rule.act), which is refused; to make the other machines take what is here: "
        + "capsule sync resolve \(id)"
    case .brokenHere(let rule):
      "its file here was changed by hand, which \(rule.act); an earlier version puts it right: "
        + "capsule versions \(id)"
    case .unreadable(let error): "both sides together give no record (\(error.path))"
    }
  }
}

extension ChangeRule {
  /// The act that breaks the rule.
  var act: String {
    switch self {
    case .neverEarlier: "moved the unlock time earlier"
    case .lockedAgainOnPurpose: "locked an opened capsule again"
    case .nothingAdded: "added to an opened capsule"
    case .contentsStay: "removed or replaced contents"
    case .lockStays: "replaced the lock"
    case .openingStays: "changed when the capsule was first opened"
    case .sentStays: "changed a bequest that was sent"
    case .deliveryStays(let state): "took back a delivery that was \(state.words)"
    case .holdersStay: "removed a key or a share of the trustees"
    case .passingStays: "replaced the declared passing"
    }
  }
}

extension SyncNote {
  var words: String {
    switch self {
    case .sameName(let name, let items):
      "\(items.count) items are called '\(name)', made on several machines: rename one "
        + "('capsule item edit ID --name NAME'): \(items.map(\.text).joined(separator: ", "))"
    case .addedToOpened(let title, _, let count):
      "'\(title)' was opened on one machine while another added to it: "
        + String.counting(count, "content") + (count == 1 ? " was" : " were") + " not there then"
    }
  }

  var members: JSONObject {
    switch self {
    case .sameName(_, let items):
      [
        "kind": "sameName", "message": .string(words),
        "records": .array(items.map { .string($0.text) }),
      ]
    case .addedToOpened(_, let capsule, _):
      [
        "kind": "addedToOpened", "message": .string(words),
        "records": .array([.string(capsule.text)]),
      ]
    }
  }
}

extension SyncConflict {
  var words: String { "'\(title.isEmpty ? subject.text : title)' \(field)" }

  var members: JSONObject {
    [
      "record": .string(subject.text), "title": .string(title), "field": .string(field),
      "element": key.element.map { .string($0) } ?? .null, "shown": shown ?? .null,
      "others": .array(others.map { $0 ?? .null }),
    ]
  }
}
