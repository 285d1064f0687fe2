/// Makes gifts of items and capsules, and gives their files names within one person's folder.
struct GiftMaker {
  private let store: Store
  private let terms: DeliveryTerms
  /// The group that an estate is for; `nil` for a delivery.
  private let trustees: SpareHolders?
  private let opening: (StoredRecord<Capsule>) throws -> UnattendedOutcome
  private var fileNames = PortableFileNames()
  private var folderNames = PortableFileNames()

  init(
    store: Store, terms: DeliveryTerms, trustees: SpareHolders?,
    opening: @escaping (StoredRecord<Capsule>) throws -> UnattendedOutcome
  ) {
    self.store = store
    self.terms = terms
    self.trustees = trustees
    self.opening = opening
  }

  /// The result of a bequest in a delivery.
  enum Outcome {
    case gift(PlannedGift)
    case leftOut(PersonalDelivery.LeftOut)
  }

  mutating func make(_ bequest: StoredRecord<Bequest>) throws -> Outcome {
    let subject = bequest.model.subject
    if subject.kind == .item {
      return .gift(make(try store.readIntact(Item.self, subject.id), bequest))
    }
    return try make(try store.read(Capsule.self, subject.id), bequest)
  }

  private mutating func make(
    _ record: StoredRecord<Item>, _ bequest: StoredRecord<Bequest>
  ) -> PlannedGift {
    let item = record.model
    let details = item.details(for: terms.withValues ? [.heirs, .heirsWithValues] : [.heirs])
    let (shown, files) = files(of: item)
    return PlannedGift(
      bequest: bequest, subjectDigest: record.digest,
      gift: Gift(
        kind: .item, title: item.name, message: bequest.model.message,
        description: item.description, details: details, files: shown),
      files: files)
  }

  /// Gives the attachments of an item their places in the folder.
  mutating func files(of item: Item) -> (shown: [GiftFile], files: [DeliveryFile]) {
    var shown: [GiftFile] = []
    var files: [DeliveryFile] = []
    for (index, media) in item.media.enumerated() {
      let fallback = ContentFileNames.fallback(media.file, number: index + 1)
      let (path, isDisarmed) = place(
        media.file.name, fallback: fallback, mediaType: media.file.mediaType)
      shown.append(
        GiftFile(
          path: path, title: media.title, mediaType: media.file.mediaType, size: media.file.size,
          facts: media.facts, text: text(of: media.file), isNamed: true, isDisarmed: isDisarmed))
      files.append(
        DeliveryFile(
          path, size: media.file.size, modified: media.file.modified, .blob(media.file.blob)))
    }
    return (shown, files)
  }

  private mutating func make(
    _ record: StoredRecord<Capsule>, _ bequest: StoredRecord<Bequest>
  ) throws -> Outcome {
    let capsule = record.model
    var gift = gift(of: capsule)
    gift.message = bequest.model.message
    var files: [DeliveryFile] = []
    switch try opening(record) {
    case .opened(let opened): addContents(of: capsule, opened, to: &gift, &files)
    case .locked(let until) where capsule.lock.kind == .honor && terms.isRehearsed(until):
      addStandIns(for: capsule, until, to: &gift, &files)
    case .locked(let until):
      guard capsule.lock.kind != .honor || trustees != nil else {
        return .leftOut(
          PersonalDelivery.LeftOut(
            bequest: bequest, subjectDigest: record.digest, title: capsule.title, until: until))
      }
      gift.details.append(.init("To be opened from", terms.dateTime(until)))
      try addSealed(record, by: lockWay(of: capsule), to: &gift, &files)
    case .closed: try addSealed(record, by: lockWay(of: capsule), to: &gift, &files)
    }
    addTrusteesKey(of: capsule, to: &gift)
    if let trustees, gift.opening?.hasKey == false, let holder = trustees.holder(of: capsule),
      holder != .others
    {
      gift.opening?.add(
        need:
          "The trustees of “\(trustees.group.name)” \(holder == .theirs ? "can" : "may be able to") "
          + "unlock its key for you. Save it as \(SealedOpening.openedKey), and begin the line at “for”."
      )
    }
    if let page = SealedPage(gift) { files.append(page.file) }
    return .gift(
      PlannedGift(bequest: bequest, subjectDigest: record.digest, gift: gift, files: files))
  }

  /// Makes a capsule that was opened into a gift without a person.
  mutating func make(_ opened: OpenedCapsule) -> (gift: Gift, files: [DeliveryFile]) {
    var gift = gift(of: opened.capsule)
    var files: [DeliveryFile] = []
    addContents(of: opened.capsule, opened, to: &gift, &files)
    return (gift, files)
  }

