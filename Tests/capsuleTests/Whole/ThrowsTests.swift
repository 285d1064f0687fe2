import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers

/// What the doc comments of the library say of errors.
@Suite struct ThrowsTests {
  @Test func `a doc comment names only codes that a fault can have`() {
    let codes = Set(Fault.Code.allCases.map(\.rawValue))
    var count = 0
    for path in RepositoryFile.paths(in: "Sources/CapsuleCore/Core/", suffix: ".swift") {
      var isAboutErrors = false
      for line in (RepositoryFile.content(path) ?? "").split(separator: "\n") {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("/// - Throws:") {
          isAboutErrors = true
        } else if !text.hasPrefix("/// ") || text.hasPrefix("/// - ") {
          isAboutErrors = false
        }
        guard isAboutErrors else { continue }
        for name in text.matches(of: /`\.(\w+)/).map({ String($0.output.1) }) {
          count += 1
          expect(codes.contains(name), "\(path): \(name)")
        }
      }
    }
    expect(count > 100, "\(count)")
  }
}
