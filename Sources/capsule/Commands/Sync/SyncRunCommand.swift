import CapsuleCore

/// `capsule sync`.
enum SyncRunCommand {
  static let names = RepeatableOperand(
    "CARRIER", .text, "Only these carriers; without one, all of this store's")

  static let command = Command(
    "sync", "run", summary: "Exchange changes with other machines",
    discussion: """
      What was changed here goes into each carrier, sealed to the store's identities, and what other \
      machines put there is taken over. Where two machines changed the same, both values stay: the later \
      one is shown, and `capsule sync conflicts` lists the other. A deletion hides only what it had seen. \
      Nothing that was sealed is opened, and no unlock time moves earlier.

      A record that cannot be taken over yet (its file is not in the carrier, it is of a newer program, \
      or its own file here is damaged) waits for the next time, and the command ends with 3. Interrupted \
      at any point nothing is lost; the next command that changes the store finishes what was begun.

      `capsule sync` alone does the same.
      """,
    operands: [names], outputs: .json,
    examples: [
      Example("capsule sync", "Synchronise with every carrier"),
      Example("capsule sync run stick", "Synchronise with one"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.syncedStore()
    let carriers = try chosen(invocation[names], of: store, session)
    return try sync(store, carriers, session)
  }

  static func chosen(
    _ names: [String], of store: Store, _ session: Session
  ) throws -> [NamedCarrier] {
    let all = try Carriers(session).of(store)
    guard !all.isEmpty else {
      throw Failure(
        .notFound, "no carrier is known for this store",
        hint: "name a directory that other machines reach: capsule sync add NAME DIR")
    }
    guard !names.isEmpty else { return all }
    return try names.map { name in
      guard let carrier = all.first(where: { $0.name == name }) else {
        throw Failure(
          .notFound, "no carrier of this store is called '\(name)'",
          hint: "there are \(all.map { "'\($0.name)'" }.joined(separator: ", "))")
      }
      return carrier
    }
  }

  /// Synchronises with some carriers, all of them whatever happens with one.
  static func sync(
    _ store: Store, _ carriers: [NamedCarrier], _ session: Session
  ) throws -> ExitCode {
    var total = SyncReport()
    var failures: [(name: String, failure: Failure)] = []
    let progress = Meter(session: session, label: "Sending")
    defer { progress.end() }
    do throws(SyncError) {
      try store.withSync(now: session.now) { work throws(SyncError) in
        // What came from a later carrier goes to an earlier one in a second round.
        for round in 0..<(carriers.count > 1 ? 2 : 1) {
          for carrier in carriers where !failures.contains(where: { $0.name == carrier.name }) {
            do throws(SyncError) {
              let report = try work.sync(carrier.carrier(session)) { progress.update($0, of: $1) }
              total.add(report, isFirst: round == 0)
            } catch {
              if case .busy = error { throw error }
              failures.append((carrier.name, Failure(error, carrier: carrier.name)))
            }
          }
        }
      }
    } catch {
      throw Failure(error, carrier: "")
    }
    progress.end()
    for (_, failure) in failures { _ = session.console.report(failure) }
    let ending = total.ending(failures.map(\.failure))
    return try session.render(ending: ending, json: .object(total.members(failures))) { out in
      out.text(total, session)
    }
  }
}

extension SyncReport {
  fileprivate mutating func add(_ other: SyncReport, isFirst: Bool) {
    sentRecords.formUnion(other.sentRecords)
    sentFiles += other.sentFiles
    sentBytes = sentBytes.addingClamped(other.sentBytes)
    takenRecords.formUnion(other.takenRecords)
    takenFiles += other.takenFiles
    for subject in other.takenRecords { held[subject] = nil }
    held.merge(other.held) { $1 }
    conflicts.removeAll { conflict in
      other.takenRecords.contains(conflict.subject)
        || other.conflicts.contains { $0.subject == conflict.subject }
    }
    conflicts += other.conflicts
    for name in other.damaged where !damaged.contains(name) { damaged.append(name) }
    for name in other.newer where !newer.contains(name) { newer.append(name) }
  }

  /// The worst that happened.
  func ending(_ failures: [Failure]) -> ExitCode {
    if !damaged.isEmpty { return .damaged }
    if let code = failures.map(\.kind.exitCode).first { return code }
    if !newer.isEmpty { return .version }
    return held.isEmpty ? .ok : .partial
  }

  fileprivate func members(_ failures: [(name: String, failure: Failure)]) -> JSONObject {
    [
      "sent": .object([
        "records": .integer(Int64(sentRecords.count)), "files": .integer(Int64(sentFiles)),
        "bytes": .integer(sentBytes),
      ]),
      "taken": .object([
        "records": .integer(Int64(takenRecords.count)), "files": .integer(Int64(takenFiles)),
      ]),
      "conflicts": .array(conflicts.map { .object($0.members) }),
      "held": .array(
        held.sorted { $0.key.text < $1.key.text }.map { subject, hold in
          .object(["record": .string(subject.text), "reason": .string(hold.name)])
        }),
      "damaged": .array(damaged.map { .string($0.path) }),
      "newer": .array(newer.map { .string($0.path) }),
      "failed": .array(
        failures.map { name, failure in
          .object([
            "carrier": .string(name), "kind": .string(failure.kind.rawValue),
            "message": .string(failure.message),
          ])
        }),
    ]
  }
}

extension TextOutput {
  fileprivate func text(_ report: SyncReport, _ session: Session) {
    for name in report.damaged {
      line(
        "\("damaged", .boldRed)  '\(name.path)' in the carrier is not what a machine of this store wrote"
      )
    }
    for name in report.newer {
      line("\("newer", .yellow)    '\(name.path)' was written by a newer capsule")
    }
    for (subject, hold) in report.held.sorted(by: { $0.key.text < $1.key.text }) {
      line("\("waiting", .yellow)  \(subject.text): \(hold.words)")
    }
    guard !session.isQuiet else { return }
    var words = [
      "Sent \(String.counting(report.sentRecords.count, "record"))"
        + (report.sentFiles > 0 ? ", \(String.counting(report.sentFiles, "file"))" : "") + ".",
      "Took in \(String.counting(report.takenRecords.count, "record"))"
        + (report.takenFiles > 0 ? ", \(String.counting(report.takenFiles, "file"))" : "") + ".",
    ]
    if let first = report.conflicts.first {
      let others = report.conflicts.count - 1
      words.append(
        "\(String.counting(report.conflicts.count, "conflict")): \(first.words)"
          + (others > 0 ? " and \(String.counting(others, "other"))" : "")
          + "; see capsule sync conflicts")
    }
    line("\(words.joined(separator: " "))")
  }
}
