package import CapsuleCore

/// Something that became due and is to be announced.
package struct Due: Sendable {
  /// By what it is known in the ledger.
  package let announcement: Announcement
  package let title: String
  /// The line for people.
  package let text: StyledText
  /// The object for machines.
  package let members: JSONObject

  package init(
    announcement: Announcement, title: String, text: StyledText, members: JSONObject
  ) {
    self.announcement = announcement
    self.title = title
    self.text = text
    self.members = members
  }
}

/// What each kind of record has to announce: the one place where a new kind joins.
package enum DueSource: CaseIterable, Sendable {
  case unlocks

  /// The kind of record that it looks at.
  package var kind: RecordKind {
    switch self {
    case .unlocks: .capsule
    }
  }

  /// What one record has to announce of what became due after one instant and until another.
  ///
  /// - Throws: when the record is not what was written, or cannot be read.
  package func dues(
    of id: RecordID, in store: Store, after start: Instant, through end: Instant,
    _ session: Session
  ) throws(Failure) -> [Due] {
    switch self {
    case .unlocks: try Self.unlock(id, store, start, end, session)
    }
  }

  private static func unlock(
    _ id: RecordID, _ store: Store, _ start: Instant, _ end: Instant, _ session: Session
  ) throws(Failure) -> [Due] {
    let record: StoredRecord<Capsule>
    do throws(StoreError) {
      record = try store.read(Capsule.self, id)
    } catch {
      // The index may still name what another process just deleted.
      if case .notFound = error { return [] }
      throw Failure(error)
    }
    do throws(CapsuleError) { try store.requireIntact(record) } catch { throw Failure(error) }
    let capsule = record.model
    guard capsule.dueAt > start, capsule.dueAt <= end else { return [] }
    var members = CapsuleView(capsule.summary, in: session, at: end).members
    members["topic"] = "unlock"
    InstantFields(zone: session.zone).add(capsule.dueAt, as: "dueAt", to: &members)
    return [
      Due(
        announcement: Announcement(
          kind: .capsule, id: id, topic: "unlock", instant: capsule.dueAt),
        title: capsule.title,
        text:
          "'\(capsule.title, .bold)' is unlocked since \(session.dateTime(capsule.dueAt)); open it with: capsule open \(id.description)",
        members: members)
    ]
  }
}