  /// Returns a capsule as a gift, without a message and without its contents.
  private func gift(of capsule: Capsule) -> Gift {
    var gift = Gift(kind: .capsule, title: capsule.title, description: capsule.notes)
    if !capsule.tags.isEmpty {
      gift.details.append(.init("Tags", capsule.tags.joined(separator: ", ")))
    }
    gift.details.append(.init("Sealed on", terms.day(capsule.createdAt)))
    return gift
  }

  /// Finds a file's place in the folder, under a name by which no browser runs what is in it.
  private mutating func place(
    _ wanted: [UInt8], fallback: String, mediaType: String
  ) -> (path: String, isDisarmed: Bool) {
    let name = PortableFileNames.safe(wanted) ?? fallback
    let (safe, isDisarmed) = BrowserSafety.disarmed(name, mediaType: mediaType)
    return ("files/" + fileNames.next(safe, fallback: fallback), isDisarmed)
  }

  /// The largest text file, in bytes, that is shown on the page and in the letter.
  private static let textLimit: Int64 = 1 << 20

  /// The text of a content for the page. One that cannot be read is only a file there: why it cannot is
  /// said when the file is written.
  private func text(at index: Int, of opened: OpenedCapsule) -> String? {
    try? opened.readableText(at: index, limit: Self.textLimit)
  }

  private func text(of attachment: Attachment) -> String? {
    try? store.blobs.readableText(of: attachment, limit: Self.textLimit)
  }

  /// Adds the contents in the clear; a text is shown on the page, too.
  private mutating func addContents(
    of capsule: Capsule, _ opened: OpenedCapsule, to gift: inout Gift,
    _ files: inout [DeliveryFile]
  ) {
    for (index, (content, details)) in zip(capsule.contents, opened.details).enumerated() {
      let fallback = ContentFileNames.fallback(details, number: index + 1)
      let (path, isDisarmed) = place(
        details.name, fallback: fallback, mediaType: details.mediaType)
      gift.files.append(
        GiftFile(
          path: path, title: details.caption ?? "", mediaType: details.mediaType,
          size: details.size, text: text(at: index, of: opened), isNamed: !details.name.isEmpty,
          isDisarmed: isDisarmed))
      files.append(
        DeliveryFile(
          path, size: details.size, modified: details.modified,
          .content(content, details, in: opened)))
    }
  }

  /// Adds what stands for contents that will be readable, and are not yet: their names are sealed too.
  private mutating func addStandIns(
    for capsule: Capsule, _ from: Instant, to gift: inout Gift, _ files: inout [DeliveryFile]
  ) {
    for (index, content) in capsule.contents.enumerated() {
      let isText = content.kind == .text
      let fallback = "\(content.kind.rawValue)-\(index + 1)"
      let path = "files/" + fileNames.next(fallback, fallback: fallback)
      let words = "[This \(isText ? "text" : "file") is sealed until \(terms.dateTime(from)).]"
      gift.files.append(
        GiftFile(
          path: path, mediaType: isText ? "text/plain" : "application/octet-stream",
          size: content.sealedSize, text: isText ? words : nil))
      files.append(DeliveryFile(path, Array(words.utf8)))
    }
  }

  /// The way in which a capsule is opened that stays closed: by its lock, or in an estate by its own key
  /// where the store alone has that.
  private func lockWay(of capsule: Capsule) -> SealedOpening.Way {
    guard capsule.lock.kind == .honor else { return .lock }
    return .key(early: capsule.unlockAt > terms.now ? terms.dateTime(capsule.unlockAt) : nil)
  }

  /// Makes a capsule that is left to nobody into a gift without a person, as its sealed files.
  ///
  /// - Parameter folder: the folder that holds the folders of capsules.
  mutating func makeSealed(
    _ record: StoredRecord<Capsule>, in folder: String
  ) throws -> (gift: Gift, files: [DeliveryFile]) {
    let capsule = record.model
    var gift = gift(of: capsule)
    gift.details.append(.init("To be opened from", terms.dateTime(capsule.dueAt)))
    var way = lockWay(of: capsule)
    if let trustees, capsule.lock.kind != .honor, let holder = trustees.holder(of: capsule),
      holder != .others
    {
      way = .spare(of: trustees.group, isKnown: holder == .theirs)
    }
    var files: [DeliveryFile] = []
    try addSealed(record, by: way, in: folder, to: &gift, &files)
    addTrusteesKey(of: capsule, to: &gift)
    if let page = SealedPage(gift) { files.append(page.file) }
    return (gift, files)
  }

