/// The sheet of paper that a trustee keeps: the words of a share, and all that is needed to use them.
package struct TrusteePage: Sendable {
  /// The name of the group.
  package let group: String
  /// The name of the owner; empty where it is not known.
  package let owner: String
  /// The names of all holders, in the order of their shares.
  package let holders: [String]
  /// The place of this share among them, from 0.
  package let place: Int
  package let threshold: Int
  package let recipient: AgeRecipient
  /// The day on which it was made.
  package let date: CivilDate
  /// Whether earlier shares of the same identity were handed out.
  package let isRenewed: Bool

  /// The words of a row.
  private static let columnCount = 3
  /// The most characters of a name, in Unicode scalars.
  private static let nameLimit = 40
}

// The words the page consists of, in both forms.
extension TrusteePage {
  private var holder: String { Self.shown(holders[place]) }
  private var count: Int { holders.count }

  private var groupName: String { Self.shown(group) }
  private var ownerName: String { Self.shown(owner) }

  /// A name on one line, and harmless on a terminal: it may come from anywhere.
  private static func shown(_ name: String) -> String {
    SafeText.line(name.onOneLine).shortened(to: nameLimit)
  }

  /// The same in so many columns: a character may take two.
  private static func shown(_ name: String, columns: Int) -> String {
    let text = shown(name)
    guard TextWidth.of(text) > columns else { return text }
    var scalars = text.unicodeScalars
    while TextWidth.of(String(scalars)) >= columns { scalars.removeLast() }
    return String(scalars) + "…"
  }

  private var title: String { "Share \(place + 1) of \(count)" }

  /// The owner, for a sentence.
  private var theOwner: String { owner.isEmpty ? "the owner" : ownerName }

  private var purpose: String {
    let giver = owner.isEmpty ? "The owner" : ownerName
    return
      "\(giver) gave you this sheet. It is one part of a key, and the key opens what \(theOwner) "
      + "left for this group."
  }

  private var rule: String {
    threshold == count
      ? "All \(count) sheets are needed to make the key, so please do not lose this one."
      : "Any \(threshold) of the \(count) sheets together make the key. Fewer than \(threshold) reveal "
        + "nothing."
  }

  private var others: String {
    // So that all of it stays on one sheet: six lines.
    let limit = min(Self.nameLimit, 480 / max(1, count - 1) - 7)
    return holders.indices.filter { $0 != place }
      .map { "\(Self.shown(holders[$0], columns: limit)) (\($0 + 1))" }
      .joined(separator: ", ")
  }

  private var whenTheTimeComes: [String] {
    [
      "Call the other holders. \(threshold) of you meet at one computer that you trust, with your sheets "
        + "and the file that \(theOwner) left. It is probably called estate.age.",
      "Type 'capsule estate open estate.age', then the words of each sheet. The first four letters of a "
        + "word are enough.",
      "Open READ-ME-FIRST.html in the new folder. It says who receives what. When everything is handed "
        + "over, destroy the folder and the sheets.",
    ]
  }

  /// Where the program is to be had, and the way without it.
  private var programs: String {
    let version = recipient.isPostQuantum ? ", version 1.3 or later" : ""
    return
      "capsule is a free program. Look for a copy beside estate.age, or ask somebody who knows computers. "
      + "You can do without it: the page estate.age.html shows the way, with the free programs Python 3 "
      + "(python.org) and age (age-encryption.org)\(version). Then you need no internet."
  }

  private var safety: String {
    "Keep this sheet dry, and apart from the other sheets. Never photograph, scan, copy or mail it. Never "
      + "type its words into a web page or a phone. Give it to nobody who only asks for it. If you lose it, "
      + "or somebody else has seen it, tell \(theOwner)."
  }

  private var renewal: String? {
    isRenewed
      ? "Earlier sheets of this group still work until they are destroyed. If you have one, destroy it."
      : nil
  }

