/// The way to open a capsule that is handed over sealed: by hand, without this program.
package struct SealedOpening: Hashable, Sendable {
  /// The keys that it takes, and the time from when on: sentences.
  package private(set) var needs: [String]
  /// The commands to type in the capsule's folder, in order.
  package let steps: [Step]
  /// Whether it takes an age that knows post-quantum keys: version 1.3 or later.
  package let needsPostQuantum: Bool
  /// The folder from that of the hand-over: `sealed/To Mia`.
  package let folder: String

  /// A line for a shell.
  package struct Step: Hashable, Sendable {
    /// The effect of the command, as a sentence.
    package let meaning: String
    package let command: String
  }

  /// Whether the capsule's key lies beside it, so that nothing else is needed.
  package let hasKey: Bool
  /// Whether that lets it be opened before its time.
  package let isEarly: Bool

  /// The file of the capsule's key.
  package static let keyName = "key.age"
  /// The file of the capsule's key for trustees.
  package static let spareName = "spare.age"
  /// The file of the capsule's key, once it is open.
  package static let openedKey = "key.txt"
  private static let innerName = "inner.age"
  /// The file of the person's own identity in the commands.
  package static let identityName = "identity.txt"

  /// Returns the files of a content: its details, and its bytes unless it is a text.
  package static func names(
    of content: Content, number: Int
  ) -> (details: String, bytes: String?) {
    let stem = "\(content.kind.rawValue)-\(number)"
    return (stem + ".details.age", content.blob == nil ? nil : stem + ".age")
  }

  /// The copy of the key that a capsule is opened by.
  package enum Way: Hashable, Sendable {
    /// The one in its lock.
    case lock
    /// The spare of a group of trustees.
    ///
    /// - Parameter isKnown: whether it is known to be theirs; it may be another group's otherwise.
    case spare(of: TrusteeGroup, isKnown: Bool)
    /// The key itself, which lies beside it.
    ///
    /// - Parameter early: the time before which it was not to be opened, for people, while that has not
    ///   come.
    case key(early: String?)
  }

  /// The way to open a capsule.
  ///
  /// - Parameters:
  ///   - folder: the path of its files, from the hand-over's folder.
  ///   - roundTime: the time at which the round of its timelock is signed, in words for people.
  /// - Returns: `nil` for an honor lock by its ``Way/lock``: that key is the store's alone.
  package init?(
    of capsule: Capsule, in folder: String, roundTime: String, by way: Way = .lock
  ) {
    let lock = capsule.lock
    let isPostQuantum = RecipientText.isMarkedHybrid(lock.recipient)
    // The innermost layer of a timelock is not seen; its recipients are of the capsule's own kind then.
    var needsHybridIdentity = isPostQuantum || Self.isSealedToHybrid(lock)
    var needs: [String] = []
    var steps: [Step] = []
    if case .key(let early) = way {
      hasKey = true
      isEarly = early != nil
      needs.append("Its key is in the same folder, as \(Self.openedKey). You need no other key.")
      if let early {
        needs.append("It can be opened early, but it was meant for \(early) or later.")
      }
    } else {
      hasKey = false
      isEarly = false
      Self.describeLock(
        lock, way, roundTime, needsHybridIdentity: &needsHybridIdentity, &needs, &steps)
      if steps.isEmpty { return nil }
    }
    var isSealedToIdentity = lock.kind == .recipients
    if case .spare = way { isSealedToIdentity = true }
    needsPostQuantum = isPostQuantum || needsHybridIdentity && isSealedToIdentity
    if needsPostQuantum {
      needs.append(
        "It is protected against quantum computers, so lines with “-i” need age 1.3 or later. An "
          + "earlier age needs its plugin age-plugin-pq: convert each key first, for example with "
          + "“age-plugin-pq -identity -o key.plugin \(Self.openedKey)”, and write “-i key.plugin”. "
          + "“capsule unseal -i” opens the files too.")
    }
    for (index, content) in capsule.contents.enumerated() {
      let names = Self.names(of: content, number: index + 1)
      let stem = "\(content.kind.rawValue)-\(index + 1)"
      steps.append(
        Step(
          meaning: names.bytes == nil
            ? "Open text \(index + 1). In the new file, its words come after “text”."
            : "Find out the name and type of file \(index + 1).",
          command: "age -d -i \(Self.openedKey) -o \(stem).json \(names.details)"))
      if let bytes = names.bytes {
        steps.append(
          Step(
            meaning: "Open file \(index + 1) itself, then give it that name.",
            command: "age -d -i \(Self.openedKey) -o \(stem) \(bytes)"))
      }
    }
    self.needs = needs
    self.steps = steps
    self.folder = folder
  }

  /// Says how the key is got out of a lock, or of its spare; nothing for an honor lock.
  private static func describeLock(
    _ lock: Lock, _ way: Way, _ roundTime: String, needsHybridIdentity: inout Bool,
    _ needs: inout [String], _ steps: inout [Step]
  ) {
    var sealed = Self.keyName
    if case .spare = way { sealed = Self.spareName }
    var inside: LockKind? = lock.kind
    if let timelock = lock.timelock {
      needs.append(
        "Nobody can open it before \(roundTime). From then on drand, a public network, provides what "
          + "is missing: round \(timelock.round) of the chain “\(timelock.beaconID)”.")
      if !timelock.escrow.isEmpty {
        let escrow = timelock.escrow.map(RecipientText.shortened).joined(separator: " or ")
        needs.append(
          "There is one exception: a person with the secret key of \(escrow) can open it at any "
            + "time, with “age -d -i \(Self.identityName)” instead of “tle -d”.")
      }
      let target = timelock.inner == nil ? Self.openedKey : Self.innerName
      steps.append(
        Step(
          meaning: "Lift the timelock. This needs the internet.",
          command: "tle -d -o \(target) \(sealed)"))
      sealed = target
      inside = timelock.inner
    }
    if case .spare(let group, let isKnown) = way {
      needsHybridIdentity = group.isPostQuantum
      needs.append(
        "It \(isKnown ? "opens" : "may open") with the key of the trustees of “\(group.name)”, the one "
          + "that opened all of this. Copy that key beside \(sealed) as \(Self.identityName)."
          + (isKnown ? "" : " If it does not open, other trustees have its key."))
      steps.append(
        Step(
          meaning: "Unlock its key with the key of the trustees.",
          command: "age -d -i \(Self.identityName) -o \(Self.openedKey) \(sealed)"))
      return
    }
    switch inside {
    case .honor: break
    case .passphrase:
      needs.append("You need the passphrase that was chosen for it.")
      steps.append(
        Step(
          meaning: "Unlock its key. The program asks for the passphrase.",
          command: "age -d -o \(Self.openedKey) \(sealed)"))
    case .recipients:
      needs.append(
        "You need the secret key that it was locked for: a file with a line that begins with "
          + "AGE-SECRET-KEY-\(needsHybridIdentity ? "PQ-" : "")1. Copy it beside \(sealed) as \(Self.identityName)."
      )
      steps.append(
        Step(
          meaning: "Unlock its key with your secret key.",
          command: "age -d -i \(Self.identityName) -o \(Self.openedKey) \(sealed)"))
    case .timelock, nil: break
    }
  }

  /// Adds a sentence to what it takes.
  package mutating func add(need sentence: String) { needs.append(sentence) }

  /// Whether a post-quantum recipient stands in the outermost layer of a lock.
  private static func isSealedToHybrid(_ lock: Lock) -> Bool {
    guard let reader = try? AgeReader(MemorySource(Array(lock.key.utf8))) else { return false }
    return reader.header.stanzas.contains { $0.kind == KeyKind.hybrid.stanza }
  }

  /// Whether it takes `tle` besides `age`.
  package var needsTimelock: Bool { steps.contains { $0.command.hasPrefix("tle ") } }
}
