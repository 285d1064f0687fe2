extension OpenedCapsule {
  /// The bytes of all contents.
  package var byteCount: Int64 {
    details.reduce(0) { sum, content in
      let (total, isTooMuch) = sum.addingReportingOverflow(content.size)
      return isTooMuch ? .max : total
    }
  }

  /// The beginning of the name that a page has while it is made.
  private static let partialPage = ".capsule-page-"

  /// The folders beside a page's place in which pages were made by runs that were killed, or still are: they
  /// are in the clear.
  package func partialPages(beside folder: FilePath) -> [FilePath] {
    store.files.remains(of: [Self.partialPage], in: folder.withoutEndingSlash.parent)
  }

  /// Makes the page of a hand-over for the owner of the capsule: a folder with `index.html`, `letter.txt`
  /// and the files, whole or not at all.
  ///
  /// - Parameters:
  ///   - folder: the folder; where it is there already, it is empty.
  ///   - owner: the name of the capsule's owner; empty where that is not known.
  ///   - zone: the zone of the dates on the page.
  ///   - watch: called with the number of bytes before they are written; it ends the work by throwing.
  /// - Throws: the error of `watch`; ``NameTaken`` where the path has something in it, or is no folder; the
  ///   errors of what is read and written.
  package func makePage(
    at folder: FilePath, owner: String, now: Instant, zone: ZoneRules,
    watch body: @escaping (Int) throws -> Void
  ) throws {
    let files = store.files
    let path = folder.withoutEndingSlash
    try files.requireEmpty(path)
    let terms = DeliveryTerms(output: nil, isSealed: false, withValues: false, now: now, zone: zone)
    var maker = GiftMaker(store: store, terms: terms, trustees: nil) { _ in .closed }
    let (gift, contents) = maker.make(self)
    let handover = Handover(
      owner: "", person: owner.isEmpty ? "you" : owner, date: terms.day(now), gifts: [gift])
    try files.createDirectories(path.parent)
    let watch = WorkWatch(body)
    let name = Self.partialPage + (try store.environment.temporaryName())
    var target = try DeliveryFolder(
      path, temporary: path.parent.appending(name), from: store, watch: watch, replacesEmpty: true)
    do {
      let page = HandoverPage(handover: handover)
      try target.add(DeliveryFile("index.html", page.html))
      try target.add(DeliveryFile("letter.txt", page.letter))
      for file in contents { try target.add(file) }
      try target.commit()
    } catch {
      target.discard()
      if let interruption = watch.interruption { throw interruption }
      // Something came there meanwhile.
      try files.requireEmpty(path)
      throw error
    }
  }
}

extension FileSystem {
  /// Refuses a path where something is but an empty directory.
  fileprivate func requireEmpty(_ path: FilePath) throws {
    guard let status = try statusIfPresent(path) else { return }
    // A folder that is named by its place alone cannot get another name.
    let name = path.lastComponent
    guard name != Array(".".utf8), name != Array("..".utf8), status.kind == .directory,
      try contents(ofDirectory: path).isEmpty
    else {
      throw NameTaken(path)
    }
  }
}
