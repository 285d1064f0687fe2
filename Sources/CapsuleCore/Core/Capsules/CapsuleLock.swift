/// The lock of one capsule: its own key, sealed once by whatever the lock demands, and the recipient
/// that its contents are sealed to.
package struct CapsuleLock: Hashable, Sendable {
  /// The facts that are sealed together with a capsule's key, so that a record cannot claim
  /// otherwise.
  package struct Terms: Hashable, Sendable {
    /// The capsule.
    package let id: RecordID
    /// The earliest unlock time that its record may have.
    package let unlock: Instant
    /// The form of the lock; `nil` in locks that were made before it was sealed.
    package let form: LockForm?

    /// Terms; in place of an instant outside the years 0001 to 9999 stands the nearest inside, as
    /// where it is written.
    package init(id: RecordID, unlock: Instant, form: LockForm? = nil) {
      self.id = id
      self.unlock = unlock.clamped
      self.form = form
    }

    /// The terms that a capsule's record claims.
    init(of capsule: Capsule) {
      self.init(id: capsule.id, unlock: capsule.unlockAt, form: LockForm(capsule.lock))
    }

    /// Compares the sealed terms with those that a record claims.
    ///
    /// - Throws: `.otherCapsule`, `.unlockEarlier` or `.otherForm`.
    func requireFit(_ claimed: Terms) throws(LockFault) {
      guard id == claimed.id else { throw .otherCapsule(id) }
      guard claimed.unlock >= unlock else { throw .unlockEarlier(sealed: unlock) }
      if let form, form != claimed.form { throw .otherForm(sealed: form.text) }
    }
  }

  /// `lock.key`: an armored age file whose plaintext is an age identity file; with two layers, one
  /// whose plaintext is another such file.
  package let key: String
  /// `lock.recipient`: the public key of the capsule.
  package let recipient: AgeRecipient

  /// `lock.spare`: the same plaintext in other layers; `nil` for none.
  package let spare: String?

  /// The lock in a record.
  package init(key: String, recipient: AgeRecipient, spare: String? = nil) {
    self.key = key
    self.recipient = recipient
    self.spare = spare
  }

  /// The spare as a lock of its own; `nil` where there is none.
  package var spareLock: CapsuleLock? {
    spare.map { CapsuleLock(key: $0, recipient: recipient) }
  }

  /// Makes a capsule's key and seals it.
  ///
  /// - Parameters:
  ///   - layers: for each layer, the outermost first, its recipients: one of each layer is needed to
  ///     open the lock.
  ///   - spareLayers: the same for a second copy; none for no spare.
  ///   - isPostQuantum: whether the capsule's key is hybrid, so that its contents are no easier to
  ///     read for a quantum computer than its lock.
  /// - Throws: `.recipients`, `.random` or `.memory`.
  package init(
    sealing terms: Terms, layers: [[any Recipient]], spareLayers: [[any Recipient]] = [],
    isPostQuantum: Bool, random: RandomSource
  ) throws(AgeFailure) {
    guard (1...LockLayer.maximumDepth).contains(layers.count),
      spareLayers.count <= LockLayer.maximumDepth
    else { throw .recipients(.none) }
    let identity: AgeIdentity
    do throws(RandomSource.Failure) {
      identity = try AgeIdentity(isPostQuantum: isPostQuantum, random: random)
    } catch {
      throw .random(error)
    }
    var text = KeyFile(terms: terms, identity: identity).text
    defer { wipe(&text) }
    key = try Self.sealed(text, to: layers, random: random)
    spare = spareLayers.isEmpty ? nil : try Self.sealed(text, to: spareLayers, random: random)
    recipient = identity.recipient
  }

  /// Seals a key file in layers, the outermost first.
  static func sealed(
    _ text: [UInt8], to layers: [[any Recipient]], random: RandomSource
  ) throws(AgeFailure) -> String {
    var inner = text
    for recipients in layers.reversed() {
      let sealed = try AgeWriter(to: recipients, random: random).seal(inner, armor: true)
      // The text that was handed in is never wiped: it is another's, and a copy is wiped in its place.
      wipe(&inner)
      inner = sealed
    }
    return String(decoding: inner, as: UTF8.self)
  }
}

/// The reason why a lock did not open.
package enum LockFailure: Error {
  /// A layer of it did not open.
  case file(AgeFailure)
  /// It opened, and does not belong to the record.
  case damaged(LockFault)
}

/// A disagreement between a lock and its record.
public enum LockFault: Error, Hashable {
  /// The plaintext is not the key of a capsule.
  case notKeyFile
  /// There are more layers than locks have.
  case layers
  /// It is the lock of another capsule.
  case otherCapsule(RecordID)
  /// The record's unlock time is earlier than the sealed one.
  case unlockEarlier(sealed: Instant)
  /// The record says another kind of lock, or another chain, than the sealed form, such as `passphrase` or
  /// `timelock` and a chain's hash.
  case otherForm(sealed: String)
  /// The record's recipient is not that of the sealed key.
  case otherRecipient
}

/// The plaintext of the innermost layer: an age identity file that names its capsule.
struct KeyFile: Sendable {
  let terms: CapsuleLock.Terms
  let identity: AgeIdentity

  init(terms: CapsuleLock.Terms, identity: AgeIdentity) {
    self.terms = terms
    self.identity = identity
  }

  var text: [UInt8] {
    let form = terms.form.map { ["lock \($0.text)"] } ?? []
    return IdentityFile.text(
      identity, comments: ["capsule \(terms.id)", "unlock \(terms.unlock.rfc3339)"] + form)
  }

  /// Reads the file: one capsule, one unlock time, at most one form of the lock, one key; other comments mean
  /// nothing.
  init(_ text: [UInt8]) throws(LockFault) {
    var ids: [RecordID] = []
    var unlocks: [Instant] = []
    var forms: [LockForm] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "#") {
      if let text = Self.text(of: line, behind: "# capsule ") {
        guard let id = RecordID(text) else { throw .notKeyFile }
        ids.append(id)
      } else if let text = Self.text(of: line, behind: "# unlock ") {
        guard let unlock = Instant(rfc3339: text) else { throw .notKeyFile }
        unlocks.append(unlock)
      } else if let text = Self.text(of: line, behind: "# lock ") {
        guard let form = LockForm(text) else { throw .notKeyFile }
        forms.append(form)
      }
    }
    let identities: [AgeIdentity]
    do throws(KeyFileFault) {
      identities = try IdentityFile(text).identities
    } catch {
      throw .notKeyFile
    }
    guard ids.count == 1, unlocks.count == 1, forms.count <= 1, identities.count == 1 else {
      throw .notKeyFile
    }
    terms = .init(id: ids[0], unlock: unlocks[0], form: forms.first)
    identity = identities[0]
  }

  private static func text(of line: ArraySlice<UInt8>, behind prefix: String) -> String? {
    guard line.starts(with: prefix.utf8) else { return nil }
    return String(decoding: line.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}
