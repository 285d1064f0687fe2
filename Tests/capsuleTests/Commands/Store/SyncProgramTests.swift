import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Carriers that are reached by `rsync` and by `rclone`, with the real programs and nothing of a network:
/// `ssh` is a script that runs the other end here, and rclone's remote is a directory.
@Suite struct SyncProgramTests {
  private let first: ProgramStore
  private let second: ProgramStore
  private let recipient: String

  init() throws {
    first = try ProgramStore()
    second = try ProgramStore()
    for home in [first, second] {
      // The words are options, the host, and the line for its shell.
      try home.writeProgram(
        "ssh",
        "while [ \"$1\" != host ]; do shift; done; shift; cd \(first.path); exec sh -c \"$*\"")
      home.environment["PATH"] = "\(home.path)/bin:/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"
      home.environment["RCLONE_CONFIG"] = "\(home.path)/rclone.conf"
    }
    try first.done("keygen", "-o", first.path + "/key")
    recipient = String(try first.done("keygen", "--recipients", first.path + "/key").dropLast())
    try first.write("a photo", as: "photo")
    try first.done("item", "add", "Ring", "--notes", "gold")
    try first.done("item", "attach", "Ring", first.path + "/photo")
  }

  static let places = ["host:far/carrier", "rclone::local:"]

  /// The place, and the directory that it is.
  private func named(_ place: String) -> (place: String, directory: String) {
    let directory = first.path + "/far/carrier"
    return (place.hasSuffix(":") ? place + directory : place, directory)
  }

  private func isThere(_ place: String) throws -> Bool {
    let program = place.hasPrefix("rclone") ? "rclone" : "rsync"
    guard OtherPrograms.areExpected(program) else { return false }
    _ = try require(OtherPrograms.path(of: program), "the program `\(program)` is not installed")
    return true
  }

  @Test(arguments: places)
  func `two machines meet there, with files`(_ place: String) throws {
    guard try isThere(place) else { return }
    let place = named(place).place
    try first.done("sync", "add", "far", place, "--recipient", recipient)
    try expect(first.done("sync"), is: "Sent 1 record, 1 file. Received 0 records.\n")
    let answer = try second.done("sync", "clone", place, "--identity", first.path + "/key")
    expect(answer, is: "Sent 0 records. Received 1 record, 1 file.\n")
    try expect(second.json("verify")["isSound"], is: .bool(true))
    try second.done("item", "edit", "Ring", "--notes", "silver")
    try second.done("sync")
    try first.done("sync")
    try expect(first.json("item", "show", "Ring")["notes"], is: .string("silver"))
    try expect(first.json("sync", "verify", "--read").array?.first?["isSound"], is: .bool(true))
  }

  @Test(arguments: places)
  func `the segments of a machine that is forgotten go`(_ place: String) throws {
    guard try isThere(place) else { return }
    let (place, directory) = named(place)
    try first.done("sync", "add", "far", place, "--recipient", recipient)
    try first.done("sync")
    let heads = String(directory.dropFirst(first.path.utf8.count + 1) + "/heads")
    let machine = try require(first.files(below: heads).first?.split(separator: "/").first)
    try second.done("sync", "clone", place, "--identity", first.path + "/key")
    try second.done("sync", "forget", String(machine))
    expect(!first.files(below: heads).isEmpty)
    expect(!first.files(below: heads).contains { $0.hasPrefix(machine) })
    try expect(second.json("sync", "verify").array?.first?["isSound"], is: .bool(true))
  }

  @Test(arguments: places)
  func `a place that is gone is an error, and it is not made again`(_ place: String) throws {
    guard try isThere(place) else { return }
    let (place, _) = named(place)
    try first.done("sync", "add", "far", place, "--recipient", recipient)
    try first.remove("far")
    try first.refusal(.io, "sync")
    expect(first.names(in: "far") == nil)
  }

  @Test(arguments: places)
  func `a program that is not installed is named, with the way to it`(_ place: String) throws {
    let (place, _) = named(place)
    try first.usePrograms()
    let error = try first.refusal(
      .io, "sync", "add", "far", place, "--recipient", recipient)
    let program = place.hasPrefix("rclone") ? "rclone" : "rsync"
    expect(error.contains("cannot reach the remote 'far': '\(program)' is not installed"))
    expect(error.contains("apt install \(program)"))
  }

  @Test func `a program that leaves a file out although it ends with 0 is found out`() throws {
    try first.writeProgram(
      "rsync",
      "for word; do [ \"$word\" = --list-only ] && echo 'drwx 0 2026/01/01 00:00:00 .'; done; true")
    let error = try first.refusal(
      .io, "sync", "add", "far", "host:carrier", "--recipient", recipient)
    expect(error.contains("'identities.age' is not there after it was put"))
  }

