/// One try to hand a message with some bequests over to the program that carries mail.
package struct MailAttempt: Hashable, Sendable {
  /// The progress of a try, as this machine knows it.
  package enum State: String, Hashable, Sendable {
    /// The program was started, or was about to be: it may have taken the message.
    case begun
    /// The program said no.
    case refused
    /// The program took it.
    case handed
  }

  /// The number of the try, from 1 on.
  package let number: Int64
  /// The SHA-256 of the store, the bequests, the number and what the message says: 64 hexadecimal digits.
  package let digest: String

  package init(number: Int64, digest: String) {
    self.number = number
    self.digest = digest
  }

  /// A try for some bequests of a store.
  ///
  /// - Parameters:
  ///   - content: a digest of what the message says and carries: another message has another Message-ID, or a
  ///     server would drop it as a repeat.
  ///   - number: the number of the try; the next one takes ``next(after:)``.
  package init(of bequests: [RecordID], in store: RecordID, saying content: [UInt8], number: Int64)
  {
    self.number = number
    var text = "capsule mail\n\(store)\n"
    for id in bequests.map(\.description).sorted() { text += "\(id)\n" }
    text += "\(number)\n\(Hex.encode(content))\n"
    digest = Hex.encode(SHA256.hash(Array(text.utf8)))
  }

  /// Returns the number behind another, which is 0 where there was no try.
  package static func next(after number: Int64) -> Int64 {
    number == .max ? number : number + 1
  }
}

extension MailAttempt {
  /// Returns the digest of a message with announcements: the same where the same is announced again
  /// because it was not taken.
  ///
  /// - Parameter marks: what tells each message of the switch in it from all others.
  package static func digest(
    of announcements: [Announcement], _ marks: [String], in store: RecordID?
  ) -> String {
    var lines = announcements.map {
      "\($0.kind.rawValue) \($0.id) \($0.topic) \($0.instant.seconds)"
    }
    lines += marks
    let text = lines.sorted().joined(separator: "\n")
    return Hex.encode(
      SHA256.hash(Array("capsule check mail\n\(store?.description ?? "")\n\(text)\n".utf8)))
  }
}

/// The mail of bequests that this machine sent, by its ledger.
package struct MailLog: Sendable {
  /// The last that is known of a bequest.
  package struct Entry: Hashable, Sendable {
    package let attempt: MailAttempt
    package let state: MailAttempt.State
    package let at: Instant
  }

  private var entries: [RecordID: Entry] = [:]

  package init() {}

  package subscript(bequest: RecordID) -> Entry? { entries[bequest] }

  mutating func add(_ entry: Entry, of bequest: RecordID) { entries[bequest] = entry }
}

// The lines: `mail <bequest> <number> <digest> <state> <at>`, one a bequest.
extension MailLog {
  static let word = "mail"

  static func line(_ entry: Entry, of bequest: RecordID) -> String {
    "\(word) \(bequest) \(entry.attempt.number) \(entry.attempt.digest) \(entry.state.rawValue)"
      + " \(entry.at.seconds)"
  }

  /// Takes the words of a line; those that mean nothing are left out.
  mutating func read(_ line: String) {
    let words = line.split(separator: " ").map { String($0) }
    guard words.count == 6, words[0] == Self.word, let bequest = RecordID(words[1]),
      let number = Int64(words[2]), number > 0, Hex.decode(words[3])?.count == 32,
      let state = MailAttempt.State(rawValue: words[4]), let at = Int64(words[5])
    else { return }
    add(
      Entry(
        attempt: MailAttempt(number: number, digest: words[3]), state: state,
        at: Instant(seconds: at)),
      of: bequest)
  }
}

/// A step on the way from the owner's last check-in to silence.
package enum SilenceStep: String, CaseIterable, Hashable, Sendable {
  /// A check-in is due.
  case due
  /// The owner is warned.
  case warned
  /// The witnesses hear of it.
  case grace
  /// The trustees do.
  case silent
  /// A pause is over.
  case resumed
}

/// One message about the owner's silence that this machine handed over.
package struct SilenceNote: Hashable, Sendable {
  package let step: SilenceStep
  /// The id of the person who got it; `nil` for the owner.
  package let person: RecordID?
  /// The instant from which silence was counted then.
  package let base: Instant
  /// The time at which it was handed over.
  package let at: Instant

  package init(step: SilenceStep, person: RecordID?, base: Instant, at: Instant) {
    self.step = step
    self.person = person
    self.base = base
    self.at = at
  }
}

/// The log of what this machine did about the owner's silence, by its ledger.
package struct SilenceLog: Hashable, Sendable {
  /// The notes of which person was told of which step.
  package private(set) var notes: [SilenceNote] = []
  /// The looks of the machine while a grace went on: the instant that was counted from, and that of
  /// the look.
  package private(set) var looks: [Look] = []

  package struct Look: Hashable, Sendable {
    package let base: Instant
    package let at: Instant

    package init(base: Instant, at: Instant) {
      self.base = base
      self.at = at
    }
  }

  package init() {}

  package mutating func add(_ note: SilenceNote) { notes.append(note) }

  /// Counts the notes of the step, the person and the beginning of another, whenever they were written.
  func count(of note: SilenceNote) -> Int {
    notes.count { $0.step == note.step && $0.person == note.person && $0.base == note.base }
  }

  package mutating func add(_ look: Look) { looks.append(look) }
}

// The lines: `switch <step> <person, or owner> <base> <at>`, and `switch looked <base> <at>`.
extension SilenceLog {
  static let word = "switch"
  private static let owner = "owner"
  private static let looked = "looked"

  static func line(_ note: SilenceNote) -> String {
    "\(word) \(note.step.rawValue) \(note.person?.description ?? owner) \(note.base.seconds)"
      + " \(note.at.seconds)"
  }

  static func line(_ look: Look) -> String {
    "\(word) \(looked) \(look.base.seconds) \(look.at.seconds)"
  }

  /// Takes the words of a line; those that mean nothing are left out.
  mutating func read(_ line: String) {
    let words = line.split(separator: " ").map { String($0) }
    guard words.count > 3, words[0] == Self.word, let base = Int64(words[words.count - 2]),
      let at = Int64(words[words.count - 1])
    else { return }
    let (from, time) = (Instant(seconds: base), Instant(seconds: at))
    if words.count == 4, words[1] == Self.looked { return add(Look(base: from, at: time)) }
    guard words.count == 5, let step = SilenceStep(rawValue: words[1]) else { return }
    let person = RecordID(words[2])
    guard person != nil || words[2] == Self.owner else { return }
    add(SilenceNote(step: step, person: person, base: from, at: time))
  }
}
