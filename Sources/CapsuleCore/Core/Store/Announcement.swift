/// One thing that is announced once on each machine.
package struct Announcement: Hashable, Sendable {
  package let kind: RecordKind
  package let id: RecordID
  /// The thing that became due: `unlock`, an alert's name, …; no spaces.
  package let topic: String
  /// The time at which it became due.
  package let instant: Instant
  /// What it is known by in another zone, where its instant is another one; `nil` of what has an instant of
  /// its own.
  package let elsewhere: Elsewhere?
  /// What is announced with it.
  package let passed: [Announcement]

  package init(
    kind: RecordKind, id: RecordID, topic: String, instant: Instant, elsewhere: Elsewhere? = nil,
    passed: [Announcement] = []
  ) {
    self.kind = kind
    self.id = id
    self.topic = topic
    self.instant = instant
    self.elsewhere = elsewhere
    self.passed = passed
  }

  /// The lines that mark it, and what is announced with it.
  var marks: [String] { lines + passed.flatMap(\.lines) }

  /// What is the same in every zone.
  package enum Elsewhere: Hashable, Sendable {
    /// The date and time that the clocks show.
    case local(CivilDateTime)
    /// The number of an occurrence, and the instant that it is counted from.
    case counted(Int, from: Instant)
  }

  /// The lines of it in the ledger, before their digits: each alone says that it was announced.
  var lines: [String] {
    var lines = ["\(kind.rawValue) \(id) \(topic) \(instant.seconds)"]
    switch elsewhere {
    case .local(let time)?:
      lines.append("\(kind.rawValue) \(id) \(Self.localTopic)\(topic) \(time.secondsAsUTC)")
    case .counted(let number, let anchor)?:
      lines.append("\(kind.rawValue) \(id) \(Self.countedTopic)\(number) \(anchor.seconds)")
    case nil: break
    }
    return lines
  }

  /// What begins the topic of a line whose time is not that at which something became due.
  private static let localTopic = "local:"
  private static let countedTopic = "counted:"

  /// Whether a line of this topic says what is the same in every zone.
  static func isElsewhere(_ topic: ArraySlice<UInt8>) -> Bool {
    [localTopic, countedTopic].contains { topic.starts(with: $0.utf8) }
  }
}
