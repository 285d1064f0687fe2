import TestSupport
import Testing

@testable import CapsuleCore

/// The table of members in docs/internals/sync.md against the one that the engine goes by.
struct SyncDocumentTests {
  private static func words(_ rule: MergeRule) -> String {
    switch rule {
    case .siblings: "both values stay"
    case .greatest: "the greatest"
    case .least: "the least"
    case .once: "the first stays"
    case .delivery: "the one that came further"
    case .elements(let known, let showsFuller):
      "each element on its own" + (known.isEmpty ? "" : ", known by \(list(known))")
        + (showsFuller ? "; the one with more members is shown" : "")
    case .collection(let known): "only added to, known by \(list(known))"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { "`\($0)`" }.joined(separator: ", ")
  }

  @Test func `the document has every member that is not merged as most are`() throws {
    var rows: [String] = []
    let common = MergeTable.all[.beneficiary]?.fields ?? []
    rows += common.map { "| all | \(Self.list($0.members)) | \(Self.words($0.rule)) |" }
    for kind in RecordKind.allCases {
      for field in MergeTable.all[kind]?.fields ?? [] where !common.contains(field) {
        let members = field.members.isEmpty ? [field.name] : field.members
        rows.append("| \(kind.rawValue) | \(Self.list(members)) | \(Self.words(field.rule)) |")
      }
    }
    let path = FilePath(BuiltProgram.packageRoot + "docs/internals/sync.md")
    let text = String(
      decoding: try POSIXFileSystem().readFile(path, limit: 1 << 20), as: UTF8.self)
    for row in rows { expect(text.contains(row), "docs/internals/sync.md lacks: \(row)") }
  }
}
