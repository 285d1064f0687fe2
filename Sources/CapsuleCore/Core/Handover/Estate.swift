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
  /// The file that is read first, in that folder.
  package static let pageName = "READ-ME-FIRST.html"

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
  /// - Throws: a ``Fault`` of the settings; the first problem of a person's delivery or of a capsule:
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

/// The first page of an estate, for the trustees: what to do, who receives what, which capsules there are
/// and how they open, and an inventory. It stands alone, as the page of a delivery does.
extension Estate {
  /// The page, in UTF-8.
  var page: [UInt8] {
    let owner = owner.isEmpty ? "the owner" : owner
    return Page.bytes(
      .html, title: HandoverPage.plain("Read me first: what \(owner) left"), HandoverPage.style
    ) { page in
      header(&page)
      steps(&page)
      people(&page)
      capsules(&page)
      passphrases(&page)
      inventory(&page)
      gaps(&page)
    }
  }

  private func header(_ page: inout Page) {
    page.element("header") { page in
      page.html(
        owner.isEmpty
          ? "<h1>Read me first</h1>\n"
          : "<p class=\"for\">Left by</p>\n<h1 dir=\"auto\" lang=\"\">\(owner)</h1>\n")
      page.paragraph("Made on \(terms.day(terms.now))", class: "date")
      page.paragraph(
        "Please read this page first. It is for the trustees of “", .name(group.name),
        """
        ”, who opened these files together. It says what to do and who receives what. The page works \
        without the internet.
        """, class: "lead")
    }
  }

  private func steps(_ page: inout Page) {
    page.article("steps", "What to do") { page in
      page.steps([
        """
        Protect this computer. These files are now unencrypted, and anyone who can use this computer can read \
        them. Use a computer that you trust, and keep it offline.
        """,
        """
        Make sure that the time has come. This page shows how things were on the date above. If there is a \
        newer file, or the owner’s store, use that instead.
        """,
        """
        Give each person the folder or file listed below with their name. A file that ends in “.tar.age” opens \
        for that person alone. You could read the folders, but please leave them to the people they are for.
        """,
        "Keep everything in the folder “later” until its date, or give it to someone who will.",
        """
        Look at the list of locked capsules below: letters and files that were left to nobody, or that need \
        the trustees’ key. It shows the lines to type.
        """,
        """
        When everything is handed over, destroy this folder and the file with the trustees’ key. That key opens \
        everything that was ever locked for the trustees.
        """,
      ])
    }
  }

  private func people(_ page: inout Page) {
    page.article("people", "Who receives what") { page in
      if deliveries.isEmpty { page.paragraph("Nobody was named to receive anything.") }
      for delivery in deliveries { write(delivery, &page) }
    }
  }

  private func write(_ delivery: PersonalDelivery, _ page: inout Page) {
    let person = delivery.person
    let place = place(of: delivery)
    let facts = [
      ("Relationship", person.relationship), ("Email", person.email), ("Phone", person.phone),
      ("Contact", person.contact),
      ("Not before", delivery.notBefore.map(terms.dateTime) ?? ""),
    ]
    page.element("section", class: "sealed") { page in
      page.html("<h3 dir=\"auto\" lang=\"\">\(person.name)</h3>\n")
      page.paragraph(
        person.recipient.isEmpty
          ? [
            "In the folder ", .path(place),
            ". The folder is not encrypted, because this person has no key.",
          ]
          : [
            "In the file ", .path(place), ", which only this person can open, with ",
            .code("age -d -i identity.txt FILE | tar -x"), ".",
          ])
      page.facts(facts.filter { !$0.1.isEmpty })
      list(&page) { page in
        for gift in delivery.gifts.map(\.gift) {
          let thing = gift.opening == nil ? "" : ", still locked"
          let early = gift.isEarly ? "; can be opened early" : ""
          page.html(
            """
            <li>\(name: gift.title) <span class="facts">\(gift.kind.rawValue)\(thing)\(early)</span></li>

            """)
        }
      }
    }
  }

  private func list(_ page: inout Page, _ body: (inout Page) -> Void) {
    page.element("ul", class: "files", body)
  }

  /// The capsules that lie in folders of their own, each as the gift on a person's page.
  private func capsules(_ page: inout Page) {
    let gifts = capsules.compactMap {
      if case .folder(let gift) = $0.place { gift } else { nil }
    }
    guard !gifts.isEmpty else { return }
    page.element("section", class: "later") { page in
      page.html("<h2>Locked capsules</h2>\n")
      page.paragraph(
        "These letters and files are in the folder ", .path("capsules"),
        ", still locked. Each entry says how to open it.")
    }
    for (index, gift) in gifts.enumerated() {
      GiftArticle(gift: gift, number: index + 1, owner: "").write(to: &page)
    }
  }

