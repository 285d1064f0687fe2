import CapsuleCore

extension Failure {
  /// A failure that says why a person's delivery was not made.
  init(_ error: DeliveryError) {
    switch error {
    case .noRecipient(let person):
      self.init(
        .refused, "'\(person.name)' has no age recipient to seal to",
        hint: "set one: 'capsule beneficiary edit REF --recipient age1…'",
        details: ["id": .string(person.id.description)])
    case .noAddress(let person):
      self.init(
        .refused, "'\(person.name)' has no email address",
        hint: "set one: 'capsule beneficiary edit REF --email ADDRESS', or deliver a folder: "
          + "'--output DIR'",
        details: ["id": .string(person.id.description)])
    case .unusableAddress(let person, let fault):
      self.init(
        .refused,
        "'\(person.email)', the address of '\(person.name)', is none that mail can be sent to",
        hint: fault == .notASCII
          ? "only ASCII can be mailed to; a domain has such a form too, with 'xn--'"
          : "set another: 'capsule beneficiary edit REF --email ADDRESS'",
        details: ["id": .string(person.id.description)])
    case .mailTooLarge(let person, let limit):
      self.init(
        .partial,
        "the mail for '\(person.name)' is larger than \(ByteSize.text(limit)); it was not sent",
        hint:
          "deliver it as a folder: '--output DIR'; 'limit' in the configuration of mail allows more",
        details: ["id": .string(person.id.description)])
    case .mailUnmarked(let bequests, let person):
      guard let first = bequests.first else {
        self = .internal("no bequest was marked")
        return
      }
      self.init(first.cause, of: first.bequest)
      let titles = bequests.map { "'\($0.title)'" }.joined(separator: ", ")
      message =
        "the mail for '\(person.name)' was handed over, but \(titles) could not be marked sent: "
        + message
      hint =
        "the next 'capsule deliver --mail' marks what was not taken back, and sends nothing again"
      details["unmarked"] = .array(bequests.map { .string($0.bequest.description) })
    case .changedMeanwhile(let changed, let person):
      let what =
        switch changed {
        case .passing: "the declaration of the passing"
        case .person: "the record of '\(person.name)'"
        case .bequest(let title): "the bequest of '\(title)'"
        case .gift(let title): "'\(title)'"
        }
      self.init(
        .busy, "nothing was handed over to '\(person.name)': \(what) was changed meanwhile",
        hint: "run it again: it goes by what is there now",
        details: ["id": .string(person.id.description)])
    case .exists(let path, let person):
      self.init(
        .refused, "'\(path.text)' exists already; nothing was written for '\(person.name)'",
        hint:
          "look whether it is this delivery: then mark it with 'capsule bequest mark REF sent', else "
          + "move it away and deliver again",
        details: ["id": .string(person.id.description), "path": .string(path.text)])
    case .notADirectory(let path):
      self.init(
        .refused, "'\(path.text)' is no directory", hint: "name another with '--output'")
    case .wrongSize(let expected):
      self.init(
        .damaged, "its size is not \(expected) bytes", hint: "restore it from a backup")
    case .file(let name, let gift, let person, let cause):
      self = Failure(cause)
      guard kind == .damaged else { return }
      message =
        "nothing was made for '\(person)': '\(name)' of '\(gift)' is damaged: " + message
    case .capsuleFile(let name, let capsule, let cause):
      self = Failure(cause)
      guard kind == .damaged else { return }
      message = "'\(name)' of '\(capsule)' is damaged: " + message
    case .unmarked(let bequests, let path):
      guard let first = bequests.first else {
        self = .internal("no bequest was marked")
        return
      }
      self.init(first.cause, of: first.bequest)
      let titles = bequests.map { "'\($0.title)'" }.joined(separator: ", ")
      let ids = bequests.map(\.bequest.description)
      message =
        "'\(path?.text ?? "")' is whole, but \(titles) could not be marked sent: " + message
      hint =
        "look at it first if it was changed meanwhile, then mark it by hand: "
        + ids.map { "capsule bequest mark \($0) sent" }.joined(separator: "; ")
      details["unmarked"] = .array(ids.map { .string($0) })
    }
  }

