/// A question for records of every kind that hold some words.
package struct SearchQuery: Sendable {
  /// Words that say nothing to look for, or too many of them.
  package enum WordProblem: Hashable, Sendable {
    /// Nothing but blanks and marks.
    case empty(String)
    case tooMany(Int, limit: Int)
  }

  /// The kinds that are searched, in this order.
  package var kinds = RecordKind.allCases
  /// The most hits of each kind that are read; all are counted.
  package var limit = 50
  /// The number of characters of a text that are shown on either side of a found word.
  package var context = 40
  /// Whether the texts in opened capsules are looked through.
  package var looksInside = false
  package let now: Instant

  let folding = TextFolding()
  let words: [[UInt8]]
  let matcher: TextMatcher

  /// - Parameter words: each has to be found, with its blanks as they stand.
  package init(_ words: [String], now: Instant) throws(Fault) {
    guard words.count <= TextMatcher.wordLimit else {
      throw Fault(WordProblem.tooMany(words.count, limit: TextMatcher.wordLimit))
    }
    var folded: [[UInt8]] = []
    for word in words {
      let bytes = folding.fold(word).trimmed
      if bytes.isEmpty { throw Fault(WordProblem.empty(word)) }
      folded.append(bytes)
    }
    self.words = folded
    self.now = now
    matcher = TextMatcher(folded)
  }
}

/// A text in which words were found, cut to what stands around them.
package struct SearchMatch: Hashable, Sendable {
  package let field: SearchField
  /// The part of the field's text, its blanks as spaces.
  package let text: String
  /// Whether something stands before and behind it in the field.
  package let isCutBefore: Bool
  package let isCutAfter: Bool
  /// The places of the found words in it, in Unicode scalars from its beginning.
  package let marks: [Range<Int>]
}

/// A record in which every word was found.
package struct SearchHit: Sendable {
  package let kind: RecordKind
  package let id: RecordID
  package let title: String
  /// The places of the found words in its title or name, in Unicode scalars from its beginning.
  package let titleMarks: [Range<Int>]
  /// The found words in its other texts.
  package let matches: [SearchMatch]
}

/// The hits among the records of one kind.
package struct SearchGroup: Sendable {
  package let kind: RecordKind
  /// The hits: first those whose title has every word, then the others; from the last that was made.
  package var hits: [SearchHit]
  /// The number of all hits, of which `hits` may be the first.
  package let total: Int
}

/// The answer to a ``SearchQuery``.
package struct SearchAnswer: Sendable {
  package var groups: [SearchGroup] = []
  /// Opened capsules that could not be looked into without a key, or a beacon.
  package var needingKey = 0
  /// Opened capsules that are damaged.
  package var failures: [(capsule: Capsule, error: Fault)] = []

  package init() {}
}

extension [UInt8] {
  /// The bytes without spaces at the ends.
  fileprivate var trimmed: [UInt8] {
    let space = UInt8(ascii: " ")
    guard let first = firstIndex(where: { $0 != space }),
      let last = lastIndex(where: { $0 != space })
    else { return [] }
    return Array(self[first...last])
  }
}

/// A text with the places at which words were found in it.
struct SearchedText {
  private let scalars: [Unicode.Scalar]
  /// The places of the words, in scalars from the beginning, in order; none touches another.
  let marks: [Range<Int>]

  /// - Parameter words: folded.
  init(_ text: String, _ words: [[UInt8]], _ folding: TextFolding) {
    let scalars = Array(text.unicodeScalars)
    var bytes: [UInt8] = []
    /// The scalar that each folded byte comes from.
    var origins: [Int] = []
    for (place, scalar) in scalars.enumerated() {
      folding.fold(scalar, to: &bytes)
      while origins.count < bytes.count { origins.append(place) }
    }
    var found: [Range<Int>] = []
    for word in words {
      guard let first = word.first, word.count <= bytes.count else { continue }
      var start = 0
      while start + word.count <= bytes.count {
        guard bytes[start] == first, bytes[start..<start + word.count].elementsEqual(word) else {
          start += 1
          continue
        }
        // Marks behind a letter go with it.
        let end =
          start + word.count < bytes.count ? origins[start + word.count] : scalars.count
        let last = max(origins[start + word.count - 1] + 1, end)
        found.append(origins[start]..<last)
        start += word.count
      }
    }
    self.scalars = scalars
    marks = Self.joined(found)
  }

  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: {
      ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
    }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Returns the part around the first place, with so many scalars on either side.
  func match(_ field: SearchField, context: Int) -> SearchMatch? {
    guard let first = marks.first else { return nil }
    let start = beginning(first.lowerBound - context, before: first.lowerBound)
    let end = min(scalars.count, max(first.upperBound, start + 2 * context + first.count))
    let blank: Unicode.Scalar = " "
    let part = scalars[start..<end].map { $0.properties.isWhitespace ? blank : $0 }
    return SearchMatch(
      field: field, text: String(String.UnicodeScalarView(part)), isCutBefore: start > 0,
      isCutAfter: end < scalars.count,
      marks: marks.filter { $0.lowerBound < end }.map { mark in
        mark.lowerBound - start..<min(mark.upperBound, end) - start
      })
  }

