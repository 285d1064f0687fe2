import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The versions of the record format, and the shapes that their pages are made from.
@Suite struct RecordFormatTests {
  @Test func `the versions are those that a record can have`() {
    expect(RecordFormat.all.map(\.number), is: Array(1...RecordHeader.currentSchema))
  }

  @Test func `every member that a version names is one of the models`() {
    for version in RecordFormat.all {
      for kind in RecordKind.allCases {
        expect(
          Set(version.newMembers(of: kind)).isSubset(of: kind.shape.paths),
          "version \(version.number), \(kind)")
      }
    }
  }

  /// The paths of the members of an object that was written.
  private func paths(_ object: JSONObject) -> Set<String> {
    var paths: Set<String> = []
    for member in object {
      let (key, value) = (member.key, member.value)
      paths.insert(key)
      let parts: [JSON] = if case .array(let parts) = value { parts } else { [value] }
      for case .object(let part) in parts {
        paths.formUnion(self.paths(part).map { "\(key).\($0)" })
      }
    }
    return paths
  }

  @Test func `a shape has every member that a record is written with`() throws {
    for model in try RecordSamples.all {
      let kind = type(of: model).kind
      let missing = paths(model.fields).subtracting(kind.shape.paths)
      expect(missing.isEmpty, "\(kind)")
    }
  }

  @Test func `an earlier version has no member that a later one made`() throws {
    for model in try RecordSamples.all {
      let kind = type(of: model).kind
      let made = RecordFormat.all.filter { $0.number > model.schemaNeeded }
        .flatMap { $0.members[kind] ?? [] }
      expect(paths(model.fields).isDisjoint(with: made), "\(kind)")
    }
  }

  @Test func `what is unique is said of the kinds that have such a rule`() throws {
    for model in try RecordSamples.all {
      let isUnique = model.uniqueName != nil || model.twinKey != nil
      expect(isUnique == (type(of: model).kind.uniqueness != nil), "\(type(of: model))")
    }
  }
}
