extension StoreHandover {
  /// Makes the message of a draft, whole in memory.
  ///
  /// - Parameter owner: the owner's name; empty where that is not known.
  /// - Throws: ``DeliveryError`` where it is too large, or the errors of what was read.
  package func message(
    of draft: MailDraft, owner: String, _ terms: MailTerms, _ delivery: DeliveryTerms
  ) throws -> MailMessage {
    var from = terms.from
    if from.name.isEmpty { from.name = owner }
    var message = MailMessage(
      from: from, to: draft.to, subject: draft.subject(owner: owner, terms.form),
      date: delivery.now, zone: delivery.zone(), id: draft.messageID(from: terms.from), text: "")
    let person = draft.delivery.person
    let tooLarge = DeliveryError.mailTooLarge(person, limit: terms.limit)
    if terms.form == .sealed {
      let name = draft.delivery.name + ".tar.age"
      guard draft.delivery.size < terms.limit else { throw tooLarge }
      message.text = SealedMail(owner: owner, person: person, file: name).text
      message.attachments = [
        MailAttachment(
          name: name, mediaType: "application/octet-stream",
          bytes: try sealed(draft.delivery, owner: owner, delivery, limit: terms.limit, tooLarge))
      ]
    } else {
      let page = HandoverPage(
        handover: draft.delivery.handover(owner: owner, delivery),
        form: .mail(attached: draft.attached))
      message.text = String(decoding: page.letter, as: UTF8.self)
      message.attachments = try attachments(of: draft)
    }
    guard Int64(message.bytes(.network).count) <= terms.limit else { throw tooLarge }
    return message
  }

  private func attachments(of draft: MailDraft) throws -> [MailAttachment] {
    var found: [MailAttachment] = []
    for gift in draft.delivery.gifts {
      for (shown, file) in zip(gift.gift.files, gift.files) {
        guard let name = draft.attached[file.path] else { continue }
        var sink = MemorySink()
        do {
          try file.write(from: store, to: &sink)
        } catch {
          throw draft.delivery.named(error, of: file)
        }
        found.append(MailAttachment(name: name, mediaType: shown.mediaType, bytes: sink.bytes))
      }
    }
    return found
  }

  /// The folder as an archive, sealed to its person.
  private func sealed(
    _ delivery: PersonalDelivery, owner: String, _ terms: DeliveryTerms, limit: Int64,
    _ tooLarge: DeliveryError
  ) throws -> [UInt8] {
    let recipient = try AgeRecipient(delivery.person.recipient)
    let sink = LimitedSink(limit: Int(clamping: limit))
    do {
      var tar = HandoverTar(
        try AgeWriter(to: [recipient], random: environment.random).sealing(into: sink),
        from: store, at: terms.now, watch: WorkWatch { _ in })
      try tar.add(
        delivery.allFiles(owner: owner, terms), in: delivery.name, explain: delivery.named)
      var full = try tar.finish().finish()
      return full.take()
    } catch is LimitedSink.Full {
      throw tooLarge
    }
  }
}

extension MailDraft {
  /// The Message-ID: it names no record, and it is the same where the same is sent again.
  package func messageID(from sender: Mailbox) -> String {
    "\(attempt.digest)@\(sender.address.domain)"
  }

  func subject(owner: String, _ form: MailTerms.Form) -> String {
    let from = owner.isEmpty ? "" : " from \(owner)"
    if form == .sealed { return "Something for you\(from)" }
    guard delivery.gifts.count > 1 else { return delivery.gifts.first?.gift.title ?? "" }
    return "\(delivery.gifts.count) things for you\(from)"
  }
}

/// The text of mail whose gifts are sealed: it names none of them.
private struct SealedMail {
  let owner: String
  let person: Beneficiary
  let file: String

  var text: String {
    let gift =
      owner.isEmpty
      ? "The attached file was set aside for you."
      : "\(MailHeader.clean(owner)) set the attached file aside for you."
    let version = RecipientText.isMarkedHybrid(person.recipient) ? ", version 1.3 or later" : ""
    // A command is never broken: it is to be copied.
    return Page.wrapped(
      """
      For \(MailHeader.clean(person.name))

      \(gift) This message was sent automatically.

      Only you can open the file, because it is encrypted for your key. Install the free program \
      age (github.com/FiloSottile/age)\(version). Save the file, open a terminal in its folder and type:
      """)
      + "\n    age -d -i identity.txt \(Self.quoted(file)) | tar -x\n\n"
      + Page.wrapped(
        """
        identity.txt is the file with your secret key: it has a line that begins with AGE-SECRET-KEY-.

        The command makes a new folder. Open its index.html in a browser: the page works without \
        the internet.
        """)
  }

  /// A word for a shell.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy {
      $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0)
    }
    if isPlain, !name.hasPrefix("-") { return name }
    return "'./" + name.parts(at: "'").joined(separator: "'\\''") + "'"
  }
}
