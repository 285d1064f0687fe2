/// All that is handed over when the owner is gone, as one file for a group of trustees: what each person
/// would receive if the passing were declared now, the capsules that stay sealed, and an inventory.
package struct Estate {
  /// The name of the owner; empty where it is not known.
  package let owner: String
  /// The trustees whom it is sealed to.
  package let trustees: VouchedTrustees
  package let terms: DeliveryTerms
  /// The recipients of the people who have one.
  let recipients: [RecordID: AgeRecipient]
  /// Person by person; what waits for a date apart.
  package let deliveries: [PersonalDelivery]
  /// Every capsule of the store.
  package let capsules: [EstateCapsule]
  /// Every item of the store.
  package let items: [EstateItem]
  /// The issues in the order in which they were found.
  package let issues: [DeliveryIssue]
  /// The records that it is made of, as they were then.
  package let list: EstateList

  package var group: TrusteeGroup { trustees.group }

  /// The folder that everything is in.
  static let root = "estate"

  /// Whether there is nothing at all to hand over.
  package var isEmpty: Bool { deliveries.isEmpty && capsules.isEmpty && items.isEmpty }

  /// The bytes of all files, without the pages and letters.
  package var size: Int64 {
    (deliveries.map(\.size) + capsules.flatMap { $0.files.map(\.size) })
      .reduce(0) { $0.addingClamped($1) }
  }

  /// The folder of a person's delivery, or the file that it is sealed in, from the root.
  package func place(of delivery: PersonalDelivery) -> String {
    let folder = delivery.notBefore.map { "later/\(terms.date($0))" } ?? "people"
    return "\(folder)/\(delivery.name)" + (delivery.person.recipient.isEmpty ? "" : ".tar.age")
  }
}

/// A capsule in an estate.
package struct EstateCapsule {
  package let id: RecordID
  package let title: String
  package let place: Place
  /// Its files in the folder of capsules; none where it is not there.
  let files: [DeliveryFile]

  /// The place where the capsule is, and the people who can open it.
  package enum Place {
    /// It is with the people whom it is left to and nowhere else: they need nothing more to open it.
    case people([String])
    /// It is among the capsules, as its sealed files.
    case folder(Gift)
    /// It is nowhere, or with people who know its passphrase: the trustees cannot open it.
    case passphrase
  }

  /// Whether the trustees can open it before its time, by the key beside it.
  package let isEarly: Bool
  /// Whose spare it has.
  package let spare: SpareHolders.Holder?
}

/// A line of the inventory.
package struct EstateItem {
  package let item: Item
  /// The names of the people whom it is left to.
  package let heirs: [String]
  /// The people to whom it was handed over before.
  let handedOver: [HandedOver]

  /// Somebody to whom a thing was handed over.
  struct HandedOver {
    let name: String
    let at: Instant
  }
}

extension StoreHandover {
  /// Finds everything that an estate holds; nothing is written.
  ///
  /// - Parameter opening: opens a capsule without asking anybody, as for a delivery.
  /// - Throws: a ``StoreError`` of the settings; the first problem of a person's delivery or of a capsule:
  ///   of an estate nothing is left out but what cannot be read, which its issues say.
  package func estate(
    for vouched: VouchedTrustees, _ terms: DeliveryTerms,
    opening: @escaping (StoredRecord<Capsule>) throws -> UnattendedOutcome
  ) throws -> Estate {
    let settings = try store.settings.intact()
    let group = vouched.group
    // The list is made first: what changes while the rest is read counts as changed since.
    let list = EstateList(of: store, for: group, settings, now: terms.now)
    let trustees = SpareHolders(of: group, in: store, now: terms.now)
    var planner = DeliveryPlanner(
      store: store, terms: terms, passing: settings.passing?.at ?? terms.now, trustees: trustees,
      opening: opening)
    let deliveries = planner.deliveries(to: nil)
    for delivery in deliveries {
      if let problem = delivery.problem { throw problem }
    }
    let recipients = try store.trust.recipients(of: deliveries.map(\.person))
    var inventory = EstateInventory(
      store: store, terms: terms, trustees: trustees, deliveries, handedOver: planner.handedOver())
    var items = store.index.open(.item, now: terms.now)
    try items.forEach(.ascending) { entry in
      if !entry.summary.isEmpty { try inventory.addItem(entry.id) }
      return true
    }
    planner.noteProblems(of: &items)
    var capsules = store.index.open(.capsule, now: terms.now)
    try capsules.forEach(.ascending) { entry in
      if !entry.summary.isEmpty { try inventory.addCapsule(entry.id) }
      return true
    }
    planner.noteProblems(of: &capsules)
    return Estate(
      owner: settings.owner, trustees: vouched, terms: terms, recipients: recipients,
      deliveries: deliveries,
      capsules: inventory.capsules, items: inventory.items, issues: planner.issues, list: list)
  }
}

/// The items and capsules of an estate, as they are found.
private struct EstateInventory {
  private let store: Store
  private let terms: DeliveryTerms
  private let trustees: SpareHolders
  private var maker: GiftMaker
  /// The names of those who receive a thing.
  private var heirs: [RecordReference: [String]] = [:]
  /// The names of those who receive a capsule and need nothing more to open it.
  private var holders: [RecordID: [String]] = [:]
  private let handedOver: [RecordReference: [EstateItem.HandedOver]]
  private(set) var items: [EstateItem] = []
  private(set) var capsules: [EstateCapsule] = []

  init(
    store: Store, terms: DeliveryTerms, trustees: SpareHolders, _ deliveries: [PersonalDelivery],
    handedOver: [RecordReference: [EstateItem.HandedOver]]
  ) {
    self.store = store
    self.handedOver = handedOver
    self.trustees = trustees
    self.terms = terms
    maker = GiftMaker(
      store: store, terms: terms, trustees: trustees, opening: { .locked(until: $0.model.unlockAt) }
    )
    for delivery in deliveries {
      for gift in delivery.gifts {
        let subject = gift.bequest.model.subject
        heirs[subject, default: []].append(delivery.person.name)
        if gift.gift.opening?.hasKey ?? true {
          holders[subject.id, default: []].append(delivery.person.name)
        }
      }
    }
  }

  mutating func addItem(_ id: RecordID) throws {
    let item = try store.readIntact(Item.self, id).model
    let reference = RecordReference(.item, id)
    items.append(
      EstateItem(
        item: item, heirs: heirs[reference] ?? [], handedOver: handedOver[reference] ?? []))
  }

  mutating func addCapsule(_ id: RecordID) throws {
    let record = try store.readIntact(Capsule.self, id)
    let capsule = record.model
    var files: [DeliveryFile] = []
    let place: EstateCapsule.Place
    let spare = trustees.holder(of: capsule)
    let asksForPassphrase = (capsule.lock.timelock?.inner ?? capsule.lock.kind) == .passphrase
    if let names = holders[id] {
      place = .people(names)
    } else if asksForPassphrase, spare == nil || spare == .others {
      place = .passphrase
    } else {
      let made = try maker.makeSealed(record, in: "capsules")
      files = made.files
      place = .folder(made.gift)
    }
    capsules.append(
      EstateCapsule(
        id: id, title: capsule.title, place: place, files: files,
        isEarly: capsule.lock.kind == .honor && capsule.unlockAt > terms.now, spare: spare))
  }
}
