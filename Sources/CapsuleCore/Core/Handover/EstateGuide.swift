/// The page beside an estate's file: what the file is, who can open it, and how. It needs no key.
struct EstateGuide {
  let estate: Estate
  /// The path at which the file is to be.
  let file: FilePath

  /// The page of a file.
  static func path(beside file: FilePath) -> FilePath {
    FilePath(bytes: file.bytes + Array(".html".utf8))
  }

  /// The program beside a file that joins the shares without capsule.
  static func joinPath(beside file: FilePath) -> FilePath {
    FilePath(bytes: file.bytes + Array(".join.py".utf8))
  }

  private var group: TrusteeGroup { estate.group }
  private var name: String { String(decoding: file.lastComponent, as: UTF8.self) }

  /// The owner, for a sentence.
  private var owner: Words { estate.owner.isEmpty ? "The owner" : .name(estate.owner) }

  /// A name in the file's folder, as a shell takes it and no program takes for an option.
  private static func word(_ path: FilePath) -> String {
    let name = String(decoding: path.lastComponent, as: UTF8.self)
    return (name.hasPrefix("-") ? "./" + name : name).shellWord
  }

  /// The page, in UTF-8.
  var html: [UInt8] {
    Page.bytes(
      .html, title: HandoverPage.plain("How to open \(name)"), HandoverPage.style
    ) { page in
      header(&page)
      page.article("who", "Who can open it", people)
      page.article("how", "How to open it", withCapsule)
      page.article("without", "Without the program capsule", withoutCapsule)
    }
  }

  private func header(_ page: inout Page) {
    page.element("header") { page in
      page.html(
        estate.owner.isEmpty
          ? "<h1>How to open this estate</h1>\n"
          : "<p class=\"for\">Left by</p>\n<h1 dir=\"auto\" lang=\"\">\(estate.owner)</h1>\n")
      page.paragraph("Made on \(estate.terms.day(estate.terms.now))", class: "date")
      page.paragraph(
        owner, " left letters, files and a list of belongings in the file ", .path(name),
        """
        , beside this page. It is locked. Keep it and this page together. If there is a newer one, use \
        that instead.
        """, class: "lead")
    }
  }

  private func people(_ page: inout Page) {
    let (needed, count) = (group.threshold, group.shares.count)
    let which = needed == count ? "All \(count)" : "Any \(needed) of the \(count)"
    page.paragraph("\(which) people below, together. Each has a sheet of paper with words on it.")
    page.element("ul", class: "files") { page in
      for share in group.shares { page.html("<li>\(name: share.holder)</li>\n") }
    }
    page.paragraph(
      """
      Fewer than \(needed) of them cannot open it, and nobody else can. If you are not one of them, \
      please call one.
      """)
  }

  private func withCapsule(_ page: inout Page) {
    steps(
      [
        (
          "Meet at one computer that you trust: \(group.threshold) of you, with your sheets and this "
            + "folder.", nil
        ),
        (
          "Open a terminal in this folder, and type the line below. The program asks for the words of each "
            + "sheet. The first four letters of a word are enough. If the terminal prints “command not found” and "
            + "a file named capsule is in this folder, type ./capsule instead of capsule.",
          "capsule estate open \(Self.word(file))"
        ),
        (
          "A new folder appears. Open READ-ME-FIRST.html in it with a browser. That page says who "
            + "receives what.", nil
        ),
      ], &page)
  }

  private func withoutCapsule(_ page: inout Page) {
    page.paragraph(
      "Two free programs do the same: Python 3 (python.org) and ", .bold("age"),
      " (age-encryption.org)\(group.isPostQuantum ? ", version 1.3 or later" : "").")
    let install =
      group.isPostQuantum
      ? "Install them. On Debian or Ubuntu, the line below does so, but look whether “age --version” is "
        + "1.3 or later. If it is not, download a newer age from its page."
      : "Install them. On Debian or Ubuntu, the line below does so."
    let sheets = (1...group.threshold).map { "sheet-\($0).txt" }
    let join = Self.word(Self.joinPath(beside: file))
    steps(
      [
        (install, "sudo apt install age python3"),
        (
          "Make a text file for each sheet in this folder: \(sheets.joined(separator: ", ")). Write the "
            + "33 numbers beside the words into it, with spaces between them. Then open a terminal in this "
            + "folder, and type:",
          "python3 \(join) \(sheets.joined(separator: " ")) > key.txt"
        ),
        (
          "Type the line below. Then open READ-ME-FIRST.html in the new folder “estate”. When everything is "
            + "handed over, destroy that folder, key.txt and the text files.",
          "age -d -i key.txt \(Self.word(file)) | tar -x"
        ),
      ], &page)
  }

  private func steps(_ steps: [(meaning: String, command: String?)], _ page: inout Page) {
    page.element("ol") { page in
      for step in steps {
        let command: HTML =
          step.command.map { "\n<pre><code class=\"command\">\($0)</code></pre>" } ?? ""
        page.html("<li>\(step.meaning)\(command)</li>\n")
      }
    }
  }
}
