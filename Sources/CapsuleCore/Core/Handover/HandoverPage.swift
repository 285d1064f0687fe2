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
  package var html: [UInt8] { bytes(.html) }

  /// The letter, in UTF-8.
  package var letter: [UInt8] { bytes(.letter) }

  /// The style of a page in a folder, which may show its own style and the folder's images, sounds and films;
  /// nothing else. The scheme stands beside `'self'` because a page opened from a disk has no origin in some
  /// browsers.
  static let style = style(PageStyle.letter)

  static func style(_ rules: String) -> PageStyle {
    .folder(
      rules: rules,
      policy: "default-src 'none'; "
        + "style-src 'sha256-\(Base64.encode(SHA256.hash(Array(rules.utf8)), padded: true))'; "
        + "img-src 'self' file:; media-src 'self' file:; base-uri 'none'; form-action 'none'")
  }

  private func bytes(_ kind: Page.Form) -> [UInt8] {
    Page.bytes(kind, title: Self.plain("For \(handover.person)"), Self.style) { page in
      header(&page)
      contents(&page)
      let isAlone = form != .folder && handover.gifts.count == 1
      for (index, gift) in handover.gifts.enumerated() {
        GiftArticle(
          gift: gift, number: isAlone ? nil : index + 1, owner: handover.owner, form: form
        ).write(to: &page)
      }
      leftOut(&page)
      page.html(
        """
        <footer>
        <p>The same text is in <a href="letter.txt">letter.txt</a>, without the pictures.</p>
        </footer>

        """)
    }
  }

  private func header(_ page: inout Page) {
    page.element("header") { page in
      page.html("<p class=\"for\">For</p>\n<h1 dir=\"auto\" lang=\"\">\(handover.person)</h1>\n")
      page.line("For \(handover.person)")
      if !handover.owner.isEmpty { page.paragraph("from ", .name(handover.owner), class: "from") }
      page.paragraph("\(handover.date)", class: "date")
      if !handover.notBefore.isEmpty {
        page.paragraph("To be handed over on or after \(handover.notBefore)", class: "date")
      }
      page.space()
      let gift: [Words] =
        handover.owner.isEmpty
        ? ["This was set aside for you."] : [.name(handover.owner), " set this aside for you."]
      page.paragraph(gift + [" \(lead(onPage: page.isHTML))"], class: "lead")
    }
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
  private func contents(_ page: inout Page) {
    guard page.isHTML, handover.gifts.count > 2 else { return }
    page.html("<nav aria-label=\"Contents\">\n<ol>\n")
    for (index, gift) in handover.gifts.enumerated() {
      page.html("<li><a href=\"#gift-\(index + 1)\">\(name: gift.title)</a></li>\n")
    }
    page.html("</ol>\n</nav>\n")
  }

  private func leftOut(_ page: inout Page) {
    guard !handover.leftOut.isEmpty else { return }
    page.rule()
    page.element("section", class: "later") { page in
      page.html("<h2>Still to come</h2>\n")
      page.line("Still to come")
      page.space()
      page.paragraph("These are for you too, when their time comes:")
      page.space()
      page.element("ul") { page in
        for gift in handover.leftOut {
          page.html("<li>\(name: gift.title)<span> · \(gift.reason)</span></li>\n")
          page.line("\(gift.title): \(gift.reason)", first: "- ", rest: "  ")
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
  /// `nil` for the only one of a letter.
  let number: Int?
  let owner: String
  var form = HandoverPage.Form.folder

  func write(to page: inout Page) {
    page.rule()
    page.element("article", id: "gift-\(number ?? 1)") { page in
      page.html("<h2 dir=\"auto\" lang=\"\">\(gift.title)</h2>\n")
      let mark = number.map { "\($0). " } ?? ""
      page.line(gift.title, first: mark, rest: mark.isEmpty ? "" : "   ")
      message(&page)
      if !gift.description.isEmpty { page.words(gift.description, class: "words about") }
      // On the page and in mail the words and pictures come first, and then the facts about them.
      let facts = gift.details.map { ($0.label, $0.value) }
      let isFirst = !page.isHTML && form == .folder
      if isFirst { page.facts(facts) }
      if !page.isHTML || gift.opening == nil { files(&page) }
      if !isFirst { page.facts(facts) }
      if !page.isHTML { listFiles(&page) }
      if let opening = gift.opening { write(opening, &page) }
    }
  }

  /// The message first: it is what the person reads before everything else.
  private func message(_ page: inout Page) {
    guard !gift.message.isEmpty else { return }
    page.element("blockquote", class: "message") { page in
      page.words(gift.message)
      guard !owner.isEmpty else { return }
      page.html("<footer>\(name: owner)</footer>\n")
      page.line("— \(owner)")
    }
  }

  private func write(_ opening: SealedOpening, _ page: inout Page) {
    page.space()
    page.element("section", class: "sealed") { page in
      page.html("<h3>This is locked</h3>\n")
      for sentence in opening.needs { page.html("<p>\(sentence)</p>\n") }
      page.line("This is locked. " + opening.needs.joined(separator: " "))
      page.space()
      opening.writeWay(in: ["the folder ", .path(opening.folder)], to: &page)
      if page.isHTML { files(&page) }
    }
  }
}

// The files: on the page they are shown, in a letter their texts are, and the others are named.
extension GiftArticle {
  private func files(_ page: inout Page) {
    var links: HTML = ""
    for file in gift.files {
      switch file.showing {
      case .text: text(file, &page)
      case .image: image(file, &page)
      case .audio: player("audio", file, &page)
      case .video: player("video", file, &page)
      case .link: links += "<li>\(link(file))</li>\n"
      }
    }
    if !links.source.isEmpty { page.html("<ul class=\"files\">\n\(links)</ul>\n") }
  }

  private func text(_ file: GiftFile, _ page: inout Page) {
    guard page.isHTML || isInLetter(file) else { return }
    page.element("figure", class: "text") { page in
      if file.isNamed || !file.title.isEmpty {
        page.space()
        page.line("\(file.caption):")
      }
      page.words(file.text ?? "")
      page.html("<figcaption>\(link(file))</figcaption>\n")
    }
  }

  /// Whether the text of a file stands in the letter. In mail the texts of a capsule are the gift, and the papers
  /// of an item are not: whoever is on the way reads a letter.
  private func isInLetter(_ file: GiftFile) -> Bool {
    file.text != nil && (form == .folder || gift.kind == .capsule)
  }

  private func image(_ file: GiftFile, _ page: inout Page) {
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
    page.html(
      """
      <figure class="photo">
      \(shown)
      <figcaption dir="auto" lang="">\(file.caption)\(caution(file))</figcaption>
      </figure>

      """)
  }

  private func player(_ element: HTML, _ file: GiftFile, _ page: inout Page) {
    page.html(
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
  private func listFiles(_ page: inout Page) {
    guard case .mail(let attached) = form else {
      return list(gift.files, "Files:", &page) { $0.path }
    }
    list(gift.files.filter { attached[$0.path] != nil }, "Attached:", &page) {
      attached[$0.path] ?? $0.name
    }
    // A text that stands in the letter is not missed.
    let missing = gift.files.filter { attached[$0.path] == nil && !isInLetter($0) }
    list(missing, "Not attached:", &page) { $0.name }
  }

  private func list(
    _ files: [GiftFile], _ heading: String, _ page: inout Page, name: (GiftFile) -> String
  ) {
    guard !files.isEmpty else { return }
    page.space()
    page.line(heading)
    for file in files {
      page.line(name(file), first: "  ", rest: "    ")
      let title = file.title.isEmpty ? "" : "\(file.title): "
      page.line(title + file.factsText, first: "    ", rest: "    ")
      if let caution = file.caution { page.line(caution, first: "    ", rest: "    ") }
    }
  }
}

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
  /// - Throws: the error of `watch`; ``Fault`` where the path has something in it, or is no folder; the
  ///   errors of what is read and written.
  package func makePage(
    at folder: FilePath, owner: String, now: Instant, zone: ZoneRules,
    watch body: @escaping (Int) throws -> Void
  ) throws {
    let terms = DeliveryTerms(output: nil, isSealed: false, withValues: false, now: now, zone: zone)
    var maker = GiftMaker(store: store, terms: terms, trustees: nil) { _ in .closed }
    let (gift, contents) = maker.make(self)
    let handover = Handover(
      owner: "", person: owner.isEmpty ? "you" : owner, date: terms.day(now), gifts: [gift])
    try store.makeFolder(folder, Self.partialPage, watch: body) { target in
      let page = HandoverPage(handover: handover)
      try target.add(DeliveryFile("index.html", page.html))
      try target.add(DeliveryFile("letter.txt", page.letter))
      for file in contents { try target.add(file) }
    }
  }
}

extension Store {
  /// Makes a folder of files in the clear, whole or not at all.
  ///
  /// - Parameters:
  ///   - folder: the folder; where it is there already, it is empty.
  ///   - partial: the beginning of the name that it has while it is made.
  ///   - body: called with the number of bytes before they are written; it ends the work by throwing.
  /// - Throws: the error of `body` and of `fill`; ``Fault`` where the path has something in it, or is no folder.
  func makeFolder(
    _ folder: FilePath, _ partial: String, watch body: @escaping (Int) throws -> Void,
    _ fill: (inout DeliveryFolder) throws -> Void
  ) throws {
    let path = folder.withoutEndingSlash
    try files.requireEmpty(path)
    try files.createDirectories(path.parent)
    let watch = WorkWatch(body)
    let name = partial + (try environment.temporaryName())
    var target = try DeliveryFolder(
      path, temporary: path.parent.appending(name), from: self, watch: watch, replacesEmpty: true)
    do {
      try fill(&target)
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
      throw Fault.exists(path)
    }
  }
}
