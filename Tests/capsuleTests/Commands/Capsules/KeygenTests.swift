import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Where `keygen` writes a secret key.
@Suite(.ownThread) struct KeygenTests {
  private func keygen(_ words: String..., change: (inout TestHost) -> Void = { _ in })
    -> TestHost.Run
  {
    var host = TestHost()
    host.arguments = (["keygen"] + words).map { Array($0.utf8) }
    host.now = "2026-03-10T12:00:00Z"
    host.random = .system
    change(&host)
    return host.run()
  }

  @Test func `a file that everybody can read is warned of, and one of its own is not`() throws {
    let run = keygen { $0.outputIsReadableByAll = true }
    expect(run.code == .ok && run.out.contains("AGE-SECRET-KEY-1"))
    expect(
      run.err.contains("capsule: warning: the file with the secret key can be read by everyone"))
    expect(run.err.contains("--output"))
    let folder = try TemporaryFolder()
    for option in ["-o", "-y"] {
      let run = keygen(option, folder.path + "/key") { $0.outputIsReadableByAll = true }
      expect(run.code == .ok && !run.err.contains("warning"))
    }
  }

  @Test func `the real program looks at the file that its output goes to`() throws {
    let home = try ProgramStore()
    try home.walk(
      """
      umask 022
      "$capsule" keygen > open.txt 2> open.err
      grep -q 'warning: the file with the secret key can be read by everyone' open.err
      grep -q AGE-SECRET-KEY-1 open.txt
      umask 077
      "$capsule" keygen > own.txt 2> own.err
      ! grep -q warning own.err
      umask 022
      "$capsule" keygen -o new.txt 2> new.err
      ! grep -q warning new.err
      test "$(stat -c %a new.txt 2>/dev/null || stat -f %Lp new.txt)" = 600
      "$capsule" keygen 2> pipe.err | grep -q AGE-SECRET-KEY-1
      ! grep -q warning pipe.err
      """)
  }

  @Test func `the real program sees a terminal`() throws {
    let run = try TerminalRun(ProgramRun("keygen", environment: ["TZ": "UTC"])).finish()
    expect(run.end, is: .exited(0))
    expect(run.out.contains("the secret key is printed on the terminal"))
    expect(run.out.contains("AGE-SECRET-KEY-1"))
  }
}