  /// The facts for the computer, in small print.
  private var technical: String {
    let kind = recipient.isPostQuantum ? "post-quantum (ML-KEM-768 with X25519)" : "X25519"
    return
      "Other files: 'capsule trustees combine -o key.txt', then 'age -d -i key.txt FILE'. The words and their "
      + "numbers follow the standard SLIP-0039: one group, no passphrase. The page's Python program is "
      + "contrib/join.py of capsule. The key is \(kind), and its recipient begins with "
      + "\(recipient.description.prefix(16))."
  }
}

// The page in its forms.
extension TrusteePage {
  /// The page in plain text, 80 columns wide. Its words can be read again by ``Share/init(text:)``.
  package func text(of share: Share) -> SecretBytes { bytes(.sheet(columns: 78), of: share) }

  /// The page in HTML: one sheet of A4, without scripts, and without anything from elsewhere.
  package func html(of share: Share) -> SecretBytes { bytes(.html, of: share) }

  private func bytes(_ form: Page.Form, of share: Share) -> SecretBytes {
    var bytes = Page.bytes(form, title: "\(title) of \(groupName)", Self.style) {
      write(share, &$0)
    }
    return SecretBytes(taking: &bytes)
  }

  private func write(_ share: Share, _ page: inout Page) {
    page.element("header") { page in
      page.html("<h1>\(title)</h1>\n<p class=\"group\"><bdi>\(groupName)</bdi></p>\n")
      let from: HTML = owner.isEmpty ? "" : ", from <bdi>\(ownerName)</bdi>"
      page.html("<p>For <b><bdi>\(holder)</bdi></b>\(from), \(date.inWords)</p>\n")
      page.verbatim("\(title) of '\(groupName)', for \(holder)")
      page.space()
      page.verbatim((owner.isEmpty ? "Made on " : "From \(ownerName), ") + date.inWords)
      page.space()
    }
    page.paragraph(.plain(purpose))
    page.paragraph(.plain(rule), class: "rule")
    page.html("<p>The other holders: <bdi>\(others)</bdi>.</p>\n")
    page.line("The other holders: \(others).")
    let caption = "The words of your sheet, each with its number"
    page.html("<table>\n<caption>\(caption)</caption>\n<tbody>\n")
    page.space()
    page.verbatim("\(caption):")
    page.space()
    page.verbatim(Share.firstLine)
    let cell = page.isHTML ? Self.cell : Self.textCell
    page.secret(atMost: 96 * Share.mostWords) { page in
      var numbers = share.numbers
      defer { numbers.withUnsafeMutableBytes { wipe($0) } }
      for (place, number) in numbers.enumerated() {
        cell(place, WordList.words[Int(number)], number, &page)
      }
    }
    page.verbatim(Share.lastLine)
    page.html("</tbody>\n</table>\n")
    heading("When the time comes", &page)
    page.steps(whenTheTimeComes)
    heading("The program", &page)
    page.paragraph(.plain(programs))
    heading("Keep it safe", &page)
    page.paragraph(.plain(safety))
    if let renewal {
      page.space()
      page.paragraph(.bold(renewal))
    }
    if !page.isHTML { heading("For the computer", &page) }
    page.paragraph(.plain(technical), class: "small")
  }

  private func heading(_ text: String, _ page: inout Page) {
    page.html("<h2>\(text)</h2>\n")
    page.space()
    page.verbatim(text.uppercased())
    page.space()
  }

  private static func cell(_ place: Int, _ word: String, _ number: UInt16, _ page: inout [UInt8]) {
    let column = place % columnCount
    if column == 0 { page += "<tr>".utf8 }
    page += "<td class=\"n\">\(place + 1)</td><td class=\"w\">".utf8
    page += word.utf8
    page += "</td><td class=\"v\">\(number)</td>".utf8
    if column == columnCount - 1 { page += "</tr>\n".utf8 }
  }

