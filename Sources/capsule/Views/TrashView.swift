import CapsuleCore

extension Session {
  /// Returns the record in the trash that a word means.
  func find(_ reference: String, in trash: TrashListing) throws -> TrashListing.Entry {
    do throws(FindError) { return try trash.find(reference) } catch {
      guard case .notFound = error else { throw error }
      throw Failure(
        .notFound, "nothing in the trash has the id or title '\(reference)'",
        hint: "'capsule trash' lists what is in it",
        details: ["reference": .string(reference)])
    }
  }

  /// Returns the object of a record in the trash.
  func members(_ entry: TrashListing.Entry) -> JSONObject {
    var members: JSONObject = [
      "id": .string(entry.record.id.description),
      "kind": .string(entry.record.kind.rawValue),
      "title": .string(entry.title),
      "zone": .string(localZone.label),
    ]
    InstantFields(zone: zone).add(entry.record.deletedAt, as: "deletedAt", to: &members)
    return members
  }
}
