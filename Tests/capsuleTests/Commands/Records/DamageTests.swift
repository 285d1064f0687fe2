import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file system that refuses to open one file.
private struct RefusingFileSystem: ForwardingFileSystem {
  let files = UnsynchronizedFileSystem()
  /// The end of the file's path.
  let name: String

  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(FileSystemError) -> FileDescriptor {
    if path.text.hasSuffix(name) { throw FileSystemError(.open, path, code: EACCES) }
    return try files.openOnce(path, access)
  }
}

/// What commands say of records that are not what was written.
@Suite struct DamageTests {
  private static let store = ".local/share/capsule"

  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  private func answer(_ words: String...) -> (code: ExitCode, out: String, err: String) {
    let answer = home.run(words, input: "")
    return (answer.code, String(decoding: answer.output, as: UTF8.self), answer.err)
  }

  private static func count(_ words: String, in text: String) -> Int {
    text.ranges(of: words).count
  }

  @Test(arguments: [
    ("item", ["item", "list"]), ("event", ["event", "list"]), ("capsule", ["list"]),
    ("beneficiary", ["beneficiary", "list"]), ("event", ["agenda"]), ("item", ["search", "x"]),
    ("item", ["trash"]), ("item", ["restore"]),
  ])
  func `what the system refuses to read is not called damaged`(
    kind: String, words: [String]
  ) throws {
    let id =
      switch kind {
      case "item": try home.done("item", "add", "Ring", "-q")
      case "event": try home.done("event", "add", "Launch", "--on", "tomorrow", "-q")
      case "capsule": try home.createUnlocked("Once", "--text", "t") + "\n"
      default: try home.done("beneficiary", "add", "Mia", "-q")
      }
    var name = id.dropLast() + ".json"
    if ["trash", "restore"].contains(words[0]) {
      try home.done("item", "delete", "Ring", "--yes")
      name = try require(home.names(in: Self.store + "/trash/items")?.first) + ""
    }
    try? home.remove(".cache")
    home.files = RefusingFileSystem(name: String(name))
    let answer = home.run(words, input: "")
    expect(answer.code, is: .partial)
    expect(Self.count("cannot be read", in: answer.err), is: 1)
    let text = answer.err + String(decoding: answer.output, as: UTF8.self)
    expect(!text.contains("damaged") && !text.contains("not what was written"))
    let marks = !["agenda", "search"].contains(words[0])
    expect(text.contains("unreadable"), is: marks)
  }

  /// Two deadlines of tomorrow, of which one is damaged.
  private func prepare() throws {
    try home.done("event", "add", "Sound", "--on", "tomorrow", "--deadline")
    let id = try home.done("event", "add", "Lost", "--on", "tomorrow", "--deadline", "-q")
    _ = try home.write("x", as: home.record(String(id.dropLast())))
  }

  @Test(arguments: [
    ["agenda"], ["next"], ["on-this-day"], ["export", "ics"], ["event", "list"],
  ])
  func `a timeline without some records says so and ends with 3`(words: [String]) throws {
    try prepare()
    let answer = home.run(words, input: "")
    expect(answer.code, is: .partial)
    expect(Self.count("are not what was written", in: answer.err), is: 1)
    expect(!answer.err.contains("Nothing"))
    expect(home.run(words + ["--store", home.path + "/other"], input: "").code != .partial)
  }

  @Test func `a status line says that records are missing from it, and ends with 0`() throws {
    try prepare()
    let status = answer("status")
    expect(status.code, is: .ok)
    expect(status.out, is: "Sound tomorrow; some records are not what was written\n")
    try expect(home.json("status")["error"]?["kind"], is: "partial")
    try expect(
      home.done("status", "--format", "i3blocks").split(separator: "\n")[1], is: "tomorrow")
    expect(answer("countdown", "--once").err.contains("are not what was written"))
  }

  @Test func `damaged settings are warned of once`() throws {
    try home.done("event", "add", "E", "--on", "2090")
    try home.done("settings", "set", "spanUnits", "3")
    _ = try home.write("x", as: Self.store + "/settings.json")
    for words in [["agenda"], ["next"], ["on-this-day"], ["list"]] {
      let warnings = home.run(words, input: "").err
      expect(Self.count("warning", in: warnings), is: 1, "\(words)")
    }
  }

  @Test func `what is damaged in the trash is marked, and stays while it can be mended`() throws {
    let id = try home.create("Precious", "-u", "2090")
    try home.done("delete", "Precious", "--yes")
    let trash = Self.store + "/trash/capsules"
    let name = try trash + "/" + require(home.names(in: trash)?.first)
    _ = try home.write("garbage", as: name)
    let listed = answer("trash")
    expect(listed.code == .partial && listed.out.contains("damaged"))
    expect(answer("restore", "Precious").err.contains("capsule repair"))
    try home.refusal(.refused, "purge", "--yes")
    try home.done("repair", "--yes")
    expect(try home.done("trash").contains("Precious"))
    // Without a version anywhere it can go.
    _ = try home.write("garbage", as: name)
    try home.remove(Self.store + "/journal")
    expect(try home.done("purge", "--yes").contains(id))
  }

  @Test(arguments: ["link", "folder", "fifo"])
  func `what stands in the place of a record is put aside, and the record is back`(
    kind: String
  ) throws {
    let id = try home.create("Kept", "-u", "2090")
    try home.done("verify")
    let name = try home.record(id)
    let bytes = try home.bytes(of: name)
    try home.remove(name)
    let files = POSIXFileSystem()
    let path = FilePath(home.path + "/" + name)
    switch kind {
    case "link": expect(symlink("/nowhere", path.text), is: 0)
    case "folder": try files.createDirectory(path, mode: 0o700)
    default: expect(mkfifo(path.text, 0o600), is: 0)
    }
    expect(home.run(["verify"], input: "").code, is: .damaged)
    expect(try home.done("repair").contains("is back, revision 1"))
    try expect(home.bytes(of: name), is: bytes)
    try home.done("verify")
    // Where no journal has it, it stays where it is.
    try home.remove(Self.store + "/journal")
    try home.remove(name)
    try files.createDirectory(path, mode: 0o700)
    expect(home.run(["repair"], input: "").code, is: .damaged)
    try expect(files.status(path).kind, is: .directory)
  }
}
