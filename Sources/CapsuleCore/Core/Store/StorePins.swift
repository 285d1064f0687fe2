/// What this device knows of whom one store seals to: its pins.
///
/// A pin is of a store's id and the real path of its directory. A store at a path where this device has not sealed to
/// it starts with the last pins that the device has for its id. Groups of trustees and people are known by their own
/// ids, whatever store says that they are its.
struct StorePins: Sendable {
  /// What a pin is about.
  enum Subject: Hashable, Sendable {
    /// The recipients in `store.json`, whether they are protected, and those that they had before.
    case recipients
    /// Those that the store is about to have: its owner protects it, or takes its protection off.
    case nextRecipients
    /// The recipient of a group of trustees, the digest of its name, and the recipient that it is about to get.
    case trustees(RecordID)
    /// The value of a setting that decides whom new capsules are sealed to, or how strongly.
    case setting(Setting)
    /// The recipient of a person, and the digest of the name.
    case person(RecordID)
  }

  typealias Pin = (subject: Subject, value: [String])

  private let memory: DeviceMemory
  /// The words that each line begins with.
  private let place: [String]
  /// The pins of this store at this path.
  private var own: [Subject: [String]] = [:]
  /// The last ones elsewhere: of the same store, and of the same group or person.
  private var elsewhere: [Subject: [String]] = [:]
  /// The last ones of other stores at this path.
  private var before: [Subject: [String]] = [:]
  /// The store that this device knew last at this path, where it is another one.
  private(set) var storeBefore: RecordID?
  /// The digests of the names of the groups and people of this store, and of those at its path before.
  private(set) var names: [Subject: String] = [:]

  private static let storeWord = "store"

  /// The pins of a store's own key, its settings and its trustees.
  ///
  /// - Throws: `.knownKeysUnreadable` where they are there and cannot be read: what is known must not be forgotten.
  init(of store: Store) throws(Fault) {
    try self.init(of: store, DeviceMemory(store.environment, "pins"))
  }

  /// The pins of a store's people.
  init(ofPeopleIn store: Store) throws(Fault) {
    try self.init(of: store, DeviceMemory(store.environment, "pins-people"))
  }

  private init(of store: Store, _ memory: DeviceMemory) throws(Fault) {
    self.memory = memory
    place = [Self.storeWord, store.header.id.description, store.layout.root.text]
    for line in try memory.lines() where line.count > 4 && line[0] == Self.storeWord {
      guard let (subject, value) = Self.pin(line.dropFirst(3)) else { continue }
      let isSame = line[1] == place[1]
      let isHere = line[2] == place[2]
      if isSame || isHere, value.count > 1 { note(name: value[1], of: subject) }
      if isSame, isHere {
        own[subject] = value
      } else if isSame || subject.isOfRecord {
        elsewhere[subject] = value
      } else if isHere {
        before[subject] = value
        if subject == .recipients { storeBefore = RecordID(line[1]) }
      }
    }
    if own[.recipients] != nil { storeBefore = nil }
  }

  private mutating func note(name: String, of subject: Subject) {
    if subject.isOfRecord { names[subject] = name }
  }

  /// The values that this device takes; empty where it knows none.
  func known(_ subject: Subject) -> [[String]] {
    if let value = own[subject] {
      return [value] + (subject == .recipients ? own[.nextRecipients].map { [$0] } ?? [] : [])
    }
    return (elsewhere[subject] ?? before[subject]).map { [$0] } ?? []
  }

  /// Keeps pins of the store at this path, in the place of those before.
  ///
  /// - Returns: whether this device could keep them.
  @discardableResult
  mutating func keep(_ pins: [Pin]) -> Bool {
    let new = pins.filter { own[$0.subject] != $0.value }
    guard memory.add(new.map { place + Self.words($0.subject) + $0.value }) else { return false }
    for pin in new { own[pin.subject] = pin.value }
    return true
  }

  /// Keeps pins without which the ones that are known would refuse what comes next.
  ///
  /// - Throws: `.io` where this device knows the store and cannot keep them.
  mutating func require(_ pins: [Pin]) throws(Fault) {
    guard !known(.recipients).isEmpty else {
      keep(pins)
      return
    }
    let new = pins.filter { own[$0.subject] != $0.value }
    try memory.append(new.map { place + Self.words($0.subject) + $0.value })
    for pin in new { own[pin.subject] = pin.value }
  }

  /// The recipients of the store that this device used last at a path; none where that cannot be read.
  static func recipients(at layout: StoreLayout, _ environment: StoreEnvironment) -> [String] {
    let lines = (try? DeviceMemory(environment, "pins").lines()) ?? []
    let value = lines.last { line in
      line.count > 4 && line[0] == storeWord && line[2] == layout.root.text
        && pin(line.dropFirst(3))?.0 == .recipients
    }.flatMap { pin($0.dropFirst(3))?.1 }
    return value.map { RecipientsPin($0).recipients } ?? []
  }

