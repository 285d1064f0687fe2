extension CapsuleError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .store(let error): "\(error)"
    case .unreadableSource(let error): "\(error)"
    case .sourceIsDirectory(let path): "\(path.quoted) is a directory"
    case .sourceTooLarge(let path, let size, let limit):
      "\(path.quoted) has \(size) bytes or more, and the setting maxFileSize allows \(limit)"
    case .sourceChanged(let path): "\(path.quoted) changed while it was read"
    case .notAnImage(let path, let type): "\(path.quoted) is no image, but \(type.quoted)"
    case .streamFailed(let error): "a stream failed: \(words(of: error))"
    case .seal(let error, let path):
      (path.isEmpty ? "the seal" : "the seal in \(path.quoted)") + ": \(words(of: error))"
    case .proof(let path):
      "\(path.quoted) was sealed, and does not open as what was read"
    case .lock(let problem, let path): "\(path.quoted): \(problem.words)"
    case .details(let error, let path):
      "what is sealed in \(path.quoted) is not a content" + (error.map { ": \($0)" } ?? "")
    case .alreadyOpened(let instant):
      "nothing can be added: the capsule was opened on \(instant.rfc3339)"
    case .invalid(let error): "the capsule cannot be kept: \(error)"
    case .noBytes(let content): "content \(content) has neither a text nor a file"
    case .otherSize(let content, let size, let expected):
      "content \(content) has \(size) bytes instead of \(expected)"
    case .noSuchContent(let index): "there is no content at index \(index)"
    case .unknownContent(let word, let title, _):
      "\(title.quoted) has no content \(word.quoted)"
    case .ambiguousContent(let word, let numbers):
      "\(word.quoted) means several contents: "
        + numbers.map(String.init).joined(separator: ", ")
    case .nameTaken(let path): "\(path.quoted) exists already"
    }
  }
}

extension OpeningError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .capsule(let error): "\(error)"
    case .locked(let until, let remaining):
      "the capsule is locked until \(until.rfc3339), for \(remaining) more seconds"
    case .unknownChain(let hash, let until):
      "the capsule is locked until \(until.rfc3339), and the beacon that proves otherwise is of the chain "
        + "\(hash.quoted), which this device does not know"
    case .timelock(let error): "the timelock in the record is wrong: \(error)"
    case .otherRound: "the lock is sealed to another round or chain than its record says"
    case .unrecordedTimelock: "the lock is timelocked, and its record does not say to what"
    case .noKey(.passphrase): "the passphrase is wrong"
    case .noKey(.shares): "the shares do not fit the lock"
    case .noKey(.identity): "no key fits the lock"
    case .lock(let error): "the lock did not open: \(words(of: error))"
    case .lockFault(let fault): "\(fault)"
    case .source(let error): "no keys could be had: \(words(of: error))"
    }
  }
}

extension LockFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notKeyFile: "the lock does not hold the key of a capsule"
    case .layers: "the lock has too many layers"
    case .otherCapsule(let id): "the lock is that of another capsule, \(id)"
    case .unlockEarlier(let sealed):
      "the record's unlock time is earlier than the sealed one, \(sealed.rfc3339)"
    case .otherForm(let sealed):
      "the lock was sealed as \(sealed.quoted), and the record says otherwise"
    case .otherRecipient: "the lock is that of another recipient than the record's"
    }
  }
}

extension LockProblem {
  fileprivate var words: String {
    switch self {
    case .noRecipient: "the recipient in it is none"
    case .otherRecipient: "the recipient in it is another than the capsule was made with"
    case .otherCapsule(let id): "its lock is that of another capsule, \(id)"
    case .unlockEarlier(let sealed):
      "its unlock time is earlier than the sealed one, \(sealed.rfc3339)"
    case .otherForm(let sealed): "its lock was sealed as \(sealed.quoted), and it says otherwise"
    case .noChain:
      "its chain does not have the parameters that it says, or has the public key of another chain"
    case .otherRound: "its lock is sealed to another round or chain than it says"
    case .escrows(let sealed, let recorded):
      "its lock has \(sealed) escrows, and it names \(recorded)"
    case .unreadable: "its lock cannot be read"
    }
  }
}

