/// The page in the folder of a capsule that is handed over locked: what it is, and the line that opens all of it.
struct SealedPage {
  private let gift: Gift
  private let opening: SealedOpening

  /// The name of the page in the capsule's folder.
  static let name = "READ-ME-FIRST.html"

  /// Returns `nil` for a gift that is not locked.
  init?(_ gift: Gift) {
    guard let opening = gift.opening else { return nil }
    self.gift = gift
    self.opening = opening
  }

  var file: DeliveryFile { DeliveryFile("\(opening.folder)/\(Self.name)", html) }

  /// The page, in UTF-8.
  private var html: [UInt8] {
    Page.bytes(
      .html, title: HandoverPage.plain("How to open \(gift.title)"), HandoverPage.style
    ) { page in
      page.element("header") { page in
        page.html("<p class=\"for\">Locked</p>\n<h1 dir=\"auto\" lang=\"\">\(gift.title)</h1>\n")
        page.facts(gift.details.map { ($0.label, $0.value) })
        page.paragraph(
          "The files in this folder are locked. Keep them together with this page.", class: "lead")
      }
      page.element("article", id: "how") { page in
        page.html("<h2>How to open it</h2>\n")
        for sentence in opening.needs { page.paragraph(.plain(sentence)) }
        opening.writeWay(in: ["this folder"], to: &page)
      }
    }
  }
}

extension SealedOpening {
  /// Writes the programs that it takes, the line to type, and what comes out.
  ///
  /// - Parameter place: the folder to type it in.
  func writeWay(in place: [Words], to page: inout Page) {
    let version = needsPostQuantum ? ", version 1.3 or later" : ""
    let tle: [Words] =
      needsTimelock ? [" and the free program ", .bold("tle"), " (github.com/drand/tlock)"] : []
    var words: [Words] = [
      "To open it, install the free program ", .bold("age"),
      " (github.com/FiloSottile/age)\(version)",
    ]
    words += tle
    words.append(". Open a terminal in ")
    words += place
    let others = needsTimelock ? "“age -d” and “tle -d”" : "“age -d”"
    words.append(
      """
      , and type this line. It opens everything. With the program capsule, write “capsule unseal” instead \
      of \(others).
      """)
    page.paragraph(words)
    page.html("<pre><code class=\"command\">\(command)</code></pre>\n")
    page.space()
    // A command is never broken: it is to be copied.
    page.verbatim("     " + command)
    page.space()
    page.paragraph(
      """
      Open the new files with a text editor if their names end in “.details”: they have the words of a text, \
      or the name and type of a file. Give each file that name.
      """)
  }
}
