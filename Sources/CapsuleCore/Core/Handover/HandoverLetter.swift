/// A hand-over as a letter in plain text, of lines of 72 columns.
///
/// Characters that act on a terminal or turn the direction of a line are shown by their numbers; the
/// page beside it has them as they are.
package struct HandoverLetter {
  private let handover: Handover
  private let form: Form
  private let width: (Character) -> Int
  private var lines: [String] = []

  package static let columns = 72

  /// The place of a letter.
  package enum Form: Hashable, Sendable {
    /// The letter is in the folder, beside the page and the files.
    case folder
    /// The letter is in mail: the files are not beside it, but for those that go with it.
    ///
    /// - Parameter attached: the names of these, by their paths in the folder.
    case mail(attached: [String: String])
  }

  /// - Parameter width: returns the number of columns that a character takes.
  package init(
    _ handover: Handover, as form: Form = .folder, width: @escaping (Character) -> Int
  ) {
    self.handover = handover
    self.form = form
    self.width = width
    write()
  }

  /// A letter without words.
  private init(width: @escaping (Character) -> Int) {
    handover = Handover(owner: "", person: "", date: "", gifts: [])
    form = .folder
    self.width = width
  }

  /// Returns a text in lines as a letter has them.
  package static func wrapped(_ text: String) -> String {
    var letter = HandoverLetter(width: TextWidth.of)
    letter.block(text)
    return letter.text
  }

  /// The letter as text.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  /// The letter, in UTF-8, with line feeds.
  package var bytes: [UInt8] {
    Array(text.utf8)
  }

  private mutating func write() {
    put("For \(handover.person)")
    if !handover.owner.isEmpty { put("from \(handover.owner)") }
    put(handover.date)
    if !handover.notBefore.isEmpty { put("To be handed over on or after \(handover.notBefore)") }
    space()
    put(introduction)
    for (index, gift) in handover.gifts.enumerated() { write(gift, number: index + 1) }
    guard !handover.leftOut.isEmpty else { return }
    rule()
    put("Still to come")
    space()
    put("These are for you too, when their time comes:")
    space()
    for gift in handover.leftOut { put("\(gift.title): \(gift.reason)", first: "- ", rest: "  ") }
  }

  private var introduction: String {
    let gift =
      handover.owner.isEmpty
      ? "This was set aside for you." : "\(handover.owner) set this aside for you."
    switch form {
    case .folder:
      return "\(gift) To see everything, with pictures and sounds, open index.html in a browser. "
        + "The page works without the internet. Keep this folder together with all its files."
    case .mail(let attached):
      return "\(gift) This message was sent automatically."
        + (attached.isEmpty ? "" : " The files are attached.")
    }
  }

  private mutating func write(_ gift: Gift, number: Int) {
    rule()
    let isAlone = form != .folder && handover.gifts.count == 1
    put(gift.title, first: isAlone ? "" : "\(number). ", rest: isAlone ? "" : "   ")
    block(gift.message)
    if !gift.message.isEmpty, !handover.owner.isEmpty { put("— \(handover.owner)") }
    block(gift.description)
    if form == .folder { write(gift.details) }
    for file in gift.files {
      guard let text = shown(file, of: gift) else { continue }
      if file.isNamed || !file.title.isEmpty {
        space()
        put("\(file.caption):")
      }
      block(text)
    }
    // In mail the words come first, and then the facts about them.
    if form != .folder { write(gift.details) }
    switch form {
    case .folder: write(gift.files, "Files:") { $0.path }
    case .mail(let attached):
      write(gift.files.filter { attached[$0.path] != nil }, "Attached:") {
        attached[$0.path] ?? $0.name
      }
      // A text that stands in the letter is not missed.
      let missing = gift.files.filter { attached[$0.path] == nil && shown($0, of: gift) == nil }
      write(missing, "Not attached:") { $0.name }
    }
    if let opening = gift.opening { write(opening) }
  }

  /// Returns the text of a file that stands in the letter; `nil` where none does. In mail the texts of a
  /// capsule are the gift, and the papers of an item are not: whoever is on the way reads a letter.
  private func shown(_ file: GiftFile, of gift: Gift) -> String? {
    form == .folder || gift.kind == .capsule ? file.text : nil
  }

  private mutating func write(_ details: [Gift.Detail]) {
    if !details.isEmpty { space() }
    for detail in details { put("\(detail.label): \(detail.value)", rest: "  ") }
  }

  private mutating func write(_ files: [GiftFile], _ heading: String, name: (GiftFile) -> String) {
    guard !files.isEmpty else { return }
    space()
    put(heading)
    for file in files {
      put(name(file), first: "  ", rest: "    ")
      let title = file.title.isEmpty ? "" : "\(file.title): "
      put(title + file.factsText, first: "    ", rest: "    ")
      if let caution = file.caution { put(caution, first: "    ", rest: "    ") }
    }
  }

  private mutating func write(_ opening: SealedOpening) {
    space()
    put("This is locked. " + opening.needs.joined(separator: " "))
    space()
    put(
      "To open it, install the free program age (github.com/FiloSottile/age)"
        + (opening.needsPostQuantum ? ", version 1.3 or later" : "")
        + (opening.needsTimelock ? " and the free program tle (github.com/drand/tlock)" : "")
        + ". Open a terminal in the folder \(opening.folder) and type these lines, one after the "
        + "other:")
    for (index, step) in opening.steps.enumerated() {
      space()
      put(step.meaning, first: "\(index + 1). ", rest: "   ")
      // A command is never broken: it is to be copied.
      lines.append("     " + step.command)
    }
  }

  private mutating func space() {
    if let last = lines.last, !last.isEmpty { lines.append("") }
  }

  private mutating func rule() {
    space()
    lines.append(String(repeating: "-", count: Self.columns))
    space()
  }

  /// Writes a text of several paragraphs, with its own line ends.
  private mutating func block(_ text: String) {
    guard !text.isEmpty else { return }
    space()
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      put(String(line))
    }
    while lines.last == "" { lines.removeLast() }
  }

  /// Writes one paragraph, broken at spaces, and within a word that is longer than a line.
  private mutating func put(_ text: String, first: String = "", rest: String = "") {
    var line = first
    var column = first.count
    for (index, word) in Self.harmless(text).split(separator: " ", omittingEmptySubsequences: false)
      .enumerated()
    {
      if index > 0 {
        if column + 1 + word.reduce(0, { $0 + width($1) }) <= Self.columns {
          line += " "
          column += 1
        } else {
          lines.append(line)
          (line, column) = (rest, rest.count)
        }
      }
      for character in word {
        let size = width(character)
        if column + size > Self.columns {
          lines.append(line)
          (line, column) = (rest, rest.count)
        }
        line.append(character)
        column += size
      }
    }
    lines.append(line)
  }

  private static func harmless(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09: scalars.append(contentsOf: "    ".unicodeScalars)
      case 0x0a, 0x0d, 0x2028, 0x2029: scalars.append(" ")
      case 0x00...0x1f, 0x7f...0x9f, 0x61c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069:
        scalars.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
