import CapsuleCore

/// `capsule estate --verify`: what became stale since an estate was made.
struct EstateCheck {
  let session: Session
  let path: FilePath

  /// - Parameter saysNothing: whether an estate that nothing changed since ends with 1.
  func run(saysNothing: Bool) throws -> ExitCode {
    let list = try readList()
    try requireWhole(list)
    guard let store = try session.stores.existing() else {
      throw Failure(
        .notFound, "there is no store to compare it with", hint: "name it: '--store DIR'")
    }
    let changes = try list.changes(in: store, now: session.now)
    let code: ExitCode = changes.isEmpty && saysNothing ? .none : .ok
    let names = RecordNames(store, now: session.now)
    var indexes: [RecordKind: RecordIndex] = [:]
    var titles: [RecordReference: String] = [:]
    for reference in changes.added + changes.changed + changes.removed {
      let kind = reference.kind
      let entry = indexes[kind, default: store.index(kind, now: session.now)].entry(reference.id)
      titles[reference] =
        entry.map { names.title(of: $0, kind) } ?? names.title(reference)
    }
    func title(_ reference: RecordReference) -> String? { titles[reference] }
    func json(_ references: [RecordReference]) -> JSON {
      .array(
        references.map {
          .object([
            "id": .string($0.id.description), "kind": .string($0.kind.rawValue),
            "title": title($0).map { .string($0) } ?? .null,
          ])
        })
    }
    var members: JSONObject = [
      "added": json(changes.added), "changed": json(changes.changed),
      "isStale": .bool(!changes.isEmpty), "path": .string(path.text),
      "removed": json(changes.removed), "settingsChanged": .bool(changes.settings),
      "sha256": .string(Hex.encode(list.digest)), "size": .integer(list.size),
      "trustees": .string(changes.group.rawValue), "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(list.madeAt, as: "madeAt", to: &members)
    return try session.console.render(ending: code, json: .object(members)) { out in
      guard !session.isQuiet else { return }
      guard !changes.isEmpty else {
        return out.line(
          "'\(path.text)' is whole, and nothing changed since \(session.dates.text(list.madeAt))")
      }
      out.line("'\(path.text)' is whole, and stale. Since \(session.dates.text(list.madeAt))")
      func lines(_ references: [RecordReference], _ verb: String) {
        for reference in references {
          let name = title(reference).map { "'\($0)'" } ?? reference.id.description
          out.line("  the \(reference.kind.word) \(name) \(verb)")
        }
      }
      lines(changes.added, "came")
      lines(changes.changed, "changed")
      lines(changes.removed, "went")
      if changes.settings { out.line("  the settings changed") }
      switch changes.group {
      case .none: break
      case .gone: out.line("  the group of trustees went")
      case .otherKey: out.line("  the group of trustees got another key")
      }
    }
  }

  private func readList() throws -> EstateList {
    let beside = EstateList.path(beside: path)
    let files = session.host.files
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.withFile(beside, .readFollowingLinks(streams: false)) {
        file throws(FileSystemError) in try files.readAll(file, limit: EstateList.byteLimit)
      }
    } catch {
      guard error.condition == .notFound else { throw error }
      throw Failure(
        .notFound, "there is no list '\(beside.text)' beside the file",
        hint: "it is made with the file, and says what was in it; make both anew",
        details: ["path": .string(beside.text)])
    }
    do throws(EstateList.Fault) {
      return try EstateList(bytes)
    } catch {
      throw Failure(error, path: beside)
    }
  }

  /// Compares the file's bytes with the list.
  private func requireWhole(_ list: EstateList) throws {
    let progress = session.console.progress("Reading", total: list.size)
    defer { progress.end() }
    let isWhole = try list.isMade(with: path, in: session.host.files) {
      progress.advance(by: Int64($0))
    }
    guard isWhole else {
      throw Failure(
        .damaged, "'\(path.text)' is not the file that its list was made with",
        hint: "make it anew, or find the copy that the list belongs to",
        details: ["path": .string(path.text)])
    }
  }
}
