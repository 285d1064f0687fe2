import CapsulePlatform
import Foundation

/// A folder of a test's own, removed with all that is in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/capsule-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFault("mkdtemp: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
