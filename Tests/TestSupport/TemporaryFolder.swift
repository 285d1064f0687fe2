import CapsuleCore
import CapsulePlatform

/// A folder of a test's own, removed with all that is in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/capsule-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFault("mkdtemp: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? Self.remove(FilePath(path)) }

  private static func remove(_ path: FilePath) throws {
    let files = POSIXFileSystem()
    for entry in try files.contents(ofDirectory: path) {
      let child = path.appending(bytes: entry.name)
      if try files.status(child).kind == .directory {
        try remove(child)
      } else {
        try files.unlink(child)
      }
    }
    try files.removeDirectory(path)
  }
}

/// Something that a test needs and cannot have.
package struct TestFault: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
