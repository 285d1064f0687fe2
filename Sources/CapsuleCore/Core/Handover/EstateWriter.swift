extension Estate {
  /// Writes the age file: the page first, then what each person receives, then the capsules.
  ///
  /// Nothing is written in the clear, and nothing is held whole but a person's pages.
  ///
  /// - Parameter watch: called with the number of bytes before they are written; it ends the work by
  ///   throwing.
  /// - Returns: the sink, with the whole file in it.
  package func write<Sink: ByteSink>(
    to sink: consuming Sink, from store: Store, watch: WorkWatch
  ) throws -> Sink {
    let writer = try AgeWriter(
      to: [trustees.recipient], random: store.environment.random)
    var tar = HandoverTar(
      try writer.sealing(into: sink), from: store, at: terms.now, watch: watch)
    try tar.addAlone(DeliveryFile("READ-ME-FIRST.html", page), in: Self.root)
    for delivery in deliveries {
      let files = delivery.allFiles(owner: owner, terms)
      if let recipient = recipients[delivery.person.id] {
        try tar.addSealed(
          files, as: place(of: delivery), in: Self.root, named: delivery.name,
          to: recipient, explain: delivery.named)
      } else {
        try tar.add(files, in: "\(Self.root)/\(place(of: delivery))", explain: delivery.named)
      }
    }
    for capsule in capsules {
      try tar.add(capsule.files, in: Self.root) { Self.named($0, $1, of: capsule) }
    }
    return try tar.finish().finish()
  }

  private static func named(
    _ error: any Error, _ file: DeliveryFile, of capsule: EstateCapsule
  ) -> any Error {
    if error is FileSystemError { return error }
    return DeliveryError.capsuleFile(
      name: file.path.parts(at: "/").last ?? "", capsule: capsule.title,
      cause: error is WrongMemberSize ? DeliveryError.wrongSize(expected: file.size) : error)
  }

  /// Refuses a place where an estate must not lie, or where something lies.
  package static func requirePlace(
    _ path: FilePath, replacing: Bool, in files: any FileSystem
  ) throws {
    try files.requireOutsideStores(path.parent, for: path)
    guard !replacing else { return }
    try files.requireFree(path)
    try files.requireFree(EstateList.path(beside: path))
  }

  /// Writes the file and its list, each whole or not at all. The list is written before the file has its
  /// name, and gets its own after it.
  ///
  /// - Parameter replacing: whether files that have the names are replaced.
  /// - Returns: the list.
  /// - Throws: the error of `watch`, ``NameTaken``, a ``DeliveryError``, a ``FileSystemError``, …; neither
  ///   is there then, or both are as they were, unless only the list's name could not be made.
  package func write(
    to path: FilePath, replacing: Bool, from store: Store, watch: WorkWatch
  ) throws -> EstateList {
    let random = store.environment.random
    var list = list
    try store.files.writeBeside(
      EstateList.path(beside: path), replacing: replacing, random: random
    ) { listSink in
      try store.files.writeBeside(path, replacing: replacing, random: random) { sink in
        var written = try write(to: DigestingSink(sink), from: store, watch: watch)
        list.note(digest: written.digest(), size: written.count)
        try list.bytes.withUnsafeBytes { try listSink.write($0) }
      }
    }
    return list
  }
}
