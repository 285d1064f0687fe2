import TestSupport
import Testing

@testable import ProgramTestHelpers

/// The targets of the library, as Package.swift declares them.
@Suite struct PackageTests {
  private let root = "Sources/CapsuleCore/"
  private let manifest: String
  private let targets: [(name: Substring, folder: Substring, uses: Set<String>)]

  init() throws {
    manifest = try #require(RepositoryFile.content("Package.swift"))
    let lowest = manifest.matches(
      of: /\.target\(\s*name: "(\w+)",\s*path: "Sources\/CapsuleCore\/(\w+)"/)
    let others = manifest.matches(of: /core\(\s*"(\w+)",\s*in: "(\w+)",\s*uses: \[([^\]]*)\]/)
    targets =
      lowest.map { ($0.1, $0.2, []) }
      + others.map { ($0.1, $0.2, Set($0.3.matches(of: /\w+/).map { String($0.0) })) }
  }

  @Test func `every source of the library is in the folder of a target`() {
    let sources = RepositoryFile.paths(in: root, suffix: ".swift")
    expect(sources.count > 100, "\(sources.count) sources")
    let folders = targets.map { root + $0.folder + "/" }
    expect(sources.filter { source in !folders.contains { source.hasPrefix($0) } }, is: [])
  }

  @Test func `every target of the library has a folder with sources`() {
    for target in targets {
      let sources = RepositoryFile.paths(in: root + target.folder + "/", suffix: ".swift")
      expect(!sources.isEmpty, "\(target.name) has no source")
    }
  }

  @Test func `a target of the library uses those below it`() {
    expect(
      Dictionary(uniqueKeysWithValues: targets.map { (String($0.name), $0.uses.sorted()) }),
      is: [
        "CapsulePlatform": [],
        "CapsuleBytes": [],
        "CapsuleCalendar": ["CapsuleBytes"],
        "CapsuleAge": ["CapsuleBytes", "CapsuleCalendar"],
        "CapsuleFormats": ["CapsuleBytes", "CapsuleCalendar"],
        "CapsuleCore": ["CapsuleAge", "CapsuleBytes", "CapsuleCalendar", "CapsuleFormats"],
      ])
  }

  @Test func `the package depends on no other`() {
    expect(!manifest.contains(".package("))
  }

  /// The compiler finds the module of another target wherever that was built before.
  @Test func `a source imports what its target uses`() throws {
    for target in targets {
      for source in RepositoryFile.paths(in: root + target.folder + "/", suffix: ".swift") {
        let text = try #require(RepositoryFile.content(source))
        for found in text.matches(of: /(?m)^.*\bimport (Capsule\w+)$/) {
          let module = String(found.1)
          expect(
            module == "CapsulePlatform" || target.uses.contains(module), "\(source): \(module)")
        }
      }
    }
  }
}
