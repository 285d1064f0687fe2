/// The way to open a capsule that is handed over sealed: by hand, without this program.
package struct SealedOpening: Hashable, Sendable {
  /// The keys that it takes, and the time from when on: sentences.
  package let needs: [String]
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

  /// The file of the capsule's key.
  package static let keyName = "key.age"
  private static let openedKey = "key.txt"
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

  /// The way to open a capsule with any lock but honor, whose key is the store's alone.
  ///
  /// - Parameters:
  ///   - folder: where its files are, from the hand-over's folder.
  ///   - roundTime: when the round of its timelock is signed, for people.
  package init?(of capsule: Capsule, in folder: String, roundTime: String) {
    let lock = capsule.lock
    let isPostQuantum = RecipientText.isMarkedHybrid(lock.recipient)
    // The innermost layer of a timelock is not seen; its recipients are of the capsule's own kind then.
    let needsHybridIdentity = isPostQuantum || Self.isSealedToHybrid(lock)
    var needs: [String] = []
    var steps: [Step] = []
    var sealed = Self.keyName
    var inside: LockKind? = lock.kind
    if let timelock = lock.timelock {
      needs.append(
        "It opens from \(roundTime) on, when the drand network publishes round \(timelock.round) of "
          + "the chain “\(timelock.beaconID)”; no one can open it before.")
      if !timelock.escrow.isEmpty {
        let escrow = timelock.escrow.map(RecipientText.shortened).joined(separator: " or ")
        needs.append(
          "Who has the identity of \(escrow) can open it at any "
            + "time: with “age -d -i \(Self.identityName)” in place of “tle -d”.")
      }
      let target = timelock.inner == nil ? Self.openedKey : Self.innerName
      steps.append(
        Step(
          meaning: "Lift the timelock; this asks the drand network.",
          command: "tle -d -o \(target) \(sealed)"))
      sealed = target
      inside = timelock.inner
    }
    switch inside {
    case .honor: return nil
    case .passphrase:
      needs.append("It opens with the passphrase that it was sealed with.")
      steps.append(
        Step(
          meaning: "Open its key; this asks for the passphrase.",
          command: "age -d -o \(Self.openedKey) \(sealed)"))
    case .recipients:
      needs.append(
        "It opens with the age identity that it was sealed to: a file with a line that begins with "
          + "AGE-SECRET-KEY-\(needsHybridIdentity ? "PQ-" : "")1. Put it here as \(Self.identityName)."
      )
      steps.append(
        Step(
          meaning: "Open its key with your identity.",
          command: "age -d -i \(Self.identityName) -o \(Self.openedKey) \(sealed)"))
    case .timelock, nil: break
    }
    needsPostQuantum = isPostQuantum || needsHybridIdentity && lock.kind == .recipients
    if needsPostQuantum {
      needs.append(
        "It is sealed against quantum computers: lines with “-i” need age 1.3 or later. With an "
          + "earlier age and its plugin age-plugin-pq, turn a key over first, as in "
          + "“age-plugin-pq -identity -o key.plugin \(Self.openedKey)”, and write “-i key.plugin”; or "
          + "open the files with “capsule unseal -i”.")
    }
    for (index, content) in capsule.contents.enumerated() {
      let names = Self.names(of: content, number: index + 1)
      let stem = "\(content.kind.rawValue)-\(index + 1)"
      steps.append(
        Step(
          meaning: names.bytes == nil
            ? "Open text \(index + 1): it stands in the file behind “text”."
            : "Open what is known of content \(index + 1): its name and its type.",
          command: "age -d -i \(Self.openedKey) -o \(stem).json \(names.details)"))
      if let bytes = names.bytes {
        steps.append(
          Step(
            meaning: "Open content \(index + 1) itself; then give the file its name.",
            command: "age -d -i \(Self.openedKey) -o \(stem) \(bytes)"))
      }
    }
    self.needs = needs
    self.steps = steps
    self.folder = folder
  }

  /// Whether a post-quantum recipient stands in the outermost layer of a lock.
  private static func isSealedToHybrid(_ lock: Lock) -> Bool {
    guard let reader = try? AgeReader(MemorySource(Array(lock.key.utf8))) else { return false }
    return reader.header.stanzas.contains { $0.kind == HybridStanza.kind }
  }

  /// Whether it takes `tle` besides `age`.
  package var needsTimelock: Bool { steps.contains { $0.command.hasPrefix("tle ") } }
}
