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
        title: "Read me first: what \(owner) leaves",
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
      ? "<h1>What is left behind</h1>\n"
      : "<p class=\"for\">What is left by</p>\n<h1 dir=\"auto\" lang=\"\">\(estate.owner)</h1>\n"
    return """
      <header>
      \(owner)<p class="date">Put together on \(estate.terms.day(estate.terms.now))</p>
      <p class="lead">Read this first. It is for the trustees of “\(name(estate.group.name))”, who opened it \
      together. It says who receives what, and needs nothing but a browser, and no network.</p>
      </header>

      """
  }

  private var steps: HTML {
    """
    <article id="steps">
    <h2>What to do</h2>
    <ol>
    <li>Everything here lies open now on this computer, for everybody who can use it: take one that you trust, \
    and keep it off the network.</li>
    <li>Make sure that the time has come. What is in here stands as it was on the date above; a newer file, \
    or the owner’s store, counts more.</li>
    <li>Give each person what is theirs: the folder or the file that stands under the name below. A file that \
    ends in “.tar.age” is sealed to the person and to nobody else. A folder you can read, too: it is not meant \
    for you.</li>
    <li>What stands under “later” waits for its date. Keep it until then, or give it to somebody who does.</li>
    <li>Capsules that were left to nobody, or that take the key of the trustees, are listed below with what to \
    type.</li>
    <li>When all is handed over, destroy this folder and the file with the key of the trustees: it opens \
    everything that was ever sealed to them.</li>
    </ol>
    </article>

    """
  }

  private var people: HTML {
    guard !estate.deliveries.isEmpty else {
      return """
        <article id="people">
        <h2>Who receives what</h2>
        <p>Nothing is left to anybody.</p>
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
      ? "In the folder \(path(place)), which you can read, too: the person has no key to seal it to."
      : """
      In the file \(path(place)), which only the person can open, with \
      <code>age -d -i identity.txt FILE | tar -x</code>.
      """
    let list: HTML = details.source.isEmpty ? "" : "<dl>\n\(details)</dl>\n"
    var gifts: HTML = ""
    for gift in delivery.gifts {
      let thing: HTML = gift.gift.opening == nil ? "" : ", as its sealed files"
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
      <h2>Sealed capsules</h2>
      <p>They lie in the folder \(path("capsules")), as they were sealed.</p>
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
      <p>These are sealed with a passphrase, and have no spare for you. Only who knows the passphrase opens \
      them.</p>
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
      <p>When this was put together some records of the store could not be read, or were not there any more. \
      What they say is not in here; the store itself, or a backup of it, may have it.</p>
      </article>

      """
  }
}