  @Test func `where files are put under another name first, nothing is left of that`() throws {
    try first.writeProgram(
      "rclone",
      """
      verb=$1
      while [ "$1" != -- ]; do shift; done
      from="far/${2#far:}"; to="far/${3#far:}"
      case $verb in
      backend) echo '{"Features": {"Move": true}}' ;;
      mkdir) mkdir -p far ;;
      copy) mkdir -p "$to"; while read -r name; do cp "$2/$name" "$to"; done ;;
      moveto) mv "$from" "$to" ;;
      purge) rm -r "$from" ;;
      lsf)
        [ -d far ] || exit 3
        cd far
        for file in *.*; do
          [ ! -f "$file" ] || echo "$(($(wc -c < "$file"))) 2026-01-01 00:00:00 $file"
        done ;;
      *) exit 1 ;;
      esac
      """)
    try first.done("sync", "add", "far", "rclone:far:", "--recipient", recipient)
    expect(first.names(in: "far"), is: ["carrier.json", "identities.age", "tmp"])
    expect(first.names(in: "far/tmp"), is: [])
  }

  @Test func `the words of a program that fails are handed on`() throws {
    try first.writeProgram("rsync", "echo 'ssh: no route to the host' >&2; exit 255")
    let error = try first.refusal(
      .io, "sync", "add", "far", "host:carrier", "--recipient", recipient)
    expect(error.contains("ssh: no route to the host"))
  }

  @Test func `a program that is ended with its sync can clean up before`() throws {
    try first.writeProgram(
      "rsync",
      "trap 'sleep 0.05; echo ended >> log; exit 1' TERM; echo begun > log; sleep 9 & wait")
    let ended = try first.shell(
      "$capsule sync add far host:carrier --recipient \(recipient) & job=$!; "
        + "until [ -s log ]; do sleep 0.01; done; kill -TERM $job; wait $job; echo $?; cat log")
    expect(ended.out, is: "143\nbegun\nended\n", "\(ended.err)")
  }

  @Test(arguments: [
    "host::module", "rsync://host/module", "-oProxyCommand=x:y", "host:", "a b:c", "rclone:x",
    "rclone:--config=x:y",
  ])
  func `a place that names nothing, or an option, is refused`(_ place: String) throws {
    try first.refusal(
      .usage, "sync", "add", "--recipient", recipient, "--", "far", place)
  }

  @Test func `a directory with a colon in its name is one when it is written as a path`() throws {
    try first.done("sync", "add", "near", "./a:b", "--recipient", recipient)
    expect(first.names(in: "a:b"), is: ["carrier.json", "identities.age"])
  }

  @Test(arguments: places)
  func `a file that grows while it is fetched is left out`(_ place: String) throws {
    guard try isThere(place) else { return }
    let (place, directory) = named(place)
    try first.done("sync", "add", "far", place, "--recipient", recipient)
    try first.done("sync")
    let file = try require(
      first.files(below: String((directory + "/blobs").dropFirst(first.path.utf8.count + 1))).first)
    let path = "\(directory)/blobs/\(file)"
    let program = place.hasPrefix("rclone") ? "rclone" : "rsync"
    let real = try require(OtherPrograms.path(of: program))
    // Right before it copies blobs to this machine.
    try second.writeProgram(
      program,
      """
      case "$*" in *--inplace*|*--include-from*) head -c 3000000 /dev/zero >> '\(path)';; esac
      exec '\(real)' "$@"
      """)
    let run = try second.run("sync", "clone", place, "--identity", first.path + "/key")
    expect(run.end, is: .exited(7))
    expect(run.out.contains("damaged  'blobs/\(file)'"))
    try expect(second.shell("find . -size +1000k").out, is: "")
  }

  #if !canImport(Darwin)
    @Test func `a segment that no machine of the store wrote takes no memory`() throws {
      try first.done("sync", "add", "near", first.path + "/near", "--recipient", recipient)
      try first.done("sync")
      let header = try JSON.parse(Array(first.shell("cat \(first.store)/store.json").out.utf8))
      let own = try require(header["identities"]?.array?.first?["recipient"]?.string)
      try first.write(
        "{\"format\":1}\n[" + String(repeating: "1,", count: 4 << 20)
          + "1]\n{\"code\":\"00\",\"records\":0}\n", as: "lines")
      try first.done(
        "seal", "--recipient", own, "--output", first.path + "/sealed", first.path + "/lines")
      let digest = try first.shell("sha256sum sealed").out.prefix(16)
      let actor = String(repeating: "7", count: 32)
      try expect(
        first.shell("mkdir near/heads/\(actor); mv sealed near/heads/\(actor)/1-\(digest).age").end,
        is: .exited(0))
      try expect(first.shell("ulimit -v 200000; $capsule sync").end, is: .exited(7))
    }
  #endif
}
