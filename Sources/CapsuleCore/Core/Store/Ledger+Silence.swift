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
