import CapsuleCore

// The fields that two devices changed, and the choice between their values.
extension SyncCommands {
  static let conflicts = Command(
    "sync", "conflicts", summary: "List fields that two devices changed",
    discussion: """
      Each conflict is a field of a record that two devices changed without knowing of each other. The list \
      has the value that is shown and the other values, with the numbers for `capsule sync resolve --take`, \
      and the device that each is from. A device is listed by its id until a sync has received its name.

      You need not resolve conflicts. Editing the field replaces only the value that is shown.
      """,
    options: storeOptions, outputs: .json,
    examples: [Example("capsule sync conflicts", "List all conflicts")],
    exitCodes: [.key, .busy, .version]
  ) { invocation, session in
    let all =
      try SyncJob(ifKnown: invocation, session)?.look { work throws(Fault) in
        try work.conflicts()
      } ?? []
    return Answer(rows: all, json: \.members) { out in
      for conflict in all {
        out.line("\(conflict.words, .bold)")
        let choices =
          [("shown", conflict.shown)]
          + conflict.others.enumerated().map { (String($0.offset + 1), $0.element) }
        for (name, choice) in choices {
          let text = FieldWords(session).text(choice.value, in: conflict)
          out.line("  \(name), \(choice.device.words): \(text)")
        }
      }
    }
    .unlessQuiet { out in
      if all.isEmpty { out.line("There are no conflicts.") }
    }
  }

  static let reference = Parameter.operand(
    "REF", .text, "A record: an id, the start of one, a title or a name; or 'settings'")
  static let field = Parameter.option(
    "field", value: "FIELD", .text, "Resolve only this field of the record")
  static let take = Parameter.option(
    "take", value: "N", .integer(1...), "Choose the other value with this number")

  static let resolve = Command(
    "sync", "resolve", summary: "Resolve a conflict by choosing a value",
    discussion: """
      Without `--take`, the value that is shown stays and the others are dropped. The devices that wrote them \
      still have them as versions.

      If another device broke a rule, `sync` keeps this device's record and reports it as waiting. `resolve` \
      makes the other devices take the unlock time, lock, contents, delivery, or shares that are here.
      """,
    operands: [reference], options: [field, take] + storeOptions, outputs: .json,
    examples: [
      Example("capsule sync resolve 'Gold ring'", "Keep the values that are shown"),
      Example(
        "capsule sync resolve 'Gold ring' --field description --take 1",
        "Choose the other description"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version],
    run: SyncJob.run { try $0.resolve($1[reference], field: $1[field], take: $1[take] ?? 0) })
}

extension SyncJob {
  fileprivate func resolve(
    _ reference: String, field name: String?, take number: Int
  ) throws -> Answer {
    let subject = try subject(reference)
    let all = try look { work throws(Fault) in try work.conflicts() }
    if number > 0, name == nil {
      let fields = Set(all.filter { $0.subject == subject }.map(\.field)).sorted()
      throw Fault.usage(
        "'--take' needs '--field'",
        hint: fields.isEmpty
          ? "list the conflicts: capsule sync conflicts"
          : "choose a field: --field \(fields.listed("or"))")
    }
    let meant = all.filter { $0.subject == subject && (name == nil || $0.field == name) }
    if number > 0, let first = meant.first {
      guard meant.count == 1 else {
        throw Fault.usage(
          "several elements of '\(first.field)' have conflicts",
          hint: "edit the record, or leave out --take")
      }
      guard number <= first.others.count else {
        throw Fault.usage(
          "invalid number \(number)",
          hint: "use a number from 1 to \(first.others.count); list them: capsule sync conflicts")
      }
    }
    // Without a conflict, what a rule holds back may wait.
    let key = meant.first?.key
    let (resolved, reason, insists) =
      name != nil && key == nil
      ? ([], nil, false)
      : try hold { work throws(Fault) in
        try work.resolve(subject, field: name == nil ? nil : key, choice: number)
      }
    if let reason {
      throw Fault(
        .partial,
        "'\(meant.first?.title ?? subject.text)' was not changed: "
          + reason.words(of: subject))
    }
    guard insists || !resolved.isEmpty else {
      throw Fault(
        .notFound, name.map { "'\($0)' has no conflict" } ?? "there is no conflict to resolve",
        hint: "list the conflicts: capsule sync conflicts")
    }
    return Answer(rows: resolved, quiet: .nothing, json: \.members) { out in
      for conflict in resolved { out.line("Resolved: \(conflict.words)") }
      if insists {
        out.line("After the next sync, the other devices have this version: \(subject.text)")
      }
    }
  }

  private func subject(_ word: String) throws -> SyncSubject {
    if word == "settings" { return .settings }
    let found = try session.records.find(word, among: RecordKind.allCases, in: store)
    return .record(RecordReference(found.kind, found.id))
  }
}

extension SyncConflict {
  var words: String {
    let name = "'\(title.isEmpty ? subject.text : title)' \(field)"
    guard ["occurrence", "settled"].contains(field), let element = key.element,
      let parts = (try? JSON.parse(Array(element.utf8)))?.array
    else { return name }
    let texts = parts.compactMap(\.string).map { OccurrenceKey($0)?.words ?? $0 }
    return ([name] + texts).joined(separator: " ")
  }

  var members: JSONObject {
    [
      "record": subject.text.json, "title": title.json, "field": field.json,
      "element": key.element.json, "shown": shown.value ?? .null,
      "others": .array(others.map { $0.value ?? .null }),
      "shownFrom": .object(shown.device.members),
      "othersFrom": .array(others.map { .object($0.device.members) }),
    ]
  }
}

extension SyncDevice {
  var members: JSONObject {
    ["actor": actor.description.json, "host": host.json, "isOwn": isOwn.json]
  }

  /// `from mia-laptop`; of one whose name is not known the start of its id.
  fileprivate var words: String {
    isOwn ? "from this device" : "from \(host ?? "device \(actor.description.prefix(8))")"
  }
}

extension FieldWords {
  /// One of the values of a conflict, in one line.
  fileprivate func text(_ value: JSON?, in conflict: SyncConflict) -> String {
    switch (conflict.field, value?.object) {
    case ("occurrence", let time?) where time.isEmpty: return "(left out)"
    case ("settled", let settled?):
      return settled["doneAt"].map { "done \(text($0))" } ?? "skipped"
    default:
      let text = text(value, of: conflict.field)
      return text.isEmpty ? "(nothing)" : FieldChange.shortened(text)
    }
  }
}
