/// A queue of the things that became due and are not known yet, the earliest first. Each record is
/// read when its turn comes, so that many take little memory.
package struct DueQueue {
  /// A record that has something due.
  private struct Candidate {
    let instant: Instant
    /// Its place among those that were found: in the order in which they were made.
    let place: Int
    let id: RecordID
    let kind: any DatedKind.Type
  }

  private let store: Store
  private let span: DueSpan
  private let known: Ledger.Known
  /// The latest first, each record once.
  private var candidates: [Candidate] = []
  /// The things that are due in records that were read, besides the first thing of each.
  private var later = Heap()

  init(_ store: Store, _ span: DueSpan, known: Ledger.Known) {
    self.store = store
    self.span = span
    self.known = known
  }

  /// Adds the records of a kind that may have something to announce.
  mutating func add(_ kind: any DatedKind.Type, from index: inout RecordIndex) {
    kind.forEachCandidate(in: &index, span, known: known) { id, instant in
      candidates.append(Candidate(instant: instant, place: candidates.count, id: id, kind: kind))
      return true
    }
  }

  mutating func sort() {
    candidates.sort { ($0.instant, $0.place) > ($1.instant, $1.place) }
  }

  /// Returns the next thing; `nil` behind the last.
  ///
  /// - Throws: the problem of a record that could not be read or is not what was written; the next
  ///   call goes on behind it.
  package mutating func next() throws(DueProblem) -> DueThing? {
    while true {
      if let first = later.first, !isCandidate(before: first) {
        later.removeFirst()
        guard let kind = DatedKinds.all.first(where: { $0.kind == first.kind }) else { continue }
        let due = try dues(of: first.id, kind).first { $0.announcement == first }
        if let due { return due }
      } else if let candidate = candidates.popLast() {
        let dues = try dues(of: candidate.id, candidate.kind)
          .sorted { $0.announcement.instant < $1.announcement.instant }
        for due in dues.dropFirst() { later.insert(due.announcement) }
        if let first = dues.first { return first }
      } else {
        return nil
      }
    }
  }

  private func isCandidate(before announcement: Announcement) -> Bool {
    guard let candidate = candidates.last else { return false }
    return candidate.instant <= announcement.instant
  }

  private func dues(
    of id: RecordID, _ kind: any DatedKind.Type
  ) throws(DueProblem) -> [DueThing] {
    do throws(StoreError) {
      return try read(id, kind).filter { !known.contains($0.announcement) }
    } catch {
      throw .record(error)
    }
  }

  /// Returns what one record has to announce; nothing where it is gone: the index may still name
  /// what another process just deleted.
  private func read<Kind: DatedKind>(
    _ id: RecordID, _ kind: Kind.Type
  ) throws(StoreError) -> [DueThing] {
    let record: StoredRecord<Kind>
    do throws(StoreError) {
      record = try store.read(kind, id)
    } catch {
      if case .notFound = error { return [] }
      throw error
    }
    if let damage = record.integrity {
      throw .damaged(damage, path: store.layout.record(Kind.kind, id).text)
    }
    return record.model.dues(in: span)
  }

  /// Announcements, of which the earliest is at hand: a binary heap.
  private struct Heap {
    private var elements: [Announcement] = []

    var first: Announcement? { elements.first }

    mutating func insert(_ element: Announcement) {
      elements.append(element)
      var place = elements.count - 1
      while place > 0, isBefore(place, (place - 1) / 2) {
        elements.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    mutating func removeFirst() {
      elements.swapAt(0, elements.count - 1)
      elements.removeLast()
      var place = 0
      while true {
        var least = place
        for child in [2 * place + 1, 2 * place + 2]
        where child < elements.count && isBefore(child, least) {
          least = child
        }
        if least == place { return }
        elements.swapAt(place, least)
        place = least
      }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
      let (left, right) = (elements[left], elements[right])
      return (left.instant, left.id) < (right.instant, right.id)
    }
  }
}
