import CapsuleCore

extension Fault {
  /// A capsule that did not open, in words.
  init(
    _ fault: Fault, opening capsule: Capsule, in store: Store, _ session: Session
  ) {
    guard let problem = fault.opening else {
      self = fault
      return
    }
    let path = store.layout.record(.capsule, capsule.id).text
    let backup = "restore the record from a backup"
    var details: JSONObject = ["path": .string(path), "id": .string(capsule.id.description)]
    switch problem {
    case .locked(let until, let remaining):
      details = [
        "id": .string(capsule.id.description), "secondsRemaining": .integer(remaining),
        "zone": .string(session.localZone.label),
      ]
      InstantFields(zone: session.zone).add(until, as: "unlockAt", to: &details)
      self.init(
        .locked,
        "'\(capsule.title)' is locked until \(session.dates.text(until)), \(session.dates.relative(until))",
        hint: "'--wait' waits for it", details: details)
    case .unknownChain(let hash, let until):
      details["chain"] = .string(hash)
      InstantFields(zone: session.zone).add(until, as: "unlockAt", to: &details)
      self.init(
        .unproven,
        "'\(capsule.title)' is locked until \(session.dates.text(until)), and its beacon proves nothing: this "
          + "device does not know the chain '\(hash)'",
        hint: "if you sealed the capsule to that chain, name its chain info: --chain FILE",
        details: details)
    case .timelock(let error):
      self.init(
        .damaged, "the record of '\(capsule.title)' has a wrong field: \(error.words)",
        hint: backup)
    case .otherRound:
      self.init(
        .damaged, "the lock in '\(path)' is sealed to another round or chain than its record says",
        hint: backup, details: ["path": .string(path)])
    case .unrecordedTimelock:
      self.init(
        .damaged, "the lock is timelocked, and its record does not say to what", hint: backup)
    case .noKey(.passphrase):
      self.init(.key, "the passphrase is wrong", hint: nil, details: details)
    case .noKey(.shares):
      self.init(
        .key, "these shares are not of the trustees that '\(capsule.title)' is sealed to",
        hint: "'capsule trustees verify' says whose a share is", details: details)
    case .noKey(.identity) where capsule.lock.kind == .honor:
      self.init(
        .key, "the store's identity that '\(capsule.title)' was sealed to is missing",
        hint: store.sync.hasState
          ? "where it opens on another machine, 'capsule sync add NAME PLACE --passphrase' there and "
            + "'capsule sync clone PLACE' here; else restore 'identities/' from a backup"
          : "restore 'identities/' from a backup, or 'capsule repair'",
        details: details)
    case .noKey(.identity):
      self.init(
        .key, "no identity fits the lock of '\(capsule.title)'",
        hint: "give the one that it was sealed to: '--identity FILE'", details: details)
    case .lock(let error): self = .seal(error, subject: "the lock in '\(path)'")
    case .lockFault(.unlockEarlier(let sealed)):
      self.init(
        .damaged,
        "the record says an unlock time earlier than the one inside the seal: "
          + session.dates.text(sealed),
        hint: "restore '\(path)' from a backup, or 'capsule edit' moves the time later",
        details: details)
    case .lockFault(.otherCapsule(let id)):
      self.init(
        .damaged, "the lock in '\(path)' is that of another capsule, \(id)", hint: backup,
        details: details)
    case .lockFault(.otherForm(let sealed)):
      self.init(
        .damaged,
        "the lock in '\(path)' was sealed as '\(sealed)', and its record says otherwise",
        hint: backup, details: details)
    case .lockFault(.otherRecipient), .lockFault(.notKeyFile), .lockFault(.layers):
      self.init(
        .damaged, "the lock in '\(path)' does not belong to the record", hint: backup,
        details: details)
    }
  }
}
