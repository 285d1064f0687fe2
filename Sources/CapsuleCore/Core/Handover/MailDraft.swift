/// The terms by which deliveries become mail.
package struct MailTerms: Sendable {
  /// The form in which a delivery goes to a person.
  package enum Form: String, Hashable, Sendable {
    /// The letter alone.
    case letter
    /// The folder, as an archive that is sealed to the person.
    case sealed
    /// The letter, and the files in the clear.
    case attached
  }

  package let form: Form
  package let from: Mailbox
  /// The most bytes of a message.
  package let limit: Int64

  package init(form: Form, from: Mailbox, limit: Int64) {
    self.form = form
    self.from = from
    self.limit = limit
  }
}

/// One message of a person's delivery, before it is made.
package struct MailDraft {
  /// The person, and the gifts that go with this message.
  package let delivery: PersonalDelivery
  package let to: Mailbox
  package let attempt: MailAttempt
  /// An earlier try, where a message with the same bequests may have been handed over then.
  package let earlier: EarlierTry?
  /// The names of the files that go with it, by their paths in the folder.
  let attached: [String: String]
  /// The files of items that do not go with it, though files do.
  package let withheld: [GiftFile]

  package var bequests: [RecordID] { delivery.gifts.map(\.bequest.model.id) }

  /// A try of which it is not known whether the message went.
  package struct EarlierTry: Hashable, Sendable {
    package let at: Instant
    /// Whether its message said the same. Then this one has its Message-ID, by which a server knows the
    /// repeat; else it has another.
    package let saidTheSame: Bool
  }
}

/// A delivery as mail.
package struct MailPlan {
  package var drafts: [MailDraft] = []
  /// The gifts that were handed over before, and are not marked yet.
  package var unmarked: [(gift: PlannedGift, entry: MailLog.Entry)] = []
  package var leftOut: [LeftOut] = []

  /// A gift that does not go by mail.
  package struct LeftOut {
    package enum Reason: Hashable, Sendable {
      /// It goes as its sealed files, which take a folder.
      case sealed
      /// It has files, and a letter alone goes.
      case files
      /// Its files are more than the limit allows.
      case size
    }

    package let gift: PlannedGift
    package let reason: Reason
  }
}

extension StoreHandover {
  /// Finds the messages for one person.
  ///
  /// A message that may have been handed over goes again with the bequests that it had. As long as it says
  /// the same, it has the same number, too: its receiver knows the repeat by its Message-ID. New bequests
  /// go in another message.
  ///
  /// - Parameter owner: the owner's name; empty where that is not known.
  /// - Throws: ``Fault``: the person has no address that mail can be sent to.
  package func mailPlan(
    for delivery: PersonalDelivery, owner: String, _ terms: MailTerms,
    _ deliveryTerms: DeliveryTerms,
    _ log: MailLog
  ) throws(Fault) -> MailPlan {
    var plan = MailPlan()
    var fresh: [PlannedGift] = []
    var again: [(entry: MailLog.Entry, gifts: [PlannedGift])] = []
    for gift in delivery.gifts {
      guard let entry = log[gift.bequest.model.id], entry.state != .refused else {
        fresh.append(gift)
        continue
      }
      if entry.state == .handed {
        plan.unmarked.append((gift, entry))
      } else if let place = again.firstIndex(where: { $0.entry.attempt == entry.attempt }) {
        again[place].gifts.append(gift)
      } else {
        again.append((entry, [gift]))
      }
    }
    guard !fresh.isEmpty || !again.isEmpty else { return plan }
    let to = try mailbox(of: delivery.person)
    func add(_ gifts: [PlannedGift], after entry: MailLog.Entry?) {
      let choice = MailChoice(gifts, terms)
      plan.leftOut += choice.leftOut
      if choice.gifts.isEmpty { return }
      var delivery = delivery
      delivery.gifts = choice.gifts
      let content = choice.digest(
        of: delivery, to: to, owner: owner, terms.form, deliveryTerms)
      let ids = choice.gifts.map(\.bequest.model.id)
      func attempt(_ number: Int64) -> MailAttempt {
        MailAttempt(of: ids, in: header.id, saying: content, number: number)
      }
      let isSame = entry.map { attempt($0.attempt.number) == $0.attempt } ?? false
      let last = ids.compactMap { log[$0]?.attempt.number }.max() ?? 0
      plan.drafts.append(
        MailDraft(
          delivery: delivery, to: to,
          attempt: attempt(isSame ? last : MailAttempt.next(after: last)),
          earlier: entry.map { .init(at: $0.at, saidTheSame: isSame) },
          attached: choice.attached, withheld: choice.withheld))
    }
    for (entry, gifts) in again { add(gifts, after: entry) }
    add(fresh, after: nil)
    return plan
  }