  private static func textCell(
    _ place: Int, _ word: String, _ number: UInt16, _ page: inout [UInt8]
  ) {
    let digits = String(number)
    page += "\(place < 9 ? "  " : " ")\(place + 1). ".utf8
    page += word.utf8
    page += String(repeating: " ", count: 14 - word.utf8.count - digits.utf8.count).utf8
    page += (digits + (place % columnCount == columnCount - 1 ? "\n" : "     ")).utf8
  }

  private static let style = PageStyle.sheet(
    margin: "10mm 16mm", font: "9.5pt/1.25", heading: "font-size: 10.5pt; margin-top: 2mm;",
    rules: """
      header { border-bottom: .4mm solid #000; padding-bottom: 1.5mm; margin-bottom: 2mm; }
      header p, main > p { margin-top: 1mm; }
      .group { font-size: 13pt; }
      header p { max-height: 15mm; overflow: hidden; }
      .rule { font-weight: bold; }
      main > p.small { font-size: 8pt; color: #444; margin-top: 2mm; }
      table { width: 100%; border-collapse: collapse; margin-top: 2mm; break-inside: avoid; }
      caption { text-align: left; font-size: 9.5pt; padding-bottom: 1mm; }
      td { border-bottom: .2mm solid #999; padding: .5mm 1mm; font-family: "Liberation Mono", "DejaVu Sans Mono", monospace; }
      .n { width: 8mm; text-align: right; color: #555; font-size: 9pt; }
      .w { font-size: 12.5pt; font-weight: bold; }
      .v { width: 17mm; text-align: right; font-size: 9.5pt; padding-right: 5mm; }
      td { white-space: nowrap; }
      ol { padding-left: 6mm; }
      @media screen { main { padding: 10mm 4mm; } }
      @media screen and (max-width: 34rem) {
        td { padding: .7mm .5mm; }
        .w { font-size: 8.5pt; }
        .n, .v { width: auto; font-size: 7pt; }
        .v { padding-right: 1mm; }
      }

      """)
}

/// The pages of all holders of a group, as files: one in HTML and one in plain text for each.
package struct TrusteePages: Sendable {
  package private(set) var files: [(name: String, bytes: SecretBytes)] = []
  /// The holders whose pages are sealed to X25519 recipients.
  package private(set) var notPostQuantum: [String] = []
  package let areSealed: Bool
  /// Whether the pages say whose they are.
  package let nameOwner: Bool

  /// - Parameters:
  ///   - owner: the name of the owner; empty where it is not known.
  ///   - recipients: the recipients that each page is sealed to; none for pages in the clear.
  init(
    of group: TrusteeGroup, _ shares: TrusteeShares, owner: String,
    sealedTo recipients: [AgeRecipient],
    date: CivilDate, random: RandomSource
  ) throws(AgeFailure) {
    areSealed = !recipients.isEmpty
    nameOwner = !owner.isEmpty
    var names = PortableFileNames()
    for (place, share) in shares.shares.enumerated() {
      let holder = group.shares[place].holder
      let page = TrusteePage(
        group: group.name, owner: owner, holders: group.shares.map(\.holder), place: place,
        threshold: group.threshold, recipient: shares.recipient, date: date,
        isRenewed: !group.earlierIdentifiers.isEmpty)
      let stem = names.next("\(place + 1) \(holder.onOneLine)", fallback: "\(place + 1)")
      for (suffix, bytes) in [("html", page.html(of: share)), ("txt", page.text(of: share))] {
        guard areSealed else {
          files.append(("\(stem).\(suffix)", bytes))
          continue
        }
        var plaintext = bytes.bytes
        defer { wipe(&plaintext) }
        var sealed = try AgeWriter(to: [recipients[place]], random: random).seal(
          plaintext, armor: false)
        files.append(("\(stem).\(suffix).age", SecretBytes(taking: &sealed)))
      }
      if areSealed, !recipients[place].isPostQuantum { notPostQuantum.append(holder) }
    }
  }
}
