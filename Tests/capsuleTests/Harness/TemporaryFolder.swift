import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder of a test's own, removed with all that is in it when the test lets go of it.
final class TemporaryFolder {
  let path: String

  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/capsule-test-XXXXXX").utf8CString)
    let made = mkdtemp(&template)
    path = String(cString: try #require(made))
  }

  deinit {
    var run = ProgramRun("-rf", path)
    run.program = "/bin/rm"
    _ = try? run.result()
  }
}
