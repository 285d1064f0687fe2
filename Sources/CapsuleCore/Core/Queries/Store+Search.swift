extension Store {
  /// Questions about the records of several kinds.
  package var queries: StoreQueries { StoreQueries(store: self) }
}

/// Questions about the records of several kinds.
package struct StoreQueries: StoreSubject {
  package let store: Store
}

extension StoreQueries {
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
      title = names.title(bequest.summary)
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
      if CapsuleSummary(id: entry.id, encoded: entry.summary)?.openedAt != nil {
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
      do throws(OpeningError) {
        switch try store.capsules.openUnattended(record, with: .none, now: now) {
        case .opened(let capsule):
          do throws(CapsuleError) {
            inside[id] = try finds(in: capsule)
          } catch {
            throw .capsule(error)
          }
        case .closed: answer.needingKey += 1
        case .locked: break
        }
      } catch {
        answer.failures.append((record.model, error))
      }
    }
  }

  /// Looks through the texts of an opened capsule.
  private func finds(in capsule: OpenedCapsule) throws(CapsuleError) -> InsideMatch? {
    var found = InsideMatch(madeAt: capsule.capsule.header.madeAt)
    for field in try capsule.searchFields() {
      let words = query.matcher.words(in: query.folding.fold(field.text))
      guard words != 0 else { continue }
      found.words |= words
      if let match = searched(field.text).match(field, context: query.context) {
        found.matches.append(match)
      }
    }
    return found.words == 0 ? nil : found
  }
}