  private func mailbox(of person: Beneficiary) throws(Fault) -> Mailbox {
    guard !person.email.isEmpty else { throw .noAddress(person) }
    do {
      return Mailbox(name: person.name, address: try MailAddress(person.email))
    } catch {
      throw .unusableAddress(person, error)
    }
  }
}

/// The gifts that go with one message.
private struct MailChoice {
  private(set) var gifts: [PlannedGift] = []
  private(set) var leftOut: [MailPlan.LeftOut] = []
  private(set) var attached: [String: String] = [:]
  private(set) var withheld: [GiftFile] = []

  init(_ gifts: [PlannedGift], _ terms: MailTerms) {
    guard terms.form != .sealed else {
      self.gifts = gifts
      return
    }
    // The room that the letter takes, at most.
    var used: Int64 = 4096
    for gift in gifts {
      if let reason = add(gift, terms, &used) {
        leftOut.append(MailPlan.LeftOut(gift: gift, reason: reason))
      } else {
        self.gifts.append(gift)
      }
    }
  }

  /// Adds a gift. The files of a capsule are the gift: it goes with all of them or not at all. Those of an
  /// item are pictures and papers of it: the letter names those that do not go.
  private mutating func add(
    _ gift: PlannedGift, _ terms: MailTerms, _ used: inout Int64
  ) -> MailPlan.LeftOut.Reason? {
    guard gift.gift.opening == nil else { return .sealed }
    let isWhole = gift.gift.kind == .capsule
    var total = used + gift.gift.letterByteCount
    var taken: [String: String] = [:]
    var over: [GiftFile] = []
    for file in gift.gift.files {
      guard terms.form == .attached else {
        if isWhole, file.text == nil { return .files }
        continue
      }
      let size = MailMessage.byteCount(ofAttachment: file.size, name: file.name)
      if size <= terms.limit - min(total, terms.limit) {
        total += size
        taken[file.path] = file.name
      } else if isWhole {
        return .size
      } else {
        over.append(file)
      }
    }
    used = total
    attached.merge(taken) { $1 }
    withheld += over
    return nil
  }

  /// Returns a digest of what a message says and carries. It is the same on another day, and where the bytes
  /// that are drawn anew for sealing are others.
  ///
  /// - Parameter delivery: the person, with the gifts of this message.
  func digest(
    of delivery: PersonalDelivery, to: Mailbox, owner: String, _ form: MailTerms.Form,
    _ terms: DeliveryTerms
  ) -> [UInt8] {
    let isSealed = form == .sealed
    var handover = delivery.handover(owner: owner, terms)
    handover.date = ""
    var text = "\(form.rawValue)\n\(to.address.text)\n"
    if isSealed { text += "\(delivery.person.recipient)\n" }
    for file in delivery.files where isSealed || attached[file.path] != nil {
      text += "\(file.path)\n\(file.originText)\n"
    }
    let page = HandoverPage(
      handover: handover, form: isSealed ? .folder : .mail(attached: attached))
    return SHA256.hash(Array(text.utf8) + page.letter)
  }
}

extension Gift {
  /// The bytes that its part of a letter takes in mail, at most.
  fileprivate var letterByteCount: Int64 {
    var texts = [title, message, description] + details.map(\.value)
    if kind == .capsule { texts += files.compactMap(\.text) }
    let count = texts.reduce(0) { $0 + $1.utf8.count } + 512 * files.count
    return Int64(count) / 2 * 3
  }
}

