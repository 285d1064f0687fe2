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
    article("steps", "What to do", &page) { page in
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

  private func article(
    _ id: String, _ heading: HTML, _ page: inout Page, _ body: (inout Page) -> Void
  ) {
    page.element("article", id: id) { page in
      page.html("<h2>\(heading)</h2>\n")
      body(&page)
    }
  }

  private func people(_ page: inout Page) {
    article("people", "Who receives what", &page) { page in
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
    article("closed", "What you cannot open", &page) { page in
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
    article("inventory", "Inventory", &page) { page in
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
    article("gaps", "What is missing", &page) { page in
      page.paragraph(
        """
        When this was made, some of the owner’s records could not be read or were missing. They are not \
        included here. The owner’s store, or a backup of it, may still have them.
        """)
    }
  }
}
