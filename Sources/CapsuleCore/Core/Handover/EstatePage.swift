/// The first page of an estate, for the trustees: what to do, who receives what, which capsules there are
/// and how they open, and an inventory. It stands alone, as the page of a delivery does.
struct EstatePage {
  private let estate: Estate

  init(_ estate: Estate) {
    self.estate = estate
  }

  /// The page, in UTF-8.
  var bytes: [UInt8] {
    let owner = estate.owner.isEmpty ? "the owner" : estate.owner
    return Array(
      HandoverPage.document(
        title: "Read me first: what \(owner) left",
        "\(header)\(steps)\(people)\(capsules)\(passphrases)\(inventory)\(gaps)"
      ).source.utf8)
  }

  private func name(_ text: String) -> HTML { "<bdi lang=\"\">\(text)</bdi>" }

  private func path(_ text: String) -> HTML { "<bdi class=\"name\" lang=\"\">\(text)</bdi>" }

  private func names(_ texts: [String]) -> HTML {
    var list: HTML = ""
    for (index, text) in texts.enumerated() { list += "\(index > 0 ? ", " : "")\(name(text))" }
    return list
  }

  private var header: HTML {
    let owner: HTML =
      estate.owner.isEmpty
      ? "<h1>Read me first</h1>\n"
      : "<p class=\"for\">Left by</p>\n<h1 dir=\"auto\" lang=\"\">\(estate.owner)</h1>\n"
    return """
      <header>
      \(owner)<p class="date">Made on \(estate.terms.day(estate.terms.now))</p>
      <p class="lead">Please read this page first. It is for the trustees of \
      “\(name(estate.group.name))”, who opened these files together. It says what to do and who receives \
      what. The page works without the internet.</p>
      </header>

      """
  }

  private var steps: HTML {
    """
    <article id="steps">
    <h2>What to do</h2>
    <ol>
    <li>Protect this computer. These files are now unencrypted, and anyone who can use this computer can read \
    them. Use a computer that you trust, and keep it offline.</li>
    <li>Make sure that the time has come. This page shows how things were on the date above. If there is a \
    newer file, or the owner’s store, use that instead.</li>
    <li>Give each person the folder or file listed below with their name. A file that ends in “.tar.age” opens \
    for that person alone. You could read the folders, but please leave them to the people they are for.</li>
    <li>Keep everything in the folder “later” until its date, or give it to someone who will.</li>
    <li>Look at the list of locked capsules below: letters and files that were left to nobody, or that need \
    the trustees’ key. It shows the lines to type.</li>
    <li>When everything is handed over, destroy this folder and the file with the trustees’ key. That key opens \
    everything that was ever locked for the trustees.</li>
    </ol>
    </article>

    """
  }

  private var people: HTML {
    guard !estate.deliveries.isEmpty else {
      return """
        <article id="people">
        <h2>Who receives what</h2>
        <p>Nobody was named to receive anything.</p>
        </article>

        """
    }
    var list: HTML = "<article id=\"people\">\n<h2>Who receives what</h2>\n"
    for delivery in estate.deliveries { list += person(delivery) }
    return "\(list)</article>\n"
  }

  private func person(_ delivery: PersonalDelivery) -> HTML {
    let person = delivery.person
    var details: HTML = ""
    func add(_ label: String, _ value: String) {
      guard !value.isEmpty else { return }
      details +=
        "<div><dt>\(label)</dt><dd dir=\"auto\" lang=\"\">\(value)</dd></div>\n"
    }
    add("Relationship", person.relationship)
    add("Email", person.email)
    add("Phone", person.phone)
    add("Contact", person.contact)
    add("Not before", delivery.notBefore.map(estate.terms.dateTime) ?? "")
    let place = estate.place(of: delivery)
    let kind: HTML =
      person.recipient.isEmpty
      ? "In the folder \(path(place)). The folder is not encrypted, because this person has no key."
      : """
      In the file \(path(place)), which only this person can open, with \
      <code>age -d -i identity.txt FILE | tar -x</code>.
      """
    let list: HTML = details.source.isEmpty ? "" : "<dl>\n\(details)</dl>\n"
    var gifts: HTML = ""
    for gift in delivery.gifts {
      let thing: HTML = gift.gift.opening == nil ? "" : ", still locked"
      let early: HTML = gift.gift.isEarly ? "; can be opened early" : ""
      let kind = gift.gift.kind.rawValue
      gifts += """
        <li>\(name(gift.gift.title)) <span class="facts">\(kind)\(thing)\(early)</span></li>

        """
    }
    return """
      <section class="sealed">
      <h3 dir="auto" lang="">\(person.name)</h3>
      <p>\(kind)</p>
      \(list)<ul class="files">
      \(gifts)</ul>
      </section>

      """
  }

  /// The capsules that lie in folders of their own, each as the gift on a person's page.
  private var capsules: HTML {
    var all: HTML = ""
    var number = 0
    for capsule in estate.capsules {
      guard case .folder(let gift) = capsule.place else { continue }
      number += 1
      all += GiftArticle(gift: gift, number: number, owner: "").html
    }
    guard number > 0 else { return "" }
    return """
      <section class="later">
      <h2>Locked capsules</h2>
      <p>These letters and files are in the folder \(path("capsules")), still locked. Each entry says how to \
      open it.</p>
      </section>
      \(all)
      """
  }

  private var passphrases: HTML {
    let closed = estate.capsules.filter {
      if case .passphrase = $0.place { true } else { false }
    }
    guard !closed.isEmpty else { return "" }
    var list: HTML = ""
    for capsule in closed { list += "<li>\(name(capsule.title))</li>\n" }
    return """
      <article id="closed">
      <h2>What you cannot open</h2>
      <p>Only someone who knows the passphrase can open these. The trustees’ key does not open them.</p>
      <ul class="files">
      \(list)</ul>
      </article>

      """
  }

  private var inventory: HTML {
    guard !estate.items.isEmpty else { return "" }
    var list: HTML = ""
    for entry in estate.items {
      let item = entry.item
      var facts: [String] = [item.category, item.location].filter { !$0.isEmpty }
      if item.quantity != 1 { facts.append("\(item.quantity) of them") }
      if let value = item.value {
        facts.append("worth \(value)\(item.quantity == 1 ? "" : " each")")
      }
      var people: HTML = entry.heirs.isEmpty ? "" : "left to \(names(entry.heirs))"
      for person in entry.handedOver {
        let comma = people.source.isEmpty ? "" : ", "
        people += "\(comma)handed over to \(name(person.name)) on \(estate.terms.day(person.at))"
      }
      if people.source.isEmpty { people = "left to nobody" }
      var words: HTML = ""
      for fact in facts { words += "\(name(fact)) · " }
      let about: HTML =
        item.description.isEmpty
        ? "" : "<div class=\"words about\" dir=\"auto\" lang=\"\">\(item.description)</div>\n"
      list += """
        <li>\(name(item.name)) <span class="facts">\(words)\(people)</span>
        \(about)</li>

        """
    }
    return """
      <article id="inventory">
      <h2>Inventory</h2>
      <ul class="files">
      \(list)</ul>
      </article>

      """
  }

  /// A word on what could not be read.
  private var gaps: HTML {
    guard !estate.issues.isEmpty else { return "" }
    return """
      <article id="gaps">
      <h2>What is missing</h2>
      <p>When this was made, some of the owner’s records could not be read or were missing. They are not \
      included here. The owner’s store, or a backup of it, may still have them.</p>
      </article>

      """
  }
}
