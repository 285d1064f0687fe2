/// The members of a JSON object, in the order of their keys' UTF-8 bytes.
///
/// Keys are told apart by their bytes: `é` as one character and as two are two keys, which Swift's
/// own comparison of strings would merge.
package struct JSONObject: Hashable, Sendable {
  /// A key and its value.
  package struct Member: Hashable, Sendable {
    package let key: String
    package var value: JSON

    package init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
  }

  private var members: [Member]

  package init() {
    members = []
  }

  /// An object of these members; the last of several with one key counts.
  package init(_ elements: some Sequence<(String, JSON)>) {
    members = []
    for (key, value) in elements { self[key] = value }
  }

  /// Members that are already sorted, and whose keys differ.
  init(sorted members: [Member]) {
    self.members = members
  }

  /// The value of a key. Setting `nil` removes the member.
  package subscript(key: String) -> JSON? {
    get {
      let index = position(of: key)
      return has(key, at: index) ? members[index].value : nil
    }
    set {
      let index = position(of: key)
      switch (newValue, has(key, at: index)) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert(Member(key: key, value: value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The keys, in order.
  package var keys: [String] {
    members.map(\.key)
  }

  /// Takes a member out and returns its value; `nil` where there is none.
  package mutating func removeValue(forKey key: String) -> JSON? {
    let index = position(of: key)
    return has(key, at: index) ? members.remove(at: index).value : nil
  }

  private func has(_ key: String, at index: Int) -> Bool {
    index < members.count && members[index].key.utf8.elementsEqual(key.utf8)
  }

  /// Returns the index at which a key is, or would be inserted.
  private func position(of key: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if Self.areInOrder(members[middle].key, key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Whether the first key stands before the second.
  static func areInOrder(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}

extension JSONObject: RandomAccessCollection {
  package var startIndex: Int { members.startIndex }
  package var endIndex: Int { members.endIndex }

  package subscript(position: Int) -> Member {
    members[position]
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}
