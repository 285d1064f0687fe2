import CapsuleCore

extension LockProblem {
  /// The disagreement, behind the name of the record.
  var words: String {
    switch self {
    case .noRecipient: "the recipient in it is none"
    case .otherRecipient: "the recipient in it is another than the capsule was made with"
    case .otherCapsule(let id): "its lock is that of another capsule, \(id)"
    case .unlockEarlier: "its unlock time is earlier than the one inside the seal:"
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

extension Failure {
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
