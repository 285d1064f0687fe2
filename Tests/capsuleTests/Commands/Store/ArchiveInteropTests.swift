import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Archives are unpacked by other programs, and what comes out is a working store.
@Suite(.enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"))
struct ArchiveInteropTests {
  private func home() throws -> HostedStore {
    let home = try HostedStore()
    try home.createUnlocked(
      "Letter", "--text", "hello", "--file", try home.write([1, 2, 3], as: "x"))
    try home.done("item", "add", "Ring")
    try home.done("keygen", "-o", home.path + "/key.txt")
    return home
  }

  @Test(
    arguments: [
      "tar -xf all.tar -C out",
      "if command -v bsdtar; then bsdtar -xf all.tar -C out; else tar -xf all.tar -C out; fi",
      "python3 -c 'import tarfile; tarfile.open(\"all.tar\").extractall(\"out\")'",
    ])
  func `what is unpacked by hand is a working store`(extract: String) throws {
    let home = try home()
    try home.done("export", "archive", "--in-the-clear", "-o", home.path + "/all.tar")
    var run = ProgramRun(
      shell: "set -eu; mkdir out; \(extract) >&2; cd out; sha256sum -c archive.sha256 >&2",
      environment: ["LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let store = ["--store", home.path + "/out"]
    try expect(home.done(["list", "--json"] + store), is: home.done("list", "--json"))
    try expect(home.done(["open", "Letter", "--content", "1"] + store), is: "hello")
    try home.done(["verify"] + store)
    try home.done(["create", "New", "-u", "2040", "--empty"] + store)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age"), "age is not installed"))
  func `age and tar open a sealed one`() throws {
    let home = try home()
    let recipient = try home.done("keygen", "--recipients", home.path + "/key.txt").trimmed
    try home.done("export", "archive", "-r", recipient, "-o", home.path + "/all.tar.age")
    var run = ProgramRun(
      shell: "set -eu; mkdir out; age -d -i key.txt all.tar.age | tar -x -C out",
      environment: ["LC_ALL": "C.UTF-8", "PATH": OtherPrograms.path])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    try expect(
      home.done("open", "Letter", "--content", "1", "--store", home.path + "/out"), is: "hello")
  }

  @Test func `a store that was packed by tar in the order of an archive is taken in`() throws {
    let home = try home()
    try home.done("export", "archive", "--in-the-clear", "-o", home.path + "/all.tar")
    var run = ProgramRun(
      shell: """
        set -eu; mkdir out; tar -xf all.tar -C out
        tar -tf all.tar > names; tar -cf again.tar --format=posix --no-recursion -C out -T "$PWD/names"
        """, environment: ["LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    try expect(run.result().end, is: .exited(0))
    let other = try HostedStore()
    try expect(other.json("import", "archive", home.path + "/again.tar")["added"], is: 2)
  }
}
