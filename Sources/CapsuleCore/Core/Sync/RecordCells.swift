/// The members of a record taken apart into cells, and put together again.
extension MergeTable {
  /// Takes a record's members apart. Its id and its checksum are none of them.
  package func cells(of fields: JSONObject) -> [CellKey: CellValue] {
    var rest = fields
    rest["id"] = nil
    rest["checksum"] = nil
    var cells: [CellKey: CellValue] = [:]
    if let beacon = rest.takeBeacon() { cells[CellKey(Self.beacon.name)] = CellValue(beacon) }
    if self.fields.contains(Self.occurrence) { rest.takeOccurrences(to: &cells) }
    for field in self.fields where !field.members.isEmpty {
      switch field.rule {
      case .elements(let known, _), .collection(let known):
        let elements = rest.removeValue(forKey: field.name)?.array ?? []
        Self.add(elements, known, field.name, to: &cells)
      default:
        var members: JSONObject = [:]
        for name in field.members {
          guard let value = rest.removeValue(forKey: name) else { continue }
          if case .null = value { continue }
          members[name] = value
        }
        if let first = members.first {
          let value = field.members.count > 1 ? JSON.object(members) : first.value
          cells[CellKey(field.name)] = CellValue(value)
        }
      }
    }
    for member in rest {
      if case .null = member.value, known.contains(member.key) { continue }
      cells[CellKey(member.key)] = CellValue(member.value)
    }
    return cells
  }

  private static func add(
    _ elements: [JSON], _ known: [String], _ name: String, to cells: inout [CellKey: CellValue]
  ) {
    var counts: [String: Int] = [:]
    for (ordinal, element) in elements.enumerated() {
      let identity: JSON =
        known.isEmpty ? element : .array(known.map { element[$0] ?? .null })
      let text = String(decoding: identity.encoded(.compact), as: UTF8.self)
      // Equal elements are told apart by how many stand before them.
      let count = counts[text, default: 0]
      counts[text] = count + 1
      cells[CellKey(name, count == 0 ? text : "\(text)#\(count)")] = CellValue(
        element, ordinal: Int64(ordinal))
    }
  }

  /// Puts a record's members together.
  package func fields(of cells: [CellKey: CellValue]) -> JSONObject {
    var members: JSONObject = [:]
    var lists: [String: [(key: CellKey, value: CellValue)]] = [:]
    let groups = Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
    for (key, value) in cells {
      if key.element != nil {
        lists[key.member, default: []].append((key, value))
      } else if let field = groups[key.member], field.members.count > 1 {
        for member in value.json.object ?? [:] where field.members.contains(member.key) {
          members[member.key] = member.value
        }
      } else if key.member != Self.beacon.name {
        members[key.member] = value.json
      }
    }
    for (name, elements) in lists {
      let sorted = elements.sorted {
        $0.value.ordinal == $1.value.ordinal
          ? $0.key < $1.key : $0.value.ordinal < $1.value.ordinal
      }
      if name == Self.occurrence.name {
        members.put(occurrences: sorted)
      } else {
        members[name] = .array(sorted.map(\.value.json))
      }
    }
    if let beacon = cells[CellKey(Self.beacon.name)] { members.put(beacon: beacon.json) }
    return members
  }
}

extension JSONObject {
  fileprivate mutating func takeBeacon() -> JSON? {
    guard case .object(var lock)? = self["lock"], case .object(var timelock)? = lock["timelock"],
      let beacon = timelock["beacon"]
    else { return nil }
    timelock["beacon"] = nil
    lock["timelock"] = .object(timelock)
    self["lock"] = .object(lock)
    if case .null = beacon { return nil }
    return beacon
  }

  fileprivate mutating func put(beacon: JSON) {
    guard case .object(var lock)? = self["lock"], case .object(var timelock)? = lock["timelock"]
    else { return }
    timelock["beacon"] = beacon
    lock["timelock"] = .object(timelock)
    self["lock"] = .object(lock)
  }
}

// MARK: Single occurrences

extension MergeTable {
  static let occurrenceKey = "of"
  /// The members that say when an occurrence is: they are one.
  fileprivate static let occurrenceTime = ["date", "at", "zone"]

  /// Returns the cell of an occurrence's time, or of another member.
  fileprivate static func cell(_ occurrence: JSON, _ member: String? = nil) -> CellKey {
    let name = JSON.array([occurrence] + (member.map { [.string($0)] } ?? []))
    return CellKey(Self.occurrence.name, String(decoding: name.encoded(.compact), as: UTF8.self))
  }
}

extension JSONObject {
  /// Takes the occurrences apart that are left out or different: the time of each is a cell, without members where it
  /// is left out; each other member is one.
  fileprivate mutating func takeOccurrences(to cells: inout [CellKey: CellValue]) {
    for element in removeValue(forKey: "except")?.array ?? [] {
      cells[MergeTable.cell(element)] = CellValue(.object([:]))
    }
    for element in removeValue(forKey: "moved")?.array ?? [] {
      guard let members = element.object, let key = members[MergeTable.occurrenceKey] else {
        continue
      }
      var time: JSONObject = [:]
      for member in members where member.key != MergeTable.occurrenceKey {
        if MergeTable.occurrenceTime.contains(member.key) {
          time[member.key] = member.value
        } else {
          cells[MergeTable.cell(key, member.key)] = CellValue(member.value)
        }
      }
      if !time.isEmpty { cells[MergeTable.cell(key)] = CellValue(.object(time)) }
    }
  }

  /// Puts them together.
  fileprivate mutating func put(occurrences cells: [(key: CellKey, value: CellValue)]) {
    var except: [String] = []
    var moved: [String: JSONObject] = [:]
    for (key, value) in cells {
      guard let name = (try? JSON.parse(Array((key.element ?? "").utf8)))?.array,
        let occurrence = name.first?.string
      else { continue }
      if name.count > 1, let member = name[1].string {
        moved[occurrence, default: [:]][member] = value.json
      } else if let time = value.json.object, !time.isEmpty {
        for member in time { moved[occurrence, default: [:]][member.key] = member.value }
      } else {
        except.append(occurrence)
      }
    }
    if !except.isEmpty { self["except"] = except.sorted().json }
    let elements = moved.sorted { $0.key < $1.key }.map { occurrence, members in
      var members = members
      members[MergeTable.occurrenceKey] = .string(occurrence)
      return JSON.object(members)
    }
    if !elements.isEmpty { self["moved"] = .array(elements) }
  }
}
