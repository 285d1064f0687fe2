import CapsulePlatform
import Foundation

/// A folder of a test's own, removed with all that is in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
  package let path: String

  /// - Parameter isInMemory: whether it is in the system's memory where Linux has a place there, which may run no
  ///   programs. A disk that just removed many files takes long to make some.
  package init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let base =
      isInMemory && access(memory, W_OK) == 0
      ? memory : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/capsule-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFault("mkdtemp: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