  /// Says where the lock itself may be sealed to the trustees that an estate is for: who it is sealed to cannot be
  /// seen.
  private func addTrusteesKey(of capsule: Capsule, to gift: inout Gift) {
    guard let trustees, capsule.lock.trusteeCopy == .key else { return }
    gift.opening?.add(
      need:
        "Try the key of the trustees of “\(trustees.group.name)” first, the one that opened all of this. "
        + "With the program, “capsule trustees combine -o \(SealedOpening.identityName)” makes it from "
        + "the sheets.")
  }

  /// Adds the key and the contents as they are sealed, in a folder of the capsule's own.
  private mutating func addSealed(
    _ record: StoredRecord<Capsule>, by way: SealedOpening.Way, in parent: String = "sealed",
    to gift: inout Gift, _ files: inout [DeliveryFile]
  ) throws {
    let capsule = record.model
    let folder = "\(parent)/" + folderNames.next(capsule.title, fallback: "capsule")
    func add(_ file: DeliveryFile, _ mediaType: String = "application/age") {
      files.append(file)
      gift.files.append(GiftFile(path: file.path, mediaType: mediaType, size: file.size))
    }
    func add(_ name: String, _ text: String) {
      add(DeliveryFile("\(folder)/\(name)", Array(text.utf8)))
    }
    switch way {
    case .lock: add(SealedOpening.keyName, capsule.lock.key)
    case .spare:
      add(SealedOpening.keyName, capsule.lock.key)
      add(SealedOpening.spareName, capsule.lock.usableSpare ?? "")
    case .key(let early):
      var opening = try CapsuleOpening(record, in: store)
      let key = try opening.honorKey()
      add(DeliveryFile("\(folder)/\(SealedOpening.openedKey)", key), "text/plain")
      if early != nil {
        gift.details.append(.init("Can be opened early", "its key is in the same folder"))
      }
    }
    for (index, content) in capsule.contents.enumerated() {
      let names = SealedOpening.names(of: content, number: index + 1)
      add(names.details, content.sealed)
      if let name = names.bytes, let blob = content.blob {
        add(
          DeliveryFile(
            "\(folder)/\(name)", size: content.sealedSize, modified: nil, .blob(blob)))
      }
    }
    gift.opening = SealedOpening(
      of: capsule, in: folder,
      roundTime: terms.dateTime(capsule.lock.timelock?.roundTime ?? capsule.unlockAt), by: way)
  }
}