  /// Returns where a word begins near a place; the place itself where none does.
  private func beginning(_ place: Int, before limit: Int) -> Int {
    if place <= 0 { return 0 }
    let part = scalars[place..<min(limit, place + 20)]
    return part.firstIndex { $0.properties.isWhitespace }.map { $0 + 1 } ?? place
  }
}

extension Store {
  /// Questions about the records of several kinds.
  package var queries: StoreQueries { StoreQueries(store: self) }
}

/// Questions about the records of several kinds.
package struct StoreQueries: StoreSubject {
  package let store: Store

  /// Finds the records that hold every word of a query, in whatever may be read of them.
  ///
  /// - Parameter note: is called with the index of each kind that is looked through.
  package func search(
    _ query: SearchQuery, noting note: (inout RecordIndex) -> Void = { _ in }
  ) -> SearchAnswer {
    var search = RecordSearch(store, query)
    return search.run(note)
  }
}

/// One search through the records of every kind.
private struct RecordSearch {
  /// A record that was found, until it is read.
  private struct Found {
    let id: RecordID
    let madeAt: Int64
    let hasAllInTitle: Bool

    static func isBefore(_ left: Found, _ right: Found) -> Bool {
      if left.hasAllInTitle != right.hasAllInTitle { return left.hasAllInTitle }
      return (left.madeAt, left.id) > (right.madeAt, right.id)
    }
  }

  /// The records of one kind that were found.
  private struct FoundOfKind {
    var first: FirstSorted<Found>
    var total = 0

    init(limit: Int) {
      first = FirstSorted(limit: limit, by: Found.isBefore)
    }

    mutating func add(_ found: Found) {
      total += 1
      first.insert(found)
    }
  }

  private let store: Store
  private let query: SearchQuery
  private let names: RecordNames
  private var answer = SearchAnswer()
  private var inside: [RecordID: InsideMatch] = [:]

  init(_ store: Store, _ query: SearchQuery) {
    self.store = store
    self.query = query
    names = RecordNames(store, now: query.now)
  }

  mutating func run(_ note: (inout RecordIndex) -> Void) -> SearchAnswer {
    if query.looksInside, query.kinds.contains(.capsule) { lookInside() }
    var bequests: [TextHit] = []
    var named: Set<RecordID> = []
    if query.kinds.contains(.bequest) {
      walk(.bequest, note) { hit in
        bequests.append(hit)
        named.formUnion(hit.links)
      }
    }
    // The words of a bequest's title stand in the titles of the records that it names.
    var titleWords: [RecordID: UInt64] = [:]
    var groups: [RecordKind: FoundOfKind] = [:]
    for kind in RecordKind.allCases where kind != .bequest {
      let isWanted = query.kinds.contains(kind)
      guard isWanted || !named.isEmpty else { continue }
      var found = FoundOfKind(limit: query.limit)
      var unseen = kind == .capsule ? inside : [:]
      let all = query.matcher.all
      walk(kind, note) { hit in
        if hit.titleWords != 0, named.contains(hit.id) { titleWords[hit.id] = hit.titleWords }
        let words = hit.words | (unseen.removeValue(forKey: hit.id)?.words ?? 0)
        guard words == all else { return }
        found.add(
          Found(id: hit.id, madeAt: hit.madeAt, hasAllInTitle: hit.titleWords == all))
      }
      for (id, match) in unseen where match.words == all {
        found.add(Found(id: id, madeAt: match.madeAt, hasAllInTitle: false))
      }
      if isWanted { groups[kind] = found }
    }
    groups[.bequest] = matching(bequests, titleWords)
    for kind in query.kinds {
      guard let found = groups[kind], found.total > 0 else { continue }
      let hits = found.first.elements.compactMap { self.hit(kind, $0.id) }
      answer.groups.append(SearchGroup(kind: kind, hits: hits, total: found.total))
    }
    return answer
  }

