import CapsuleCore

extension LockProblem {
  /// The disagreement, behind the name of the record.
  var words: String {
    switch self {
    case .noRecipient: "the recipient in it is none"
    case .otherRecipient: "the recipient in it is another than the capsule was made with"
    case .otherCapsule(let id): "its lock is that of another capsule, \(id)"
    case .unlockEarlier: "its unlock time is earlier than the one inside the seal:"
    case .otherForm(let sealed): "its lock was sealed as '\(sealed)', and it says otherwise"
    case .noChain:
      "its chain does not have the parameters that it says, or has the public key of another chain"
    case .otherRound: "its lock is sealed to another round or chain than it says"
    case .escrows(let sealed, let recorded):
      "its lock can be lifted early by \(String.counting(sealed, "escrow")), and it names "
        + "\(recorded)"
    case .unreadable: "its lock cannot be read"
    }
  }
}

extension LockProblem {
  /// The time that the words end with; `nil` for none.
  var time: Instant? {
    if case .unlockEarlier(let sealed) = self { sealed } else { nil }
  }
}

extension SpareRefusal {
  /// The reason in words, behind "it".
  var words: String {
    switch self {
    case .recipients:
      "it is sealed to recipients, and asks for no passphrase that a spare could replace"
    case .timelock: "only its date opens it, and a spare does not come before the date"
    case .weaker:
      "the trustees' key is X25519, and the capsule is post-quantum: a spare would be its weakest part"
    }
  }

  fileprivate var hint: String {
    switch self {
    case .recipients:
      "where it was not made for them, make it anew, with '--recipient' and '--trustees' both"
    case .timelock: "make it anew, with '--timelock' and '--trustees': they are its escrow then"
    case .weaker: "make another group, whose key is post-quantum"
    }
  }
}

extension Failure {
  /// A capsule that can have no spare for trustees.
  init(_ refusal: SpareRefusal) {
    self.init(.refused, "no spare for trustees: \(refusal.words)", hint: refusal.hint)
  }

  /// A store that would seal to somebody whom this device does not know.
  init(_ problem: TrustProblem, path: String) {
    var details = problem.members
    details["path"] = .string(path)
    self.init(
      .damaged, problem.words,
      hint: "if you made this change, accept it on this device: capsule store accept",
      details: details)
  }

  /// A capsule whose record and lock disagree, in words.
  init(_ problem: LockProblem, path: String) {
    let hint =
      problem == .otherRecipient
      ? "restore the record from a backup: what is added would be readable to somebody else; "
        + "'--accept-recipient' of 'capsule add' takes it where you know better"
      : "restore the record from a backup"
    self.init(
      .damaged, "'\(path)': \(problem.words)", problem.time, hint: hint,
      details: ["path": .string(path)])
  }
}
