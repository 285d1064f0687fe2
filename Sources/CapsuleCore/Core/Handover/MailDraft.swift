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
  /// - Throws: ``DeliveryError``: the person has no address that mail can be sent to.
  package func mailPlan(
    for delivery: PersonalDelivery, owner: String, _ terms: MailTerms,
    _ deliveryTerms: DeliveryTerms,
    _ log: MailLog
  ) throws(DeliveryError) -> MailPlan {
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

  private func mailbox(of person: Beneficiary) throws(DeliveryError) -> Mailbox {
    guard !person.email.isEmpty else { throw .noAddress(person) }
    do throws(MailAddress.Fault) {
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
