/// Makes deliveries, each whole or not at all, and marks their bequests sent.
package struct DeliveryWriter {
  private let store: Store
  private let terms: DeliveryTerms
  private let output: FilePath
  private let marksSent: Bool

  private var files: any FileSystem { store.files }

  /// Returns `nil` where the terms name no place.
  ///
  /// - Parameters:
  ///   - marksSent: whether bequests are marked sent when the delivery they are in is whole.
  package init?(
    _ store: Store, _ terms: DeliveryTerms, marksSent: Bool
  ) {
    guard let output = terms.output else { return nil }
    self.store = store
    self.terms = terms
    self.output = output
    self.marksSent = marksSent
  }

  /// Makes the place of all deliveries where there is none.
  ///
  /// - Returns: the remains of deliveries to the same people that were killed, or still run: they are
  ///   in the clear.
  /// - Throws: a ``StoreError`` where bequests are to be marked in a store that cannot be changed;
  ///   ``PlaceInStore``; a ``FileSystemError``.
  package func prepare(for plan: DeliveryPlan) throws -> [FilePath] {
    if marksSent { try store.requireWritable() }
    try files.requireOutsideStores(output, and: store.layout.root)
    try files.createDirectories(output)
    return files.remains(of: plan.deliveries.compactMap(\.path?.partialPrefix), in: output)
  }

  /// Makes all that can be made; each delivery keeps what became of it.
  ///
  /// - Parameter watch: called with the number of bytes before they are written; it ends the work by
  ///   throwing, and nothing half made is left.
  package func make(
    _ plan: inout DeliveryPlan, watch body: @escaping (Int) throws -> Void
  ) throws {
    let watch = WorkWatch(body)
    for index in plan.deliveries.indices where plan.deliveries[index].canBeMade {
      do {
        try make(plan.deliveries[index], owner: plan.owner, watch)
        plan.deliveries[index].outcome = .made
        if marksSent {
          try mark(plan.deliveries[index])
          plan.deliveries[index].outcome = .marked
        }
      } catch {
        if let interruption = watch.interruption { throw interruption }
        plan.deliveries[index].problem = error
      }
      try watch.pass(0)
    }
  }

  private func make(
    _ delivery: PersonalDelivery, owner: String, _ watch: WorkWatch
  ) throws {
    guard let path = delivery.path else { return }
    do {
      let temporary = output.appending(
        path.partialPrefix + (try store.environment.temporaryName().prefix(8)))
      guard terms.isSealed else {
        return try fill(
          DeliveryFolder(path, temporary: temporary, from: store, watch: watch),
          with: delivery, owner)
      }
      let recipient = try AgeRecipient(delivery.person.recipient)
      try fill(
        DeliveryArchive(
          path, temporary: temporary, root: delivery.name, to: recipient, in: store, now: terms.now,
          watch: watch),
        with: delivery, owner)
    } catch let error as FileSystemError
      where error.condition == .exists || error.condition == .notEmpty
    {
      // Another delivery was faster: the rename of a folder fails with either error.
      throw DeliveryError.exists(path, delivery.person)
    }
  }

  private func fill(
    _ target: some DeliveryTarget, with delivery: PersonalDelivery, _ owner: String
  ) throws {
    var target = target
    do {
      for file in delivery.allFiles(owner: owner, terms) {
        do {
          try target.add(file)
        } catch {
          throw delivery.named(error, of: file)
        }
      }
      // To copy large files takes minutes, in which people think again.
      try store.handover.requireUnchanged(delivery, now: terms.now)
      try target.commit()
    } catch {
      target.discard()
      throw error
    }
  }

  /// Keeps that the gifts were sent: one record each, after the folder is whole and safe.
  private func mark(_ delivery: PersonalDelivery) throws(DeliveryError) {
    var failed: [DeliveryError.Unmarked] = []
    for gift in delivery.gifts {
      let sent = DeliveryChange(.sent, at: terms.now, notes: "")
      do throws(BequestMarkError) {
        _ = try store.handover.mark(gift.bequest, sent, now: terms.now)
      } catch {
        failed.append(
          DeliveryError.Unmarked(
            bequest: gift.bequest.model.id, title: gift.gift.title, cause: error))
      }
    }
    if !failed.isEmpty { throw .unmarked(failed, delivery.path) }
  }
}

extension FilePath {
  /// The beginning of the name that something has beside its place while it is made.
  var partialPrefix: String { ".\(String(decoding: lastComponent, as: UTF8.self)).partial-" }
}

extension FileSystem {
  /// The entries of a folder whose names begin so: what runs left there that were killed, or still are.
  func remains(of prefixes: [String], in folder: FilePath) -> [FilePath] {
    ((try? contents(ofDirectory: folder)) ?? [])
      .filter { entry in prefixes.contains { entry.name.starts(with: $0.utf8) } }
      .map { folder.appending(bytes: $0.name) }
  }
}

extension PersonalDelivery {
  /// Adds to an error which gift's file it is about; an error of the place is about none.
  func named(_ error: any Error, of file: DeliveryFile) -> any Error {
    let gift = gifts.first { $0.files.contains { $0.path == file.path } }
    guard let gift, !(error is FileSystemError) else { return error }
    return DeliveryError.file(
      name: file.path.parts(at: "/").last ?? "", gift: gift.gift.title, person: person.name,
      cause: error is WrongMemberSize ? DeliveryError.wrongSize(expected: file.size) : error)
  }
}