  private static func words(_ subject: Subject) -> [String] {
    switch subject {
    case .recipients: ["recipients"]
    case .nextRecipients: ["next"]
    case .trustees(let id): ["trustees", id.description]
    case .setting(let setting): ["setting", setting.key]
    case .person(let id): ["person", id.description]
    }
  }

  private static func pin(_ words: ArraySlice<String>) -> (Subject, [String])? {
    guard let kind = words.first, let name = words.dropFirst().first else { return nil }
    let value = Array(words.dropFirst(2))
    switch kind {
    case "recipients": return (.recipients, Array(words.dropFirst()))
    case "next": return (.nextRecipients, Array(words.dropFirst()))
    case "trustees": return RecordID(name).map { (.trustees($0), value) }
    case "setting": return Setting.named(name).map { (.setting($0), value) }
    case "person": return RecordID(name).map { (.person($0), value) }
    default: return nil
    }
  }
}

extension StorePins.Subject {
  /// Whether it is a record, whose id says what it is in every store.
  fileprivate var isOfRecord: Bool {
    switch self {
    case .trustees, .person: true
    case .recipients, .nextRecipients, .setting: false
    }
  }
}

/// The words of a pin of recipients: `protected` or `clear`, how many there are, they, and those of a protected store
/// before.
struct RecipientsPin: Hashable, Sendable {
  let isProtected: Bool
  let recipients: [String]
  let former: [String]

  private static let protectedWord = "protected"

  init(_ header: StoreHeader) {
    isProtected = header.isProtected
    recipients = header.identities.map(\.recipient)
    former = header.isProtected ? header.former ?? [] : []
  }

  init(_ words: [String]) {
    isProtected = words.first == Self.protectedWord
    let count = words.count > 1 ? max(0, min(Int(words[1]) ?? 0, words.count - 2)) : 0
    recipients = Array(words.dropFirst(2).prefix(count))
    former = Array(words.dropFirst(2 + count))
  }

  var words: [String] {
    [isProtected ? Self.protectedWord : "clear", String(recipients.count)] + recipients + former
  }
}

/// A file in the state directory, such as `pins`: what this device decided to trust, whatever a store says later.
///
/// Each line is proven (``CheckedLines``) and has words with single spaces between, in which other bytes than
/// letters, digits and `-._/` are written as `%` and two hexadecimal digits. Later lines take precedence. Lines
/// are only added. Where there is no file nothing is known, and where it cannot be written nothing is kept.
package struct DeviceMemory: Sendable {
  private let files: any FileSystem
  private let path: FilePath?

  /// The most bytes of the file that are read.
  private static let sizeLimit = 64 << 20

  package init(_ environment: StoreEnvironment, _ name: String) {
    files = environment.fileSystem
    path = environment.stateHome?.appending(name)
  }

  /// Returns the words of each whole line, the oldest first.
  ///
  /// - Throws: `.knownKeysUnreadable` for a file that is there and cannot be read, or is too large.
  package func lines() throws(Fault) -> [[String]] {
    guard let path else { return [] }
    let bytes: [UInt8]
    do { bytes = try files.readFile(path, limit: Self.sizeLimit) } catch {
      // No directory for it is no memory.
      if error.condition == .notFound || error.condition == .notDirectory { return [] }
      throw .unreadableMemory(error)
    }
    return CheckedLines.texts(in: bytes).map(Self.words)
  }

  /// Adds lines.
  ///
  /// - Returns: whether they are kept; not so where this device has no place for them.
  @discardableResult
  package func add(_ lines: [[String]]) -> Bool {
    do {
      try append(lines)
      return path != nil || lines.isEmpty
    } catch {
      return false
    }
  }

  /// Adds lines where this device has a place for them.
  package func append(_ lines: [[String]]) throws(Fault) {
    guard let path, !lines.isEmpty else { return }
    try files.addLines(CheckedLines.lines(lines.map(Self.text)), to: path, synchronizing: true)
  }

  private static func text(_ words: [String]) -> [UInt8] {
    Array(words.map(escaped).joined(separator: [UInt8(ascii: " ")]))
  }

  private static func escaped(_ word: String) -> [UInt8] {
    word.utf8.flatMap { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-")...UInt8(ascii: "/"),
        UInt8(ascii: "_"):
        [byte]
      default: Array("%\(Hex.encode([byte]))".utf8)
      }
    }
  }

  private static func words(_ text: ArraySlice<UInt8>) -> [String] {
    text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { word in
      var bytes: [UInt8] = []
      var rest = word[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let decoded = Hex.decode(utf8: rest.prefix(2)),
          decoded.count == 1
        {
          bytes += decoded
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
