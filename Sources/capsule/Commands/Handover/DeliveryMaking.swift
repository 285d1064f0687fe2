import CapsuleCore

/// Makes deliveries, each whole or not at all, and marks their bequests sent.
struct DeliveryMaking {
  let session: Session
  let store: Store
  let output: FilePath
  let owner: String
  let isSealed: Bool
  let marksSent: Bool

  private var files: any FileSystem { store.files }

  /// Makes all that can be made; what fails is told and kept in the delivery.
  ///
  /// - Returns: the code of the signal that ended it.
  func make(_ deliveries: inout [Delivery]) throws -> ExitCode? {
    let total = deliveries.reduce(0) { $1.problem == nil ? $0 + $1.size : $0 }
    try files.createDirectories(output)
    warnOfRemains(of: deliveries)
    let watch = DeliveryWatch(session, total: total)
    defer { watch.end() }
    for index in deliveries.indices where !deliveries[index].gifts.isEmpty {
      guard deliveries[index].problem == nil else { continue }
      do {
        try make(deliveries[index], watch)
        deliveries[index].outcome = .made
        if marksSent {
          try mark(deliveries[index])
          deliveries[index].outcome = .marked
        }
      } catch {
        if let code = watch.interruption { return code }
        deliveries[index].problem = Failure(error)
      }
      if (try? watch.check()) == nil { return watch.interruption }
    }
    return nil
  }

  private func make(_ delivery: Delivery, _ watch: DeliveryWatch) throws {
    guard let path = delivery.path else { return }
    do {
      let temporary = output.appending(
        Self.partialPrefix(of: path) + (try store.environment.temporaryName().prefix(8)))
      guard isSealed else {
        return try fill(
          DeliveryFolder(path, temporary: temporary, in: files), with: delivery, watch)
      }
      let recipient = try X25519Recipient(delivery.person.recipient)
      try fill(
        DeliveryArchive(
          path, temporary: temporary, root: delivery.name, to: recipient, in: store,
          now: session.now),
        with: delivery, watch)
    } catch let error as FileSystemError
      where error.condition == .exists || error.condition == .notEmpty
    {
      // Another delivery was faster: the rename of a folder says so in either way.
      throw Failure.isThere(delivery.person, path)
    }
  }

  private func fill(
    _ target: some DeliveryTarget, with delivery: Delivery, _ watch: DeliveryWatch
  ) throws {
    var target = target
    do {
      let all = delivery.allFiles(
        owner: owner, date: session.longDate(session.now), session)
      for file in all {
        do {
          try target.add(file, from: store, watch: watch)
        } catch {
          throw named(error, file, delivery)
        }
      }
      try target.commit()
    } catch {
      target.discard()
      throw error
    }
  }

  /// Says of which gift the file is that is not what was written.
  private func named(
    _ error: any Error, _ file: DeliveryFile, _ delivery: Delivery
  ) -> any Error {
    var failure: Failure
    if error is PaxWriter<AgeSealingSink<FileSink>>.WrongSize {
      failure = Failure(
        .damaged, "its size is not \(file.size) bytes", hint: "restore it from a backup")
    } else {
      failure = Failure(error)
    }
    guard failure.kind == .damaged,
      let gift = delivery.gifts.first(where: { $0.files.contains { $0.path == file.path } })
    else { return error }
    let name = file.path.split(separator: "/").last ?? ""
    failure.message =
      "nothing was made for '\(delivery.person.name)': '\(name)' of '\(gift.gift.title)' is damaged: "
      + failure.message
    return failure
  }

  /// Keeps that they were sent: one record each, after the folder is whole and safe.
  private func mark(_ delivery: Delivery) throws {
    var failed: [(gift: DeliveryGift, failure: Failure)] = []
    for gift in delivery.gifts {
      var record = gift.bequest
      do throws(Bequest.MarkProblem) {
        try record.model.mark(DeliveryChange(.sent, at: session.now, notes: ""))
      } catch {
        failed.append((gift, Failure(error, record.model.id, session)))
        continue
      }
      do throws(StoreError) {
        _ = try store.update(record, now: session.now)
      } catch {
        failed.append((gift, Failure(error)))
      }
    }
    guard let first = failed.first else { return }
    let titles = failed.map { "'\($0.gift.gift.title)'" }.joined(separator: ", ")
    let ids = failed.map { $0.gift.bequest.model.id.description }
    var failure = first.failure
    failure.message =
      "'\(delivery.path?.text ?? "")' is whole, but \(titles) could not be marked sent: "
      + failure.message
    failure.hint =
      "look at it first if it was changed meanwhile, then mark it by hand: "
      + ids.map { "capsule bequest mark \($0) sent" }.joined(separator: "; ")
    failure.details["unmarked"] = .array(ids.map { .string($0) })
    throw failure
  }

  private static func partialPrefix(of path: FilePath) -> String {
    ".\(String(decoding: path.lastComponent, as: UTF8.self)).partial-"
  }

  /// Names what a killed delivery to the same people has left: it is in the clear.
  private func warnOfRemains(of deliveries: [Delivery]) {
    guard let entries = try? files.contents(ofDirectory: output) else { return }
    let prefixes = deliveries.compactMap(\.path).map { Array(Self.partialPrefix(of: $0).utf8) }
    for entry in entries where prefixes.contains(where: { entry.name.starts(with: $0) }) {
      let path = output.appending(bytes: entry.name)
      session.console.warning(
        "'\(path.text)' is what a delivery left that was killed or still runs",
        hint: "remove it if none runs", details: ["path": .string(path.text)])
    }
  }
}
