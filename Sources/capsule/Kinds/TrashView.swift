import CapsuleCore

extension Failure {
  /// Returns the failure for a word that means nothing in the trash.
  static func notInTrash(_ reference: String, hasUnreadable: Bool = false) -> Failure {
    Failure(
      .notFound, "nothing in the trash has the id or title '\(reference)'",
      hint: hasUnreadable
        ? "it may be one that cannot be read: 'capsule verify' says which, 'capsule repair' mends what can be mended"
        : "'capsule trash' lists what is in it",
      details: ["reference": .string(reference)])
  }
}

extension TrashListing {
  /// Returns the record in the trash that a word means.
  func one(_ reference: String) throws -> Entry {
    do throws(FindError) { return try find(reference) } catch {
      guard case .notFound(_, _, let hasUnreadable) = error else { throw error }
      throw Failure.notInTrash(reference, hasUnreadable: hasUnreadable)
    }
  }
}

extension TrashListing.Entry {
  /// Returns the object of a record in the trash.
  func members(in zone: LocalZone) -> JSONObject {
    var members: JSONObject = [
      "id": .string(record.id.description),
      "kind": .string(record.kind.rawValue),
      "title": .string(title),
      "problem": problem.jsonName.map { .string($0) } ?? .null,
      "zone": .string(zone.label),
    ]
    InstantFields(zone: zone.rules).add(record.deletedAt, as: "deletedAt", to: &members)
    return members
  }
}
