extension RecordIndex {
  /// Returns how many records there are.
  package mutating func count() -> Int {
    ask({ content throws(IndexDamage) in try content.count() }, otherwise: 0)
  }

  /// Returns a stamp that is another one where an entry or a stray changed since an earlier opening. It
  /// is mostly the same where none did, but not after the changes were folded into the base.
  package mutating func stamp() -> UInt64 {
    ask({ content throws(IndexDamage) in try content.stamp() }, otherwise: 0)
  }

  /// Hands over the entries in order, until `body` gives `false`.
  ///
  /// - Parameter start: The sort key to begin at, itself included; `nil` for the order's first.
  package mutating func forEach(
    _ order: Order, from start: Int64? = nil, _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    var start = start.map { IndexWalk.Start.at($0) } ?? .end
    var walk: IndexWalk?
    while true {
      let entry = ask(
        { content throws(IndexDamage) in
          // A walk is good for the content that it was begun in.
          var current: IndexWalk
          if let walk {
            current = walk
          } else {
            current = try IndexWalk(order, from: start, of: &content)
          }
          walk = nil
          let entry = try current.next(&content)
          walk = current
          return entry
        }, otherwise: nil)
      guard let entry else { return }
      start = .past(entry.key)
      if try !body(entry) { return }
    }
  }

  /// Returns the first entries in order.
  package mutating func entries(
    _ order: Order, from start: Int64? = nil, limit: Int
  ) -> [IndexEntry] {
    var found: [IndexEntry] = []
    if limit <= 0 { return found }
    forEach(order, from: start) { entry in
      found.append(entry)
      return found.count < limit
    }
    return found
  }

  /// Returns the entry of one record.
  package mutating func entry(_ id: RecordID) -> IndexEntry? {
    ask({ content throws(IndexDamage) in try content.entry(id) }, otherwise: nil)
  }

  /// Returns the entries whose ids begin with these digits, by id.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else finds nothing.
  package mutating func entries(
    idPrefix prefix: some StringProtocol, limit: Int
  ) -> [IndexEntry] {
    guard let range = RecordID.range(prefix: prefix) else { return [] }
    return ask(
      { content throws(IndexDamage) in try content.entries(ids: range, limit: limit) },
      otherwise: [])
  }

  /// Returns the entries with this hash of their name, in order. Another name may have the same.
  package mutating func entries(nameHash: UInt64) -> [IndexEntry] {
    ask(
      { content throws(IndexDamage) in try content.entries(nameHash: nameHash) }, otherwise: [])
  }

  /// Returns the entries that fall due after one instant and not after another, by when they do,
  /// then in order.
  ///
  /// - Parameter sorted: the sort keys of the entries; others are not read. All if `nil`.
  package mutating func entries(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil
  ) -> [IndexEntry] {
    ask(
      { content throws(IndexDamage) in
        try content.entries(dueAfter: start, through: end, sorted: sorted)
      }, otherwise: [])
  }

  /// Hands over ``entries(dueAfter:through:sorted:)`` one by one, until `body` gives `false`;
  /// little more is read.
  package mutating func forEach(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil,
    _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    var passed: IndexDueKey?
    var walk: IndexDueWalk?
    while true {
      let entry = ask(
        { content throws(IndexDamage) in
          // As above.
          var current: IndexDueWalk
          if let walk {
            current = walk
          } else {
            current = try IndexDueWalk(
              after: start, through: end, sorted: sorted, past: passed, of: &content)
          }
          walk = nil
          let entry = try current.next(&content)
          walk = current
          return entry
        }, otherwise: nil)
      guard let entry else { return }
      passed = entry.dueKey
      if try !body(entry) { return }
    }
  }

  /// Returns how many entries fall due after one instant and not after another.
  package mutating func count(dueAfter start: Int64, through end: Int64) -> Int {
    ask(
      { content throws(IndexDamage) in
        try content.count(dueAfter: start, through: end)
      }, otherwise: 0)
  }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) -> [IndexRow] {
    ask({ content throws(IndexDamage) in try content.rows(shard: shard) }, otherwise: [])
  }

  /// Returns the entries with a problem, by id.
  package mutating func problems() -> [IndexEntry] {
    ask(
      { content throws(IndexDamage) in
        var found: [IndexEntry] = []
        for id in try content.problems() {
          guard let entry = try content.entry(id) else { throw IndexDamage() }
          found.append(entry)
        }
        return found
      }, otherwise: [])
  }

  /// Returns the files among the records that are none, such as a synchroniser's conflict copies,
  /// by path; names that begin with a dot are left out.
  package mutating func strays() -> [FilePath] {
    let strays = ask(
      { content throws(IndexDamage) in try content.allStrays() }, otherwise: [:])
    var paths: [FilePath] = []
    for (number, names) in strays {
      for name in names { paths.append(path(number, name)) }
    }
    return paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
