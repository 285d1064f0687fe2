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

  @Test func `a pipe is written without a warning`() {
    let run = keygen()
    expect(run.code == .ok && !run.err.contains("warning"))
    expect(run.out.contains("AGE-SECRET-KEY-1"))
  }

  @Test func `a file that everybody can read is warned of, and written`() {
    let run = keygen { $0.outputIsReadableByAll = true }
    expect(run.code, is: .ok)
    expect(
      run.err.contains("capsule: warning: writing the secret key to a world-readable file"))
    expect(run.err.contains("--output") && run.out.contains("AGE-SECRET-KEY-1"))
  }

  @Test func `the terminal is warned of, and written`() {
    let run = keygen { $0.columns = 80 }
    expect(run.code == .ok && run.out.contains("AGE-SECRET-KEY-1"))
    expect(run.err.contains("writing the secret key to the terminal"))
  }

  @Test func `recipients and files of its own are no matter for a warning`() throws {
    let folder = try TemporaryFolder()
    let key = folder.path + "/key.txt"
    for change in [{ $0.columns = 80 }, { $0.outputIsReadableByAll = true }]
      as [(inout TestHost) -> Void]
    {
      let run = keygen("-o", key, change: change)
      expect(run.code == .ok && !run.err.contains("warning"))
      let told = keygen("-y", key, change: change)
      expect(told.code == .ok && !told.err.contains("warning"))
      try POSIXFileSystem().unlink(FilePath(key))
    }
  }

  @Test func `the real program looks at the file that its output goes to`() throws {
    let home = try ProgramStore()
    try home.walk(
      """
      umask 022
      "$capsule" keygen > open.txt 2> open.err
      grep -q 'warning: writing the secret key to a world-readable file' open.err
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
    expect(run.out.contains("writing the secret key to the terminal"))
    expect(run.out.contains("AGE-SECRET-KEY-1"))
  }

  @Test func `a file that is there stays, and no option is offered that keygen does not have`()
    throws
  {
    let folder = try TemporaryFolder()
    for code in [ExitCode.ok, .refused] {
      let run = keygen("-o", folder.path + "/key") { $0.files = UnsynchronizedFileSystem() }
      expect(run.code, is: code)
      guard code == .refused else { continue }
      expect(run.err.contains("name a file that is not there yet"), "\(run.err)")
      expect(!run.err.contains("--force"))
    }
  }
}