  /// Returns the bequests that hold every word, with the titles of what they name.
  private func matching(
    _ bequests: [TextHit], _ titleWords: [RecordID: UInt64]
  ) -> FoundOfKind {
    let all = query.matcher.all
    var found = FoundOfKind(limit: query.limit)
    for bequest in bequests {
      let titles = bequest.links.reduce(UInt64(0)) { $0 | titleWords[$1, default: 0] }
      guard bequest.words | titles == all else { continue }
      found.add(Found(id: bequest.id, madeAt: bequest.madeAt, hasAllInTitle: titles == all))
    }
    return found
  }

  private func walk(
    _ kind: RecordKind, _ note: (inout RecordIndex) -> Void, _ body: (TextHit) -> Void
  ) {
    var index = store.index.open(kind, now: query.now, look: .filesOfFew(256))
    note(&index)
    store.index.texts(kind, query.folding).search(&index, for: query.matcher, body)
  }

  /// Reads what was found; `nil` where it is gone by now.
  private func hit(_ kind: RecordKind, _ id: RecordID) -> SearchHit? {
    let path = store.layout.record(kind, id)
    guard let bytes = try? store.files.readFile(path, limit: RecordFile.sizeLimit),
      let model = kind.examine(bytes, id: id).model
    else { return nil }
    var fields = model.searchFields
    let title: String
    if let bequest = model as? Bequest {
      title = names.title(bequest)
    } else {
      title = fields.removeFirst().text
    }
    let context = query.context
    var matches = fields.compactMap { field in
      field.text.isEmpty ? nil : searched(field.text).match(field, context: context)
    }
    matches += inside[id]?.matches ?? []
    return SearchHit(
      kind: kind, id: id, title: title, titleMarks: searched(title).marks, matches: matches)
  }

  private func searched(_ text: String) -> SearchedText {
    SearchedText(text, query.words, query.folding)
  }

  // MARK: Inside

  /// The finds in an opened capsule.
  private struct InsideMatch {
    var words: UInt64 = 0
    var madeAt: Int64
    var matches: [SearchMatch] = []
  }

  /// Opens the capsules that were opened before and whose gate is open now, where that takes no
  /// question, and looks through their texts. Nothing of them is kept.
  private mutating func lookInside() {
    var index = store.index.open(.capsule, now: query.now, look: .filesOfFew(256))
    var opened: [RecordID] = []
    let now = query.now
    index.forEach(.ascending) { entry in
      guard entry.sortKey <= now.seconds else { return false }
      if Brief<Capsule>(entry)?.record.openedAt != nil {
        opened.append(entry.id)
      }
      return true
    }
    for id in opened {
      guard let record = try? store.read(Capsule.self, id), record.model.openedAt != nil else {
        continue
      }
      // The passphrase of a protected store is a key as others are.
      if store.protection.isClosed, record.model.lock.kind == .honor {
        answer.needingKey += 1
        continue
      }
      do {
        switch try store.capsules.openUnattended(record, with: .none, now: now) {
        case .opened(let capsule):
          inside[id] = try finds(in: capsule)
        case .closed: answer.needingKey += 1
        case .locked: break
        }
      } catch {
        answer.failures.append((record.model, error))
      }
    }
  }

  /// Looks through the texts of an opened capsule.
  private func finds(in capsule: OpenedCapsule) throws(Fault) -> InsideMatch? {
    var found = InsideMatch(madeAt: capsule.capsule.header.madeAt)
    for field in try capsule.searchFields() {
      let words = query.matcher.words(in: query.folding.fold(field.text)[...])
      guard words != 0 else { continue }
      found.words |= words
      if let match = searched(field.text).match(field, context: query.context) {
        found.matches.append(match)
      }
    }
    return found.words == 0 ? nil : found
  }
}

extension StoreQueries {
  /// Finds records whose title or name is near to a word that means none: it begins so, has the word
  /// in it, or is spelled nearly so. The nearest stand first.
  ///
  /// - Parameter limit: At most so many.
  package func near(
    _ word: String, among kinds: [RecordKind], limit: Int, now: Instant
  ) -> [FoundRecord] {
    let key = NameKey(word.trimmed).text
    let length = key.unicodeScalars.count
    // Of one letter everything is near.
    guard length > 1 else { return [] }
    var found: [(distance: Int, record: FoundRecord)] = []
    for kind in kinds where kind != .bequest {
      var index = store.index.open(kind, now: now)
      index.forEach(.ascending) { entry in
        guard let distance = Self.distance(from: key, length, to: NameKey(entry.title).text) else {
          return true
        }
        let record = FoundRecord(kind: kind, id: entry.id, title: entry.title)
        let place = found.firstIndex { distance < $0.distance } ?? found.endIndex
        if place < limit { found.insert((distance, record), at: place) }
        if found.count > limit { found.removeLast() }
        return true
      }
    }
    return found.map(\.record)
  }

