/// Makes gifts of items and capsules, and gives their files names within one person's folder.
struct GiftMaker {
  private let store: Store
  private let terms: DeliveryTerms
  private let opening: (StoredRecord<Capsule>) throws -> UnattendedOutcome
  private var fileNames = PortableFileNames()
  private var folderNames = PortableFileNames()

  init(
    store: Store, terms: DeliveryTerms,
    opening: @escaping (StoredRecord<Capsule>) throws -> UnattendedOutcome
  ) {
    self.store = store
    self.terms = terms
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
      return .gift(make(try store.readIntact(Item.self, subject.id).model, bequest))
    }
    return try make(try store.read(Capsule.self, subject.id), bequest)
  }

  private mutating func make(
    _ item: Item, _ bequest: StoredRecord<Bequest>
  ) -> PlannedGift {
    var details: [Gift.Detail] = []
    func add(_ label: String, _ value: String) {
      if !value.isEmpty { details.append(.init(label, value)) }
    }
    add("Category", item.category)
    add("Location", item.location)
    add("Quantity", item.quantity == 1 ? "" : String(item.quantity))
    add("Tags", item.tags.joined(separator: ", "))
    if terms.withValues {
      add("Value", item.value?.description ?? "")
      add("Replacement value", item.replacementValue?.description ?? "")
    }
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
    return PlannedGift(
      bequest: bequest,
      gift: Gift(
        kind: .item, title: item.name, message: bequest.model.message,
        description: item.description, details: details, files: shown),
      files: files)
  }

  private mutating func make(
    _ record: StoredRecord<Capsule>, _ bequest: StoredRecord<Bequest>
  ) throws -> Outcome {
    let capsule = record.model
    var gift = Gift(
      kind: .capsule, title: capsule.title, message: bequest.model.message,
      description: capsule.notes)
    if !capsule.tags.isEmpty {
      gift.details.append(.init("Tags", capsule.tags.joined(separator: ", ")))
    }
    gift.details.append(.init("Sealed on", terms.day(capsule.createdAt)))
    var files: [DeliveryFile] = []
    switch try opening(record) {
    case .opened(let opened): addContents(of: capsule, opened, to: &gift, &files)
    case .locked(let until):
      guard capsule.lock.kind != .honor else {
        return .leftOut(
          PersonalDelivery.LeftOut(
            bequest: bequest.model.id,
            subject: bequest.model.subject, title: capsule.title, until: until))
      }
      gift.details.append(.init("To be opened from", terms.dateTime(until)))
      addSealed(capsule, to: &gift, &files)
    case .closed: addSealed(capsule, to: &gift, &files)
    }
    return .gift(PlannedGift(bequest: bequest, gift: gift, files: files))
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
    try? store.readableText(of: attachment, limit: Self.textLimit)
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

  /// Adds the key and the contents as they are sealed, in a folder of the capsule's own.
  private mutating func addSealed(
    _ capsule: Capsule, to gift: inout Gift, _ files: inout [DeliveryFile]
  ) {
    let folder = "sealed/" + folderNames.next(capsule.title, fallback: "capsule")
    func add(_ file: DeliveryFile) {
      files.append(file)
      gift.files.append(GiftFile(path: file.path, mediaType: "application/age", size: file.size))
    }
    add(DeliveryFile("\(folder)/\(SealedOpening.keyName)", Array(capsule.lock.key.utf8)))
    for (index, content) in capsule.contents.enumerated() {
      let names = SealedOpening.names(of: content, number: index + 1)
      add(DeliveryFile("\(folder)/\(names.details)", Array(content.sealed.utf8)))
      if let name = names.bytes, let blob = content.blob {
        add(
          DeliveryFile(
            "\(folder)/\(name)", size: content.sealedSize, modified: nil, .blob(blob)))
      }
    }
    gift.opening = SealedOpening(
      of: capsule, in: folder,
      roundTime: terms.dateTime(capsule.lock.timelock?.roundTime ?? capsule.unlockAt))
  }
}