/// The way to open a capsule that is handed over sealed: by hand, without this program.
package struct SealedOpening: Hashable, Sendable {
  /// The keys that it takes, and the time from when on: sentences.
  package private(set) var needs: [String]
  /// The line for a shell, to type in the capsule's folder: it opens everything there.
  package let command: String
  /// Whether it takes an age that knows post-quantum keys: version 1.3 or later.
  package let needsPostQuantum: Bool
  /// The folder from that of the hand-over: `sealed/To Mia`.
  package let folder: String

  /// Whether the capsule's key lies beside it, so that nothing else is needed.
  package let hasKey: Bool
  /// Whether that lets it be opened before its time.
  package let isEarly: Bool

  /// The file of the capsule's key.
  package static let keyName = "key.age"
  /// The file of the capsule's key for trustees.
  package static let spareName = "spare.age"
  /// The file of the capsule's key, once it is open.
  package static let openedKey = "key.txt"
  private static let innerName = "inner.age"
  /// The file of the person's own identity in the commands.
  package static let identityName = "identity.txt"

  /// Returns the files of a content: its details, and its bytes unless it is a text.
  package static func names(
    of content: Content, number: Int
  ) -> (details: String, bytes: String?) {
    let stem = "\(content.kind.rawValue)-\(number)"
    return (stem + ".details.age", content.blob == nil ? nil : stem + ".age")
  }

  /// The copy of the key that a capsule is opened by.
  package enum Way: Hashable, Sendable {
    /// The one in its lock.
    case lock
    /// The spare of a group of trustees.
    ///
    /// - Parameter isKnown: whether it is known to be theirs; it may be another group's otherwise.
    case spare(of: TrusteeGroup, isKnown: Bool)
    /// The key itself, which lies beside it.
    ///
    /// - Parameter early: the time before which it was not to be opened, for people, while that has not
    ///   come.
    case key(early: String?)
  }

  /// The way to open a capsule.
  ///
  /// - Parameters:
  ///   - folder: the path of its files, from the hand-over's folder.
  ///   - roundTime: the time at which the round of its timelock is signed, in words for people.
  /// - Returns: `nil` for an honor lock by its ``Way/lock``: that key is the store's alone.
  package init?(
    of capsule: Capsule, in folder: String, roundTime: String, by way: Way = .lock
  ) {
    let lock = capsule.lock
    let isPostQuantum = RecipientText.isMarkedHybrid(lock.recipient)
    // The innermost layer of a timelock is not seen; its recipients are of the capsule's own kind then.
    var needsHybridIdentity = isPostQuantum || Self.isSealedToHybrid(lock)
    var needs: [String] = []
    var steps: [String] = []
    if case .key(let early) = way {
      hasKey = true
      isEarly = early != nil
      needs.append("Its key is in the same folder, as \(Self.openedKey). You need no other key.")
      if let early {
        needs.append("It can be opened early, but it was meant for \(early) or later.")
      }
    } else {
      hasKey = false
      isEarly = false
      Self.describeLock(
        lock, way, roundTime, needsHybridIdentity: &needsHybridIdentity, &needs, &steps)
      if steps.isEmpty { return nil }
    }
    var isSealedToIdentity = lock.kind == .recipients
    if case .spare = way { isSealedToIdentity = true }
    needsPostQuantum = isPostQuantum || needsHybridIdentity && isSealedToIdentity
    if needsPostQuantum {
      needs.append(
        "It is protected against quantum computers, so lines with “-i” need age 1.3 or later. An "
          + "earlier age needs its plugin age-plugin-pq: convert each key first, for example with "
          + "“age-plugin-pq -identity -o key.plugin \(Self.openedKey)”, and write “-i key.plugin”. "
          + "“capsule unseal -i” opens the files too.")
    }
    steps.append(
      "for f in *-[0-9]*.age; do age -d -i \(Self.openedKey) -o \"${f%.age}\" \"$f\"; done")
    self.needs = needs
    command = steps.joined(separator: " && ")
    self.folder = folder
  }

  /// Says how the key is got out of a lock, or of its spare; nothing for an honor lock.
  private static func describeLock(
    _ lock: Lock, _ way: Way, _ roundTime: String, needsHybridIdentity: inout Bool,
    _ needs: inout [String], _ steps: inout [String]
  ) {
    var sealed = Self.keyName
    if case .spare = way { sealed = Self.spareName }
    var inside: LockKind? = lock.kind
    if let timelock = lock.timelock {
      needs.append(
        "Nobody can open it before \(roundTime). From then on drand, a public network, provides what "
          + "is missing: round \(timelock.round) of the chain “\(timelock.beaconID)”.")
      if !timelock.escrow.isEmpty {
        let escrow = timelock.escrow.map(RecipientText.shortened).joined(separator: " or ")
        needs.append(
          "There is one exception: a person with the secret key of \(escrow) can open it at any "
            + "time, with “age -d -i \(Self.identityName)” instead of “tle -d”.")
      }
      let target = timelock.inner == nil ? Self.openedKey : Self.innerName
      steps.append("tle -d -o \(target) \(sealed)")
      sealed = target
      inside = timelock.inner
    }
    if case .spare(let group, let isKnown) = way {
      needsHybridIdentity = group.isPostQuantum
      needs.append(
        "It \(isKnown ? "opens" : "may open") with the key of the trustees of “\(group.name)”, the one "
          + "that opened all of this. Copy that key beside \(sealed) as \(Self.identityName); with the "
          + "program, “capsule trustees combine -o \(Self.identityName)” makes it from the sheets."
          + (isKnown ? "" : " If it does not open, other trustees have its key."))
      steps.append("age -d -i \(Self.identityName) -o \(Self.openedKey) \(sealed)")
      return
    }
    switch inside {
    case .honor: break
    case .passphrase:
      needs.append("You need the passphrase that was chosen for it. The program asks for it.")
      steps.append("age -d -o \(Self.openedKey) \(sealed)")
    case .recipients:
      needs.append(
        "You need the secret key that it was locked for: a file with a line that begins with "
          + "AGE-SECRET-KEY-\(needsHybridIdentity ? "PQ-" : "")1. Copy it beside \(sealed) as \(Self.identityName)."
      )
      steps.append("age -d -i \(Self.identityName) -o \(Self.openedKey) \(sealed)")
    case .timelock, nil: break
    }
  }

  /// Adds a sentence to what it takes.
  package mutating func add(need sentence: String) { needs.append(sentence) }

  /// Whether a post-quantum recipient stands in the outermost layer of a lock.
  private static func isSealedToHybrid(_ lock: Lock) -> Bool {
    guard let reader = try? AgeReader(MemorySource(Array(lock.key.utf8))) else { return false }
    return reader.header.stanzas.contains { $0.kind == KeyKind.hybrid.stanza }
  }

  /// Whether it takes `tle` besides `age`.
  package var needsTimelock: Bool { command.hasPrefix("tle ") }
}