  /// Returns how far a title is from what was typed; `nil` where it was hardly meant.
  private static func distance(from key: String, _ length: Int, to title: String) -> Int? {
    let limit = max(1, length / 3)
    let edits = EditDistance.between(key, title, limit: limit)
    if edits <= limit { return edits }
    if title.utf8.starts(with: key.utf8) { return limit + 1 }
    let isWord = title.parts(at: " ").contains { $0.utf8.starts(with: key.utf8) }
    return isWord && length > 2 ? limit + 2 : nil
  }
}

/// A thing that asks its owner to do something now.
package enum Demand: Sendable {
  /// An item whose reminder is due.
  case reminder(ItemRow)
  /// A deadline that is over and was not met.
  case deadline(EventRow)
  /// A bequest that may be handed over, and was not sent; not one of a capsule that only its own time opens.
  case bequest(BequestRow)
}

extension StoreQueries {
  /// Returns the things that ask for something, those that have waited longest first; bequests, which no
  /// date asks for, come last. What cannot be read is left out.
  package func demands(
    _ calendar: EventCalendar, passing: Passing?, now: Instant
  ) -> [Demand] {
    var found: [(at: Instant, demand: Demand)] = []
    var items = ItemQuery(now: now, zone: calendar.zone)
    items.onlyDue = true
    forEachReadable(items, now: now) { found.append(($0.dueAt ?? .latest, .reminder($0))) }
    var deadlines = EventQuery(calendar, now: now)
    deadlines.onlyDeadlines = true
    deadlines.includesAhead = false
    forEachReadable(deadlines, now: now) { row in
      guard row.state == .over else { return }
      found.append((row.moment.start(in: calendar.zone), .deadline(row)))
    }
    var bequests = BequestQuery(passing: passing, now: now)
    bequests.onlyAccessible = true
    bequests.states = [.notSent]
    var capsules = store.index.open(.capsule, now: now)
    forEachReadable(bequests, now: now) { row in
      if !waitsForItsTime(row.summary.record.subject, in: &capsules, now: now) {
        found.append((.latest, .bequest(row)))
      }
    }
    return found.enumerated().sorted { one, other in
      (one.element.at, one.offset) < (other.element.at, other.offset)
    }.map(\.element.demand)
  }

  /// Returns the capsules that can be opened and were not yet, the one that unlocked last first.
  ///
  /// - Parameters:
  ///   - limit: the most that are looked for.
  ///   - time: the time at which they are to be open; `now` is that of the index.
  package func openable(_ limit: Int, at time: Instant, now: Instant) -> [Brief<Capsule>] {
    var index = store.index.open(.capsule, now: now)
    var found: [Brief<Capsule>] = []
    index.forEach(.descending, from: time.seconds) { entry in
      if let summary = Brief<Capsule>(entry), CapsuleRow(summary, at: time).state == .unlocked {
        found.append(summary)
      }
      return found.count < limit
    }
    return found
  }

  /// Whether a thing is a capsule with an honor lock that is still locked: it goes when it opens, and any other
  /// goes as its sealed files.
  private func waitsForItsTime(
    _ subject: RecordReference, in capsules: inout RecordIndex, now: Instant
  ) -> Bool {
    guard subject.kind == .capsule, let entry = capsules.entry(subject.id),
      let summary = Brief<Capsule>(entry)
    else { return false }
    return summary.record.lock.kind == .honor && now < summary.digest.unlockAt
  }

  /// Hands over the rows of a question that can be read.
  package func forEachReadable<Query: RecordQuery>(
    _ query: Query, now: Instant, _ body: (Query.Row) -> Void
  ) {
    var index = store.index.open(Query.kind, now: now)
    query.forEachReadable(in: &index, of: store) { row in
      body(row)
      return true
    }
  }
}

extension SearchQuery.WordProblem: FaultCause {
  package var code: Fault.Code { .usage }

  package var message: Fault.Message {
    switch self {
    case .empty(let word): "empty search term '\(word)'"
    case .tooMany(let count, _): "too many search terms: \(count)"
    }
  }

  package var hint: String? {
    switch self {
    case .empty: "use a word, or a part of one"
    case .tooMany(_, let limit): "use at most \(limit) terms; quote words that belong together"
    }
  }
}
