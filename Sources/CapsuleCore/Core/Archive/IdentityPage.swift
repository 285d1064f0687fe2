/// The sheet of paper with a store's identities, from which they can be typed back.
package struct IdentityPage: Sendable {
  /// The name of the owner; empty where it is not known.
  package let owner: String
  package let store: RecordID
  package let identities: [AgeIdentity]
  /// Capsules that the identities open; `nil` for keys that are not the store's.
  package let honorCount: Int?
  package let date: CivilDate

  package init(
    owner: String, store: RecordID, identities: [AgeIdentity], honorCount: Int?, date: CivilDate
  ) {
    self.owner = owner
    self.store = store
    self.identities = identities
    self.honorCount = honorCount
    self.date = date
  }
}

// The words the page consists of, in both forms.
extension IdentityPage {
  private var title: String {
    honorCount == nil ? "A secret key for age" : "The secret key of a capsule store"
  }

  private var facts: String {
    let whose = owner.isEmpty ? "" : "It belongs to \(owner.onOneLine). "
    let printed = honorCount == nil ? "Printed" : "Store \(store), printed"
    return "\(whose)\(printed) on \(date.inWords)."
  }

  private var scope: String {
    guard let honorCount else {
      return "It opens everything that was encrypted for its public key."
    }
    let count = honorCount == 1 ? "1 capsule" : "\(honorCount) capsules"
    return
      "It opens the capsules with an honor lock in this store (\(count) when this was printed). It does "
      + "not open capsules that are locked with a passphrase, for other recipients, or by a timelock."
  }

  private var use: [String] {
    [
      "With capsule: run 'capsule identity import' and type the lines. If a line is wrong, the program "
        + "says which one.",
      "Without capsule: write the characters of the five lines one after the other, without numbers, spaces "
        + "and checks, as one line into a file key.txt. Then get the key of a capsule, in the folder of the "
        + "store: jq -r .lock.key capsules/XX/ID.json | age -d -i key.txt > capsule.txt. Read its first text, "
        + "or the name and type of its first file: "
        + "jq -r '.contents[0].sealed' capsules/XX/ID.json | age -d -i capsule.txt. Open a file by the NAME "
        + "that its record gives as \"blob\": age -d -i capsule.txt blobs/XX/NAME > file.",
      "A check is the first four digits of the SHA-256 of the line's number, a space, and the line "
        + "without spaces: printf '2 ABCD…' | sha256sum. No key contains the letters B, I or O, or the "
        + "digit 1 after its first line.",
    ]
  }

  private var never: String {
    "Anyone who has this sheet can open the same, even before its time. Keep it where only you can get "
      + "it, and away from the store. Never photograph or send it."
  }

  private func name(_ identity: AgeIdentity) -> String {
    let recipient = identity.recipient.description
    return recipient.utf8.count <= 80
      ? recipient : "\(recipient.prefix(32))… (\(recipient.utf8.count) characters)"
  }
}

// The page in its forms.
extension IdentityPage {
  /// The page in plain text, which is an identity file of age at the same time.
  package var text: SecretBytes { bytes(.sheet(columns: 76, mark: "#")) }

  /// The page in HTML: A4, without scripts, and without anything from elsewhere.
  package var html: SecretBytes { bytes(.html) }

  private func bytes(_ form: Page.Form) -> SecretBytes {
    var bytes = Page.bytes(form, title: title, Self.style, write)
    return SecretBytes(taking: &bytes)
  }

  private func write(_ page: inout Page) {
    page.html("<h1>\(title)</h1>\n<p>\(facts)</p>\n<p>\(scope)</p>\n")
    page.verbatim(title)
    page.verbatim(facts)
    for identity in identities { write(identity, &page) }
    page.space()
    page.line(scope)
    page.html("<h2>How to use it</h2>\n<ol>\n")
    for text in use {
      page.html("<li>\(text)</li>\n")
      page.space()
      page.line(text)
    }
    page.html("</ol>\n")
    page.space()
    page.paragraph(.plain(never), class: "never")
  }