extension KeysError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .identity(let place): "the identity at index \(place) is no secret key"
    case .beacon: "the beacon is neither drand's JSON nor 96 hexadecimal digits"
    case .chain: "the chain info does not describe a drand chain that can be sealed to"
    }
  }
}

extension LockRequestError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .recipient(let place): "the recipient at index \(place) is none that can be sealed to"
    case .emptyPassphrase: "the passphrase is empty"
    case .timelockInside: "a timelock cannot stand inside another"
    case .outOfRange: "the time is outside the years 1 to 9999"
    case .chain: "the chain info is none of a drand chain that can be sealed to"
    }
  }
}

extension SpareRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .recipients: "the capsule is sealed to recipients, and no spare is in the place of one"
    case .timelock: "only its date opens the capsule, and a spare would be in the place of nothing"
    case .weaker:
      "the capsule withstands quantum computers, and the key of the trustees does not"
    }
  }
}

extension DeliveryFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRecipient: "the person has no age recipient to seal to"
    case .changedMeanwhile:
      "what it was planned by was changed meanwhile; nothing was handed over"
    case .exists(let path): "\(path.quoted) exists already"
    case .notADirectory(let path): "\(path.quoted) is no directory"
    case .file(let name, let gift, let cause):
      "\(name.quoted) of \(gift.quoted) could not be written: \(words(of: cause))"
    case .unmarked(let bequests):
      "the delivery is whole, but \(bequests.count) of its bequests could not be marked as sent"
    case .store(let error): "\(error)"
    case .capsule(let error): "\(error)"
    case .opening(let error): "\(error)"
    case .io(let error): "\(error)"
    case .other(let error): words(of: error)
    }
  }
}

/// Returns what any error says: what a function of the caller's threw may be one of anything.
private func words(of error: any Error) -> String {
  switch error {
  case let error as AgeFailure: words(of: error)
  case let error as TlockError: words(of: error)
  case let fault as ProtectionFault: words(of: fault)
  default: SafeText.line("\(error)")
  }
}

private func words(of failure: AgeFailure) -> String {
  switch failure {
  case .header(.notAge): "it is not an age file"
  case .header, .headerMAC: "its header is damaged"
  case .payload(.truncated): "it is cut off"
  case .payload: "its bytes are damaged"
  case .armor: "its armor is damaged"
  case .noMatch: "no key fits"
  case .tooEarly(let until): "it is timelocked until \(until.rfc3339)"
  case .unproven(let cause): "nothing proves that its time has come: \(words(of: cause))"
  case .recipients(.none): "nobody is named to seal to"
  case .recipients(.passphraseNotAlone): "a passphrase cannot stand beside other recipients"
  case .recipients(.lowOrder): "a recipient is not a usable key"
  case .recipients(.tooMany): "there are too many recipients for one file"
  case .recipients(.mixed): "post-quantum recipients cannot stand beside others"
  case .source(let error), .sink(let error): words(of: error)
  case .random(let failure): "\(failure)"
  case .memory: "there is not enough memory for the passphrase's work"
  case .tooMuchWork(let workFactor, let limit):
    "its passphrase has a work factor of \(workFactor), and the limit is \(limit)"
  }
}

private func words(of error: TlockError) -> String {
  switch error {
  case .beaconNeeded(_, let round): "the beacon of round \(round) is needed"
  case .notYet(let round, let time):
    "round \(round) is not signed yet" + (time.map { ", but on \($0.rfc3339)" } ?? "")
  case .badSignature(let round): "the beacon is not the signature of round \(round)"
  case .otherRound(let wanted, let claimed): "the beacon is of round \(claimed), not \(wanted)"
  case .unknownChain(let hash): "the chain \(hash.quoted) is not known"
  case .damaged: "the timelock is damaged"
  }
}

private func words(of fault: ProtectionFault) -> String {
  switch fault {
  case .wrongPassphrase: "the passphrase of the store is wrong"
  case .wrongIdentity: "no identity is the store's own"
  case .damaged(let path): "\(path.quoted) is damaged"
  case .lostIdentity(let path): "\(path.quoted) cannot be read"
  case .closed: "the store is protected, and its passphrase was not given"
  case .seal(let failure): words(of: failure)
  case .store(let error): "\(error)"
  }
}