  private func passphrases(_ page: inout Page) {
    let closed = capsules.filter { if case .passphrase = $0.place { true } else { false } }
    guard !closed.isEmpty else { return }
    page.article("closed", "What you cannot open") { page in
      page.paragraph(
        "Only someone who knows the passphrase can open these. The trustees’ key does not open them."
      )
      list(&page) { page in
        for capsule in closed { page.html("<li>\(name: capsule.title)</li>\n") }
      }
    }
  }

  private func inventory(_ page: inout Page) {
    guard !items.isEmpty else { return }
    page.article("inventory", "Inventory") { page in
      list(&page) { page in
        for entry in items { write(entry, &page) }
      }
    }
  }

  private func write(_ entry: EstateItem, _ page: inout Page) {
    let item = entry.item
    var facts: [String] = [item.category, item.location].filter { !$0.isEmpty }
    if item.quantity != 1 { facts.append("\(item.quantity) of them") }
    if let value = item.value {
      facts.append("worth \(value)\(item.quantity == 1 ? "" : " each")")
    }
    var words: HTML = ""
    for fact in facts { words += "\(name: fact) · " }
    var people: [HTML] = entry.handedOver.map {
      "handed over to \(name: $0.name) on \(terms.day($0.at))"
    }
    if !entry.heirs.isEmpty {
      people.insert("left to \(HTML.listed(entry.heirs.map { "\(name: $0)" }))", at: 0)
    }
    if people.isEmpty { people = ["left to nobody"] }
    page.html(
      "<li>\(name: item.name) <span class=\"facts\">\(words)\(HTML.listed(people))</span>\n")
    if !item.description.isEmpty { page.words(item.description, class: "words about") }
    page.html("</li>\n")
  }

  /// A word on what could not be read.
  private func gaps(_ page: inout Page) {
    guard !issues.isEmpty else { return }
    page.article("gaps", "What is missing") { page in
      page.paragraph(
        """
        When this was made, some of the owner’s records could not be read or were missing. They are not \
        included here. The owner’s store, or a backup of it, may still have them.
        """)
    }
  }

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
    try tar.addAlone(DeliveryFile(Self.pageName, page), in: Self.root)
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
    Fault.stream(error).ofDelivery(file) { name in "'\(name)' of '\(capsule.title)'" }
  }

  /// Refuses a place where an estate must not lie, or where something lies.
  package static func requirePlace(
    _ path: FilePath, replacing: Bool, in files: any FileSystem
  ) throws {
    try files.requireOutsideStores(path.parent, for: path)
    guard !replacing else { return }
    for path in [path] + places(beside: path) { try files.requireFree(path) }
  }

  /// The files beside a file: its list, its page, and the program that joins shares.
  private static func places(beside file: FilePath) -> [FilePath] {
    [
      EstateList.path(beside: file), EstateGuide.path(beside: file),
      EstateGuide.joinPath(beside: file),
    ]
  }

  /// The page beside a file, which says how it is opened.
  package static func page(beside file: FilePath) -> FilePath { EstateGuide.path(beside: file) }

  /// Writes the file and what is beside it, each whole or not at all. All of it is written before the file
  /// has its name, and gets its own after it.
  ///
  /// - Parameter replacing: whether files that have the names are replaced.
  /// - Returns: the list.
  /// - Throws: the error of `watch`, ``Fault``, a ``Fault``, …; neither
  ///   is there then, or both are as they were, unless only a name beside the file could not be made.
  package func write(
    to path: FilePath, replacing: Bool, from store: Store, watch: WorkWatch
  ) throws -> EstateList {
    var list = list
    func writeBeside(
      _ path: FilePath, _ body: (inout FileSink) throws -> Void
    ) throws {
      try store.files.writeBeside(
        path, replacing: replacing, random: store.environment.random, body)
    }
    try writeBeside(EstateGuide.path(beside: path)) { page in
      try EstateGuide(estate: self, file: path).html.withUnsafeBytes { try page.write($0) }
      try writeBeside(EstateGuide.joinPath(beside: path)) { program in
        try JoinProgram.bytes(for: group).withUnsafeBytes { try program.write($0) }
        try writeBeside(EstateList.path(beside: path)) { listSink in
          try writeBeside(path) { sink in
            var written = try write(to: DigestingSink(sink), from: store, watch: watch)
            list.note(digest: written.digest(), size: written.count)
            try list.bytes.withUnsafeBytes { try listSink.write($0) }
          }
        }
      }
    }
    return list
  }
}
