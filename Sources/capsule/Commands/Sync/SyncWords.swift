import CapsuleCore

extension Session {
  /// The store, for a command about synchronising it; a protected one is opened.
  func syncedStore(_ invocation: Invocation) throws -> Store {
    guard let store = try existingStore() else {
      throw Failure(
        .notFound, "there is no store to synchronise",
        hint: "on a second machine: capsule sync join PLACE")
    }
    return try opened(store, invocation)
  }

  /// Works on what this machine knows of synchronising a store.
  ///
  /// - Parameter carrier: its name, for what fails.
  func work<Value>(
    in store: Store, carrier: String = "",
    _ body: (inout SyncSession) throws(SyncError) -> Value
  ) throws -> Value {
    do throws(SyncError) {
      return try store.withSync(now: now) { work throws(SyncError) in
        if work.hasSetAside {
          console.note(
            "What this machine knew of synchronising was damaged, and is put aside: everything is compared."
          )
        }
        return try body(&work)
      }
    } catch {
      throw Failure(error, carrier: carrier)
    }
  }
}

extension SyncHold {
  /// The name in JSON.
  var name: String {
    switch self {
    case .newer: "newer"
    case .missingFile: "missingFile"
    case .damaged: "damaged"
    case .changedMeanwhile: "changedMeanwhile"
    case .unreadable: "unreadable"
    }
  }

  var words: String {
    switch self {
    case .newer(let schema): "it has format \(schema), which is newer than this program's"
    case .missingFile: "a file of it is not in the carrier yet"
    case .damaged: "its file here is not what was written; 'capsule repair' mends it"
    case .changedMeanwhile: "it was changed meanwhile"
    case .unreadable(let error): "both sides together give no record (\(error.path))"
    }
  }
}

extension SyncNote {
  var words: String {
    switch self {
    case .sameName(let name, let items):
      "\(items.count) items are called '\(name)', made on several machines: rename one "
        + "('capsule item edit ID --name NAME'): \(items.map(\.text).joined(separator: ", "))"
    case .addedToOpened(let title, _, let count):
      "'\(title)' was opened on one machine while another added to it: "
        + String.counting(count, "content") + (count == 1 ? " was" : " were") + " not there then"
    }
  }

  var members: JSONObject {
    switch self {
    case .sameName(_, let items):
      [
        "kind": "sameName", "message": .string(words),
        "records": .array(items.map { .string($0.text) }),
      ]
    case .addedToOpened(_, let capsule, _):
      [
        "kind": "addedToOpened", "message": .string(words),
        "records": .array([.string(capsule.text)]),
      ]
    }
  }
}

extension SyncConflict {
  var words: String { "'\(title.isEmpty ? subject.text : title)' \(field)" }

  var members: JSONObject {
    [
      "record": .string(subject.text), "title": .string(title), "field": .string(field),
      "element": key.element.map { .string($0) } ?? .null, "shown": shown ?? .null,
      "others": .array(others.map { $0 ?? .null }),
    ]
  }
}

extension Failure {
  /// A failure that says why a sync ended.
  init(_ error: SyncError, carrier name: String) {
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
    case .otherStore:
      self.init(
        .refused, "the carrier '\(name)' is of another store",
        hint: "give each store a carrier of its own")
    case .headerDamaged:
      self.init(
        .damaged, "the 'carrier.json' of '\(name)' is not what was written",
        hint: "put the file back from a copy, or add another, empty directory")
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
    case .occupied(let path):
      self.init(
        .refused, "the carrier '\(name)' has another '\(path)' already",
        hint: "remove that file from the carrier, and try again")
    case .random(let error): self.init(StoreError.random(error))
    }
  }
}
