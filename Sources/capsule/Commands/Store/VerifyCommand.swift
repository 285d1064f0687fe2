import CapsuleCore

/// `capsule verify`.
enum VerifyCommand {
  static let quick = Flag("quick", "Only see that the contents are there, without reading them")

  static let command = Command(
    "verify", summary: "Check that every byte is what was written",
    discussion: """
      Every record is compared with its checksum, every content's file with its name, which is the \
      SHA-256 of its bytes. What is sealed in a lock is compared with its record as far as that can be \
      seen without your keys: the recipient, the unlock time, the round, the number of escrows. \
      Nothing is opened and nothing changed. What is damaged is named, and the \
      command ends with 7; files that do not belong to the store are told and are no damage.
      """,
    options: [quick], outputs: .json,
    examples: [Example("capsule verify", "Check the whole store")],
    exitCodes: [.damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let store = try session.existingStore() else {
      return try tell(Verification(), session)
    }
    let progress = Meter(session: session, label: "Verifying")
    defer { progress.end() }
    let report = try store.verifyAll(readingBlobs: !invocation[quick]) {
      progress.update($0, of: $1)
    }
    progress.end()
    return try tell(report, session)
  }

  private static func tell(
    _ report: Verification, _ session: Session
  ) throws -> ExitCode {
    let isNewer = report.problems.contains {
      if case .record(_, _, _, .newer) = $0 { true } else { false }
    }
    let damage = report.problems.filter(\.isDamage)
    let onlyNewer =
      isNewer
      && damage.allSatisfy {
        if case .record(_, _, _, .newer) = $0 { true } else { false }
      }
    return try session.render(
      ending: report.isSound ? .ok : onlyNewer ? .version : .damaged,
      json: .object([
        "isSound": .bool(report.isSound),
        "records": .integer(Int64(report.records)),
        "blobs": .integer(Int64(report.blobs)),
        "bytes": .integer(report.bytes),
        "problems": .array(report.problems.map { .object($0.members) }),
      ])
    ) { out in
      for problem in report.problems {
        out.line(
          problem.isDamage
            ? "\("damaged", .boldRed)  \(problem.words)" : "\("note", .yellow)     \(problem.words)"
        )
      }
      guard !session.isQuiet else { return }
      let counts =
        "\(report.records) record\(report.records == 1 ? "" : "s"), "
        + "\(report.blobs) contents' file\(report.blobs == 1 ? "" : "s")"
      out.line(
        report.isSound
          ? "Sound: \(counts)." : "\(damage.count) damaged, of \(counts).")
      if damage.contains(where: \.mayBeMended) {
        session.console.note("'capsule repair' mends what can be mended.")
      }
    }
  }
}

extension StoreProblem {
  /// Whether a repair may be able to do something about it.
  var mayBeMended: Bool {
    switch self {
    case .header, .identity, .settings, .record(_, _, _, .checksum), .record(_, _, _, .noChecksum):
      true
    default: false
    }
  }

  /// The problem in one line.
  var words: String {
    switch self {
    case .header(let damage): "'store.json' \(damage.words)"
    case .identity(let recipient, let isMissing):
      "'identities/\(recipient).txt' " + (isMissing ? "is missing" : "is not what was written")
    case .settings(let damage): "'settings.json' \(damage.words)"
    case .record(_, _, let path, let damage): "'\(path)' \(damage.words)"
    case .unreadable(_, _, let path, let code): "'\(path)' cannot be read (errno \(code))"
    case .blob(_, let path, let damage, let kind, let id):
      "'\(path)' \(damage.words); the \(kind.word) \(id) needs it"
    case .lock(_, let path, let problem): "'\(path)': \(problem.words)"
    case .foreign(let path): "'\(path)' does not belong to the store; is it a conflict copy?"
    case .orphan(_, let path): "'\(path)' is named by no record; a purge removes it after a week"
    case .missingReference(_, _, let path, let target):
      "'\(path)' names the \(target.kind.word) \(target.id), which is not there"
    case .openToOthers(let path, let mode):
      "others can write to '\(path)' (mode \(String(mode, radix: 8))); 'chmod go-w' ends that"
    case .interruptedDeletion(_, _, let path):
      "'\(path)' is live as well: its deletion was interrupted"
    }
  }

  /// The object for machine output.
  var members: JSONObject {
    var members: JSONObject = [
      "isDamage": .bool(isDamage), "message": .string(words), "id": .null, "path": .null,
    ]
    switch self {
    case .header: members["kind"] = "header"
    case .identity: members["kind"] = "identity"
    case .settings: members["kind"] = "settings"
    case .record(_, let id, let path, _):
      members["kind"] = "record"
      members["id"] = .string(id.description)
      members["path"] = .string(path)
    case .unreadable(_, let id, let path, _):
      members["kind"] = "unreadable"
      members["id"] = id.map { .string($0.description) } ?? .null
      members["path"] = .string(path)
    case .blob(_, let path, _, _, let id):
      members["kind"] = "blob"
      members["id"] = .string(id.description)
      members["path"] = .string(path)
    case .lock(let id, let path, _):
      members["kind"] = "lock"
      members["id"] = .string(id.description)
      members["path"] = .string(path)
    case .foreign(let path):
      members["kind"] = "foreign"
      members["path"] = .string(path)
    case .orphan(_, let path):
      members["kind"] = "orphan"
      members["path"] = .string(path)
    case .missingReference(_, let id, let path, _):
      members["kind"] = "missingReference"
      members["id"] = .string(id.description)
      members["path"] = .string(path)
    case .openToOthers(let path, _):
      members["kind"] = "openToOthers"
      members["path"] = .string(path)
    case .interruptedDeletion(_, let id, let path):
      members["kind"] = "interruptedDeletion"
      members["id"] = .string(id.description)
      members["path"] = .string(path)
    }
    return members
  }
}
