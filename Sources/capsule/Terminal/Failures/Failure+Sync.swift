import CapsuleCore

extension Failure {
  /// A failure that says why a sync ended.
  init(_ error: SyncError, carrier name: String = "") {
    switch error {
    case .store(let error): self.init(error)
    case .io(let error): self.init(error)
    case .carrier(let fault): self.init(fault, carrier: name)
    case .busy:
      self.init(
        .busy, "another sync of this store is running here", hint: "try again when it is done")
    case .noPlace:
      self.init(
        .usage,
        "no place for the state of this machine: HOME is not set and the account has no home",
        hint: "set XDG_STATE_HOME")
    case .noIdentity:
      self.init(
        .key, "no identity of the store is here, so nothing can be sealed to its machines",
        hint: "'capsule verify' says what is missing, 'capsule repair' mends it")
    case .noHeader(let hasFiles):
      self.init(
        .refused,
        hasFiles
          ? "the carrier '\(name)' has lost its 'carrier.json'"
          : "there is no carrier in the place of '\(name)'",
        hint: hasFiles
          ? "put the file back from a copy, or add another, empty directory"
          : "is the disk mounted? if it is a new one: capsule sync add NAME PLACE")
    case .nested:
      self.init(
        .refused, "the carrier '\(name)' and the store lie in one another",
        hint: "give the carrier a directory of its own")
    case .otherStore:
      self.init(
        .refused, "the carrier '\(name)' is of another store",
        hint: "give each store a carrier of its own")
    case .headerDamaged:
      self.init(
        .damaged, "the 'carrier.json' of '\(name)' is not what was written",
        hint: "put the file back from a copy, or add another, empty directory")
    case .identitiesDamaged:
      self.init(
        .damaged, "the identities in the carrier '\(name)' are not what was written",
        hint: "on a machine that has the store: capsule sync add NAME PLACE --passphrase")
    case .newerCarrier(let format):
      self.init(
        .version, "the carrier '\(name)' has format \(format), which is newer than this program's",
        hint: "use a newer capsule")
    case .incomplete:
      self.init(
        .partial,
        "not everything in the carrier '\(name)' could be taken in, so nothing was removed",
        hint: "'capsule sync' says what waits or is damaged")
    case .seal(let error): self = .seal(error, path: "")
    case .random(let error): self.init(StoreError.random(error))
    }
  }

  private init(_ fault: CarrierFault, carrier name: String) {
    switch fault {
    case .unreachable(let place):
      self.init(
        .io, "the carrier '\(name)' is not there: '\(place)'",
        hint: "mount the disk, or reach the network, and try again; nothing is lost")
    case .io(let error): self.init(error)
    case .noProgram(let program):
      self.init(
        .io, "there is no '\(program)' to reach the carrier '\(name)' with",
        hint: "install it ('apt install \(program)', 'brew install \(program)'), and try again; "
          + "nothing is lost")
    case .program(let program, let line):
      self.init(
        .io, "'\(program)' did not do its work with the carrier '\(name)': \(line)",
        hint: "nothing is lost; when that is mended, try again")
    case .timedOut(let program, let seconds):
      self.init(
        .io,
        "'\(program)' was not done with the carrier '\(name)' within "
          + DurationUnit.second.text(Int(seconds)),
        hint: "nothing is lost; try again")
    case .notDirectory(let path):
      self.init(
        .refused, "'\(path)' in the carrier '\(name)' is no directory of its own",
        hint:
          "a carrier has no links in it: put there what it leads to, and move any other file away",
        details: ["path": .string(path)])
    case .occupied(let path):
      self.init(
        .refused, "the carrier '\(name)' has another '\(path)' already",
        hint: "remove that file from the carrier, and try again")
    case .random(let error): self.init(StoreError.random(error))
    }
  }
}
