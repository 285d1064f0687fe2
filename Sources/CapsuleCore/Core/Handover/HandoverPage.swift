/// A hand-over as a page, `index.html`, and as a letter in plain text. Nothing on the page runs, and it shows
/// nothing from outside its folder.
///
/// On the page every text from outside is an element of its own with its own direction, isolated from what stands
/// around it, and clipped to its box; its characters are all kept, also those that act on the direction of text,
/// because they end with the element.
package struct HandoverPage {
  /// The place of a letter.
  package enum Form: Hashable, Sendable {
    /// The letter is in the folder, beside the page and the files.
    case folder
    /// The letter is in mail: the files are not beside it, but for those that go with it.
    ///
    /// - Parameter attached: the names of these, by their paths in the folder.
    case mail(attached: [String: String])
  }

  let handover: Handover
  var form = Form.folder

  /// The page, in UTF-8.
  package var html: [UInt8] { page.bytes(.html) }

  /// The letter, in UTF-8.
  package var letter: [UInt8] { page.bytes(.letter) }

  /// The style of a page in a folder, which may show its own style and the folder's images, sounds and films;
  /// nothing else. The scheme stands beside `'self'` because a page opened from a disk has no origin in some
  /// browsers.
  static let style = PageStyle.folder(
    rules: PageStyle.letter,
    policy: "default-src 'none'; "
      + "style-src 'sha256-\(Base64.encode(SHA256.hash(Array(PageStyle.letter.utf8)), padded: true))'; "
      + "img-src 'self' file:; media-src 'self' file:; base-uri 'none'; form-action 'none'")

  private var page: Page {
    Page(Self.plain("For \(handover.person)"), Self.style) { pen in
      header(&pen)
      contents(&pen)
      for (index, gift) in handover.gifts.enumerated() {
        let isAlone = form != .folder && handover.gifts.count == 1
        GiftArticle(
          gift: gift, number: index + 1, isNumbered: !isAlone, owner: handover.owner, form: form
        ).write(&pen)
      }
      leftOut(&pen)
      pen.html(
        """
        <footer>
        <p>The same text is in <a href="letter.txt">letter.txt</a>, without the pictures.</p>
        </footer>

        """)
    }
  }

  private func header(_ pen: inout Pen) {
    pen.element("header") { pen in
      pen.html("<p class=\"for\">For</p>\n<h1 dir=\"auto\" lang=\"\">\(handover.person)</h1>\n")
      pen.line("For \(handover.person)")
      if !handover.owner.isEmpty { pen.paragraph("from \(name: handover.owner)", class: "from") }
      pen.paragraph("\(handover.date)", class: "date")
      if !handover.notBefore.isEmpty {
        pen.paragraph("To be handed over on or after \(handover.notBefore)", class: "date")
      }
      pen.space()
      pen.paragraph("\(gift) \(lead(onPage: pen.isHTML))", class: "lead")
    }
  }

  private var gift: Prose {
    handover.owner.isEmpty
      ? "This was set aside for you." : "\(name: handover.owner) set this aside for you."
  }

  private func lead(onPage isPage: Bool) -> String {
    let together = "Keep this folder together with all its files."
    let offline = "The page works without the internet."
    if isPage { return "\(together) \(offline)" }
    switch form {
    case .folder:
      return
        "To see everything, with pictures and sounds, open index.html in a browser. \(offline) \(together)"
    case .mail(let attached):
      return "This message was sent automatically."
        + (attached.isEmpty ? "" : " The files are attached.")
    }
  }

  /// A list of the gifts, where there are so many that one has to look for them.
  private func contents(_ pen: inout Pen) {
    guard pen.isHTML, handover.gifts.count > 2 else { return }
    pen.html("<nav aria-label=\"Contents\">\n<ol>\n")
    for (index, gift) in handover.gifts.enumerated() {
      pen.html("<li><a href=\"#gift-\(index + 1)\">\(name: gift.title)</a></li>\n")
    }
    pen.html("</ol>\n</nav>\n")
  }

  private func leftOut(_ pen: inout Pen) {
    guard !handover.leftOut.isEmpty else { return }
    pen.rule()
    pen.element("section", class: "later") { pen in
      pen.html("<h2>Still to come</h2>\n")
      pen.line("Still to come")
      pen.space()
      pen.paragraph("These are for you too, when their time comes:")
      pen.space()
      pen.element("ul") { pen in
        for gift in handover.leftOut {
          pen.html("<li>\(name: gift.title)<span> · \(gift.reason)</span></li>\n")
          pen.line("\(gift.title): \(gift.reason)", first: "- ", rest: "  ")
        }
      }
    }
  }

  /// Returns a text for the title of a window, which knows no isolation: without characters that act
  /// or hide.
  static func plain(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

/// One gift on a page and in a letter.
struct GiftArticle {
  let gift: Gift
  let number: Int
  /// Whether the letter gives its number.
  var isNumbered = true
  let owner: String
  var form = HandoverPage.Form.folder

  func write(_ pen: inout Pen) {
    pen.rule()
    pen.element("article", id: "gift-\(number)") { pen in
      pen.html("<h2 dir=\"auto\" lang=\"\">\(gift.title)</h2>\n")
      pen.line(
        gift.title, first: isNumbered ? "\(number). " : "", rest: isNumbered ? "   " : "")
      message(&pen)
      if !gift.description.isEmpty { pen.words(gift.description, class: "words about") }
      // On the page and in mail the words and pictures come first, and then the facts about them.
      let facts = gift.details.map { ($0.label, $0.value) }
      let isFirst = !pen.isHTML && form == .folder
      if isFirst { pen.facts(facts) }
      if !pen.isHTML || gift.opening == nil { files(&pen) }
      if !isFirst { pen.facts(facts) }
      if !pen.isHTML { listFiles(&pen) }
      if let opening = gift.opening { write(opening, &pen) }
    }
  }

  /// The message first: it is what the person reads before everything else.
  private func message(_ pen: inout Pen) {
    guard !gift.message.isEmpty else { return }
    pen.element("blockquote", class: "message") { pen in
      pen.words(gift.message)
      guard !owner.isEmpty else { return }
      pen.html("<footer>\(name: owner)</footer>\n")
      pen.line("— \(owner)")
    }
  }

  private func write(_ opening: SealedOpening, _ pen: inout Pen) {
    pen.space()
    pen.element("section", class: "sealed") { pen in
      pen.html("<h3>This is locked</h3>\n")
      for sentence in opening.needs { pen.html("<p>\(sentence)</p>\n") }
      pen.line("This is locked. " + opening.needs.joined(separator: " "))
      pen.space()
      let version = opening.needsPostQuantum ? ", version 1.3 or later" : ""
      let tle: Prose =
        opening.needsTimelock
        ? " and the free program \("<b>tle</b>", text: "tle") (github.com/drand/tlock)" : ""
      pen.paragraph(
        """
        To open it, install the free program \("<b>age</b>", text: "age") (github.com/FiloSottile/age)\(version)\
        \(tle). Open a terminal in the folder \(path: opening.folder) and type these lines, one after the other:
        """)
      pen.element("ol") { pen in
        for (index, step) in opening.steps.enumerated() {
          pen.html(
            "<li>\(step.meaning)\n<pre><code class=\"command\">\(step.command)</code></pre></li>\n")
          pen.space()
          pen.line(step.meaning, first: "\(index + 1). ", rest: "   ")
          // A command is never broken: it is to be copied.
          pen.verbatim("     " + step.command)
        }
      }
      if pen.isHTML { files(&pen) }
    }
  }
}

// The files: on the page they are shown, in a letter their texts are, and the others are named.
extension GiftArticle {
  private func files(_ pen: inout Pen) {
    var links: HTML = ""
    for file in gift.files {
      switch file.showing {
      case .text: text(file, &pen)
      case .image: image(file, &pen)
      case .audio: player("audio", file, &pen)
      case .video: player("video", file, &pen)
      case .link: links += "<li>\(link(file))</li>\n"
      }
    }
    if !links.source.isEmpty { pen.html("<ul class=\"files\">\n\(links)</ul>\n") }
  }

  private func text(_ file: GiftFile, _ pen: inout Pen) {
    guard pen.isHTML || isInLetter(file) else { return }
    pen.element("figure", class: "text") { pen in
      if file.isNamed || !file.title.isEmpty {
        pen.space()
        pen.line("\(file.caption):")
      }
      pen.words(file.text ?? "")
      pen.html("<figcaption>\(link(file))</figcaption>\n")
    }
  }

  /// Whether the text of a file stands in the letter. In mail the texts of a capsule are the gift, and the papers
  /// of an item are not: whoever is on the way reads a letter.
  private func isInLetter(_ file: GiftFile) -> Bool {
    file.text != nil && (form == .folder || gift.kind == .capsule)
  }

  private func image(_ file: GiftFile, _ pen: inout Pen) {
    let address = HTML.address(of: file.path)
    let measures: HTML =
      if let width = file.facts.width, let height = file.facts.height, width > 0, height > 0 {
        " width=\"\(width)\" height=\"\(height)\""
      } else {
        ""
      }
    // The title is beneath; without one, a name alone means nothing to a person who cannot see it.
    let alternative = file.title.isEmpty ? "Photo: \(file.name)" : file.title
    let picture: HTML =
      "<img src=\"\(address)\" alt=\"\(alternative)\" loading=\"eager\"\(measures)>"
    let shown: HTML = file.isLinked ? "<a href=\"\(address)\">\(picture)</a>" : picture
    pen.html(
      """
      <figure class="photo">
      \(shown)
      <figcaption dir="auto" lang="">\(file.caption)\(caution(file))</figcaption>
      </figure>

      """)
  }

  private func player(_ element: HTML, _ file: GiftFile, _ pen: inout Pen) {
    pen.html(
      """
      <figure class="player">
      <\(element) controls preload="metadata" src="\(HTML.address(of: file.path))"></\(element)>
      <figcaption>\(link(file))</figcaption>
      </figure>

      """)
  }

  private func link(_ file: GiftFile) -> HTML {
    let name: HTML = file.title.isEmpty ? "" : " \(path: file.name)"
    let download: HTML = file.isDownload ? " download" : ""
    let caption: HTML = "\(name: file.caption)"
    let shown: HTML =
      file.isLinked
      ? "<a href=\"\(HTML.address(of: file.path))\"\(download)>\(caption)</a>" : caption
    return "\(shown)\(name) <span class=\"facts\">\(file.factsText)</span>\(caution(file))"
  }

  private func caution(_ file: GiftFile) -> HTML {
    guard let caution = file.caution else { return "" }
    return " <span class=\"facts\" dir=\"ltr\" lang=\"en\">\(caution)</span>"
  }

  /// Names the files in a letter.
  private func listFiles(_ pen: inout Pen) {
    guard case .mail(let attached) = form else {
      return list(gift.files, "Files:", &pen) { $0.path }
    }
    list(gift.files.filter { attached[$0.path] != nil }, "Attached:", &pen) {
      attached[$0.path] ?? $0.name
    }
    // A text that stands in the letter is not missed.
    let missing = gift.files.filter { attached[$0.path] == nil && !isInLetter($0) }
    list(missing, "Not attached:", &pen) { $0.name }
  }

  private func list(
    _ files: [GiftFile], _ heading: String, _ pen: inout Pen, name: (GiftFile) -> String
  ) {
    guard !files.isEmpty else { return }
    pen.space()
    pen.line(heading)
    for file in files {
      pen.line(name(file), first: "  ", rest: "    ")
      let title = file.title.isEmpty ? "" : "\(file.title): "
      pen.line(title + file.factsText, first: "    ", rest: "    ")
      if let caution = file.caution { pen.line(caution, first: "    ", rest: "    ") }
    }
  }
}
