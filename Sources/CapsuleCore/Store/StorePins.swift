/// What this device knows of whom one store seals to: its pins.
///
/// A pin is of a store's id and the real path of its directory. A store at a path where this device has not used it
/// starts with the pins that the device has for its id elsewhere, and for another store at that path: a header that
/// claims another id is compared too.
struct StorePins: Sendable {
  /// What a pin is about.
  enum Subject: Hashable, Sendable {
    /// The recipients in `store.json`, and whether they are protected.
    case recipients
    /// The recipient of a group of trustees.
    case trustees(RecordID)
    /// The value of a setting that decides whom new capsules are sealed to, or how strongly.
    case setting(SettingKey)
    /// The recipient of a person.
    case person(RecordID)
  }

  private let memory: DeviceMemory
  /// The words that each line begins with.
  private let place: [String]
  /// The pins of this store at this path: the last words of each.
  private var own: [Subject: [String]] = [:]
  /// Those of its id at other paths, and of other stores at this path; the last of each place.
  private var others: [Subject: [[String]: [String]]] = [:]

  private static let storeWord = "store"

  init(of store: Store) {
    memory = DeviceMemory(store.environment)
    place = [Self.storeWord, store.header.id.description, store.layout.root.text]
    for line in memory.lines() where line.count > 4 && line[0] == Self.storeWord {
      guard line[1] == place[1] || line[2] == place[2],
        let (subject, value) = Self.pin(line.dropFirst(3))
      else { continue }
      let lineOf = Array(line.prefix(3))
      if lineOf == place {
        own[subject] = value
      } else {
        others[subject, default: [:]][lineOf] = value
      }
    }
  }

  /// The recipients of the store that this device used last at a path.
  static func recipients(at layout: StoreLayout, _ environment: StoreEnvironment) -> [String] {
    let words = DeviceMemory(environment).lines().last { line in
      line.count > 4 && line[0] == storeWord && line[2] == layout.root.text
        && pin(line.dropFirst(3))?.0 == .recipients
    }
    return Array(words?.dropFirst(5) ?? [])
  }

  /// Whether this device has a pin of the store at this path.
  func hasOwn(_ subject: Subject) -> Bool { own[subject] != nil }

  /// The values that this device knows: that of this path, else all others; empty for none.
  func known(_ subject: Subject) -> [[String]] {
    if let value = own[subject] { return [value] }
    // In an order that does not depend on the run.
    return (others[subject] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map(\.value)
  }

  /// The subjects of all pins that count here.
  var subjects: Set<Subject> { Set(own.keys).union(others.keys) }

  /// Keeps pins of the store at this path, in the place of those before.
  ///
  /// - Returns: whether this device could keep them.
  @discardableResult
  mutating func keep(_ pins: [(subject: Subject, value: [String])]) -> Bool {
    let new = pins.filter { own[$0.subject] != $0.value }
    guard memory.add(new.map { place + Self.words($0.subject) + $0.value }) else {
      return false
    }
    for pin in new { own[pin.subject] = pin.value }
    return true
  }

  private static func words(_ subject: Subject) -> [String] {
    switch subject {
    case .recipients: ["recipients"]
    case .trustees(let id): ["trustees", id.description]
    case .setting(let key): ["setting", key.rawValue]
    case .person(let id): ["person", id.description]
    }
  }

  private static func pin(_ words: ArraySlice<String>) -> (Subject, [String])? {
    guard let kind = words.first, let name = words.dropFirst().first else { return nil }
    let value = Array(words.dropFirst(2))
    switch kind {
    case "recipients": return (.recipients, Array(words.dropFirst()))
    case "trustees": return RecordID(utf8: Array(name.utf8)[...]).map { (.trustees($0), value) }
    case "setting": return SettingKey(rawValue: name).map { (.setting($0), value) }
    case "person": return RecordID(utf8: Array(name.utf8)[...]).map { (.person($0), value) }
    default: return nil
    }
  }
}
