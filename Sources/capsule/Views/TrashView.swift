import CapsuleCore

extension Session {
  /// Returns the failure for a word that means nothing in the trash.
  static func notInTrash(_ reference: String, hasUnreadable: Bool = false) -> Failure {
    Failure(
      .notFound, "nothing in the trash has the id or title '\(reference)'",
      hint: hasUnreadable
        ? "it may be one that cannot be read: 'capsule verify' says which, 'capsule repair' mends what can be mended"
        : "'capsule trash' lists what is in it",
      details: ["reference": .string(reference)])
  }

  /// Returns the record in the trash that a word means.
  func find(_ reference: String, in trash: TrashListing) throws -> TrashListing.Entry {
    do throws(FindError) { return try trash.find(reference) } catch {
      guard case .notFound(_, _, let hasUnreadable) = error else { throw error }
      throw Self.notInTrash(reference, hasUnreadable: hasUnreadable)
    }
  }

  /// Warns where some records of the trash have a problem.
  ///
  /// - Returns: whether some have.
  func warn(of entries: [TrashListing.Entry]) -> Bool {
    warn(of: entries.map(\.problem), "records")
  }

  /// Returns the object of a record in the trash.
  func members(_ entry: TrashListing.Entry) -> JSONObject {
    var members: JSONObject = [
      "id": .string(entry.record.id.description),
      "kind": .string(entry.record.kind.rawValue),
      "title": .string(entry.title),
      "problem": entry.problem.jsonName.map { .string($0) } ?? .null,
      "zone": .string(localZone.label),
    ]
    InstantFields(zone: zone).add(entry.record.deletedAt, as: "deletedAt", to: &members)
    return members
  }
}
