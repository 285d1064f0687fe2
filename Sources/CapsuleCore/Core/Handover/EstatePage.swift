/// The first page of an estate, for the trustees: what to do, who receives what, which capsules there are
/// and how they open, and an inventory. It stands alone, as the page of a delivery does.
extension Estate {
  /// The page, in UTF-8.
  var page: [UInt8] {
    let owner = owner.isEmpty ? "the owner" : owner
    return Page(HandoverPage.plain("Read me first: what \(owner) left"), HandoverPage.style) {
      pen in
      header(&pen)
      steps(&pen)
      people(&pen)
      capsules(&pen)
      passphrases(&pen)
      inventory(&pen)
      gaps(&pen)
    }.bytes(.html)
  }

  private func header(_ pen: inout Pen) {
    pen.element("header") { pen in
      pen.html(
        owner.isEmpty
          ? "<h1>Read me first</h1>\n"
          : "<p class=\"for\">Left by</p>\n<h1 dir=\"auto\" lang=\"\">\(owner)</h1>\n")
      pen.paragraph("Made on \(terms.day(terms.now))", class: "date")
      pen.paragraph(
        """
        Please read this page first. It is for the trustees of “\(name: group.name)”, who opened these \
        files together. It says what to do and who receives what. The page works without the internet.
        """, class: "lead")
    }
  }

  private func steps(_ pen: inout Pen) {
    article("steps", "What to do", &pen) { pen in
      pen.steps([
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
    _ id: String, _ heading: HTML, _ pen: inout Pen, _ body: (inout Pen) -> Void
  ) {
    pen.element("article", id: id) { pen in
      pen.html("<h2>\(heading)</h2>\n")
      body(&pen)
    }
  }

  private func people(_ pen: inout Pen) {
    article("people", "Who receives what", &pen) { pen in
      if deliveries.isEmpty { pen.paragraph("Nobody was named to receive anything.") }
      for delivery in deliveries { write(delivery, &pen) }
    }
  }

  private func write(_ delivery: PersonalDelivery, _ pen: inout Pen) {
    let person = delivery.person
    let place = place(of: delivery)
    let facts = [
      ("Relationship", person.relationship), ("Email", person.email), ("Phone", person.phone),
      ("Contact", person.contact),
      ("Not before", delivery.notBefore.map(terms.dateTime) ?? ""),
    ]
    pen.element("section", class: "sealed") { pen in
      pen.html("<h3 dir=\"auto\" lang=\"\">\(person.name)</h3>\n")
      let command = "age -d -i identity.txt FILE | tar -x"
      pen.paragraph(
        person.recipient.isEmpty
          ? "In the folder \(path: place). The folder is not encrypted, because this person has no key."
          : """
          In the file \(path: place), which only this person can open, with \
          \("<code>\(command)</code>", text: command).
          """)
      pen.facts(facts.filter { !$0.1.isEmpty })
      list(&pen) { pen in
        for gift in delivery.gifts.map(\.gift) {
          let thing = gift.opening == nil ? "" : ", still locked"
          let early = gift.isEarly ? "; can be opened early" : ""
          pen.html(
            """
            <li>\(name: gift.title) <span class="facts">\(gift.kind.rawValue)\(thing)\(early)</span></li>

            """)
        }
      }
    }
  }

  private func list(_ pen: inout Pen, _ body: (inout Pen) -> Void) {
    pen.element("ul", class: "files", body)
  }

  /// The capsules that lie in folders of their own, each as the gift on a person's page.
  private func capsules(_ pen: inout Pen) {
    let gifts = capsules.compactMap {
      if case .folder(let gift) = $0.place { gift } else { nil }
    }
    guard !gifts.isEmpty else { return }
    pen.element("section", class: "later") { pen in
      pen.html("<h2>Locked capsules</h2>\n")
      pen.paragraph(
        """
        These letters and files are in the folder \(path: "capsules"), still locked. Each entry says how to \
        open it.
        """)
    }
    for (index, gift) in gifts.enumerated() {
      GiftArticle(gift: gift, number: index + 1, owner: "").write(&pen)
    }
  }

  private func passphrases(_ pen: inout Pen) {
    let closed = capsules.filter { if case .passphrase = $0.place { true } else { false } }
    guard !closed.isEmpty else { return }
    article("closed", "What you cannot open", &pen) { pen in
      pen.paragraph(
        "Only someone who knows the passphrase can open these. The trustees’ key does not open them."
      )
      list(&pen) { pen in
        for capsule in closed { pen.html("<li>\(name: capsule.title)</li>\n") }
      }
    }
  }

  private func inventory(_ pen: inout Pen) {
    guard !items.isEmpty else { return }
    article("inventory", "Inventory", &pen) { pen in
      list(&pen) { pen in
        for entry in items { write(entry, &pen) }
      }
    }
  }

  private func write(_ entry: EstateItem, _ pen: inout Pen) {
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
    pen.html("<li>\(name: item.name) <span class=\"facts\">\(words)\(HTML.listed(people))</span>\n")
    if !item.description.isEmpty { pen.words(item.description, class: "words about") }
    pen.html("</li>\n")
  }

  /// A word on what could not be read.
  private func gaps(_ pen: inout Pen) {
    guard !issues.isEmpty else { return }
    article("gaps", "What is missing", &pen) { pen in
      pen.paragraph(
        """
        When this was made, some of the owner’s records could not be read or were missing. They are not \
        included here. The owner’s store, or a backup of it, may still have them.
        """)
    }
  }
}