  private func write(_ identity: AgeIdentity, _ page: inout Page) {
    page.html("<table>\n<caption>\(name(identity))</caption>\n<tbody>\n")
    page.space()
    page.verbatim("public key: \(identity.recipient)")
    for (place, text) in IdentityLines(identity).lines.enumerated() {
      let number = place + 1
      let groups = IdentityLines.grouped(text, number)
      let check = IdentityLines.check(text, number)
      page.html(
        """
        <tr><td class="n">\(number)</td><td class="k">\(groups)</td><td class="c">\(check)</td></tr>

        """)
      let padding = String(repeating: " ", count: 24 - groups.utf8.count)
      page.verbatim("  \(number)  \(groups)\(padding)\(check)")
    }
    page.html("</tbody>\n</table>\n")
    guard !page.isHTML else { return }
    let secret = identity.secretText + "\n"
    page.secret(atMost: secret.utf8.count) { $0 += secret.utf8 }
  }

  private static let style = PageStyle.sheet(
    margin: "16mm", font: "11pt/1.45", heading: "font-size: 12pt; margin-top: 5mm;",
    rules: """
      p { margin-top: 2mm; }
      table { width: 100%; border-collapse: collapse; margin-top: 5mm; break-inside: avoid; }
      caption { text-align: left; font-size: 9pt; padding-bottom: 1mm; }
      td { border-bottom: .2mm solid #999; padding: 1.6mm 2mm; font-family: "Liberation Mono", "DejaVu Sans Mono", monospace; white-space: nowrap; }
      .n, .c { color: #555; }
      .n { width: 10mm; text-align: right; }
      .k { font-size: 15pt; font-weight: bold; letter-spacing: .05em; }
      .c { width: 24mm; text-align: right; }
      ol { padding-left: 6mm; }
      li { margin-top: 1.5mm; }
      .never { font-weight: bold; margin-top: 4mm; }
      @media screen { main { padding: 10mm 4mm; } }

      """)
}

/// An identity that comes back from paper.
package struct IdentityReturn: Sendable {
  package let recipient: String
  package let path: FilePath
  /// Whether it was not there.
  package let isNew: Bool
  /// Whether it is one that the store itself seals to.
  package let isOwn: Bool
}

extension StoreKeys {
  /// Puts an X25519 identity into `identities/` of a store, also of one whose header is lost: its header is made of
  /// its identities then.
  ///
  /// - Returns: `nil` where there is no store.
  package static func restore(
    _ identity: AgeIdentity, at place: FilePath, environment: StoreEnvironment, now: Instant
  ) throws(Fault) -> IdentityReturn? {
    let recipient = identity.recipient.description
    let file = StoreIdentity(OpenedIdentity(identity))
    do {
      guard let store = try Store.open(at: place, environment: environment) else { return nil }
      let isOwn =
        store.header.identities.contains { $0.recipient == recipient }
        || store.header.former?.contains(recipient) == true
      // The passphrase of a protected store opens its own ones already.
      let isNew =
        !(isOwn && store.header.isProtected)
        && !store.keys.stored().contains { $0.recipient == recipient && $0.isUsable }
      // A copy of the file says what was written, to the comment.
      let copy = store.header.identities.first {
        $0.recipient == recipient && $0.isUsable && !$0.isSealed
      }
      if isNew { try store.keys.add([copy ?? file], now: now) }
      return IdentityReturn(
        recipient: recipient,
        path: store.header.isProtected
          ? store.layout.sealedIdentity(isOwn ? store.header.identities[0].recipient : recipient)
          : store.layout.identity(recipient),
        isNew: isNew, isOwn: isOwn)
    } catch {
      guard error.code == .headerDamaged else { throw error }
    }
    // Nothing is left that says what the store was, but its records.
    let files = environment.fileSystem
    let layout = StoreLayout(
      root: try files.resolvingLinks(place))
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    let path = layout.identity(recipient)
    let temporary = layout.root.appending("tmp").appending(try environment.temporaryName())
    try files.createDirectories(layout.temporary)
    try files.createDirectories(layout.identities)
    try files.replace(path, Array(file.file.utf8), mode: 0o400, by: temporary)
    return IdentityReturn(recipient: recipient, path: path, isNew: true, isOwn: true)
  }
}
