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
    of announcements: [Announcement], _ marks: [String], in store: RecordID
  ) -> String {
    var lines = announcements.map {
      "\($0.kind.rawValue) \($0.id) \($0.topic) \($0.instant.seconds)"
    }
    lines += marks
    let text = lines.sorted().joined(separator: "\n")
    return Hex.encode(SHA256.hash(Array("capsule check mail\n\(store)\n\(text)\n".utf8)))
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