  /// A failure that says why a bequest did not take a state.
  init(_ error: BequestMarkError, of id: RecordID) {
    switch error {
    case .store(let error): self.init(error)
    case .gone(let reference):
      self.init(
        .refused,
        "the bequest names the \(reference.kind.word) '\(reference.id)', which is not there",
        hint: "bring it back first, or take the bequest back with 'capsule bequest revoke'",
        details: ["id": .string(reference.id.description)])
    case .problem(.order(let from, let to)):
      let next = DeliveryState.allCases.filter(from.next.contains).map(\.words)
      self.init(
        .refused,
        from == to
          ? "the bequest is \(from.words) already"
          : "a bequest that is \(from.words) cannot become \(to.words)",
        hint: next.isEmpty
          ? "it stays so; 'capsule bequeath' leaves it anew"
          : "it can become \(next.joined(separator: " or "))",
        details: ["id": .string(id.description)])
    case .problem(.beforeLast(let last)):
      self.init(
        .refused, "its last change was later, on", last,
        hint: "give a time from then on with '--when'",
        details: ["id": .string(id.description)])
    }
  }

  /// A failure that says why a passing could not be declared or withdrawn, or the owner not be changed.
  init(_ problem: PassingProblem) {
    switch problem {
    case .ownerUnknown:
      self.init(
        .refused, "it is not known whose store this is",
        hint: "say so first: capsule settings set owner NAME")
    case .declared:
      self.init(
        .busy, "another process declared it at the same time",
        hint: "'capsule passing show' says as of when")
    case .notDeclared:
      self.init(.refused, "no passing was declared", hint: "there is nothing to take back")
    case .otherName(let name):
      self.init(
        .refused, "'\(name)' is not the owner's name; nothing was declared",
        hint: "type it as 'capsule settings get owner' shows it")
    case .ownerStays:
      self.init(
        .refused, "a passing of the owner is declared; whose it was stays",
        hint: "'capsule passing withdraw' takes the declaration back")
    }
  }
}

extension Failure {
  /// A file that cannot be read as the list of an estate, in words.
  init(_ fault: EstateList.Fault, path: FilePath) {
    let details: JSONObject = ["path": .string(path.text)]
    switch fault {
    case .notJSON, .member:
      self.init(
        .damaged, "'\(path.text)' is no list of an estate", hint: "make both anew",
        details: details)
    case .newer(let version):
      self.init(
        .version, "'\(path.text)' is of version \(version), and this program reads 1",
        hint: "take a newer program", details: details)
    }
  }
}

extension Failure {
  /// What the switch refuses, in words.
  init(_ problem: SwitchProblem) {
    switch problem {
    case .off:
      self.init(
        .refused, "the switch is off",
        hint: "turn it on: capsule switch set --every '30 days' --contact PERSON")
    case .ended:
      self.init(
        .refused, "a passing of the owner is declared, and the switch has ended with it",
        hint: "'capsule passing withdraw' takes the declaration back")
    case .noWitness:
      self = .usage(
        "it is not said who hears of your silence", hint: "name each with '--contact PERSON'")
    case .unreachableWitness(let id, let name):
      self.init(
        .refused, "'\(name)' has no email address, and an emergency contact needs one",
        hint: "add it: capsule beneficiary edit '\(name.quotedForShell)' --email ADDRESS",
        details: ["id": .string(id.description)])
    case .span(let span):
      self = .usage(
        "'\(span)' is no time for the switch",
        hint: "write a span of at most 10 years, such as '30 days'")
    }
  }
}

extension DeliveryState {
  /// The state for people.
  var words: String {
    self == .notSent ? "not sent" : rawValue
  }
}