extension StoreHandover {
  /// Makes the message of a draft, whole in memory.
  ///
  /// - Parameter owner: the owner's name; empty where that is not known.
  /// - Throws: ``Fault`` where it is too large, or the errors of what was read.
  package func message(
    of draft: MailDraft, owner: String, _ terms: MailTerms, _ delivery: DeliveryTerms
  ) throws -> MailMessage {
    var from = terms.from
    if from.name.isEmpty { from.name = owner }
    var message = MailMessage(
      from: from, to: draft.to, subject: draft.subject(owner: owner, terms.form),
      date: delivery.now, zone: delivery.zone(), id: draft.messageID(from: terms.from), text: "")
    let person = draft.delivery.person
    let tooLarge = Fault.mailTooLarge(person, limit: terms.limit)
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
    _ tooLarge: Fault
  ) throws -> [UInt8] {
    let recipient = try AgeRecipient(delivery.person.recipient)
    let sink = LimitedSink(limit: Int(clamping: limit), full: tooLarge)
    var tar = HandoverTar(
      try AgeWriter(to: [recipient], random: environment.random).sealing(into: sink), from: store,
      at: terms.now, watch: WorkWatch { _ in })
    try tar.add(delivery.allFiles(owner: owner, terms), in: delivery.name, explain: delivery.named)
    var written = try tar.finish().finish()
    return written.take()
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

/// The outcome of the program that carries mail.
package enum MailOutcome {
  /// It took the message.
  case handedOver
  /// It did not.
  case refused(any Error)
  /// It was ended before it said so: it may have taken it.
  case unknown(any Error)
}

extension StoreHandover {
  /// Hands a message over, and marks its bequests sent.
  ///
  /// The try is in the ledger, synchronised, before the program starts; that the program took it, before
  /// the bequests are marked. A crash between leads to a repeat that says so, by the same Message-ID, or to
  /// marks without a repeat: nothing is marked that was not handed over.
  ///
  /// - Parameters:
  ///   - id: the Message-ID, for the notes of the bequests.
  ///   - now: the time that the delivery was planned for.
  ///   - handOver: starts the program.
  /// - Throws: the errors of `handOver`; those of ``requireUnchanged(_:now:)`` and a ``Fault`` where the
  ///   try cannot be kept, and nothing was started then; ``Fault``.
  package func send(
    _ draft: MailDraft, as id: String, keeping ledger: inout Ledger, now: Instant,
    handOver: () -> MailOutcome
  ) throws {
    try store.requireWritable()
    // Others were mailed before, each of which may have taken minutes.
    try requireUnchanged(draft.delivery, now: now)
    try ledger.begin(draft.attempt, of: draft.bequests, at: now)
    switch handOver() {
    case .handedOver: break
    case .refused(let error):
      // It speaks for this try alone: one before, of which it is not known whether it left, stays open. If
      // this cannot be kept, this one does: it is repeated as it is.
      if draft.earlier == nil {
        try? ledger.end(draft.attempt, as: .refused, of: draft.bequests, at: now)
      }
      throw error
    case .unknown(let error): throw error
    }
    // If this cannot be kept, the marks still can: they say more.
    try? ledger.end(draft.attempt, as: .handed, of: draft.bequests, at: now)
    try markMailed(draft.delivery.gifts, to: draft.delivery.person, as: id, at: now, now: now)
  }

  /// Marks bequests sent that were handed over as mail.
  ///
  /// - Parameter at: the time at which they were handed over.
  package func markMailed(
    _ gifts: [PlannedGift], to person: Beneficiary, as id: String, at: Instant, now: Instant
  ) throws(Fault) {
    var failed: [UnmarkedBequest] = []
    for gift in gifts {
      let sent = DeliveryChange(.sent, at: at, notes: "Mailed as <\(id)>")
      do {
        _ = try mark(gift.bequest, sent, now: now)
      } catch {
        failed.append(
          UnmarkedBequest(
            bequest: gift.bequest.model.id, title: gift.gift.title, cause: error))
      }
    }
    if !failed.isEmpty { throw .mailUnmarked(failed, person) }
  }
}
