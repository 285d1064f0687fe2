import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A file system that refuses to open one file.
private struct RefusingFileSystem: ForwardingFileSystem {
  let files = UnsynchronizedFileSystem()
  /// The end of the file's path.
  let name: String

  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    if path.text.hasSuffix(name) { throw Fault(.open, path, code: EACCES) }
    return try files.openOnce(path, access)
  }
}

/// Records that the system refuses to read, and links and pipes in their place.
@Suite struct DamageTests {
  private static let store = ".local/share/capsule"

  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

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

  @Test(arguments: ["damaged", "unreadable"])
  func `a list of bequests says why it has no title of a thing`(word: String) throws {
    let id = try home.done("item", "add", "Ring", "-q").trimmed
    try home.done("beneficiary", "add", "Mia", "-q")
    try home.done("bequeath", "Ring", "--to", "Mia", "--access", "immediate", "-q")
    if word == "damaged" {
      _ = try home.write("{}", as: home.record(id))
    } else {
      home.files = RefusingFileSystem(name: id + ".json")
    }
    try? home.remove(".cache")
    let row = home.run(["bequest", "list", "--plain"], input: "").out.split(separator: "\t")
    expect(row.dropFirst().prefix(2).map(String.init), is: ["(\(word))", "Mia"])
  }

  @Test(arguments: ["link", "fifo"])
  func `what stands in the place of a record is put aside, and the record is back`(
    kind: String
  ) throws {
    let id = try home.create("Kept", "-u", "2090")
    try home.done("verify")
    let name = try home.record(id)
    let bytes = try home.bytes(of: name)
    try home.remove(name)
    let path = FilePath(home.path + "/" + name)
    expect(kind == "link" ? symlink("/nowhere", path.text) : mkfifo(path.text, 0o600), is: 0)
    expect(home.run(["verify"], input: "").code, is: .damaged)
    expect(try home.done("repair").contains("was restored, revision 1"))
    try expect(home.bytes(of: name), is: bytes)
    try home.done("verify")
  }

  @Test func `a link in the place of a store's directory is named with the way out`() throws {
    try home.done("event", "add", "Launch", "--on", "tomorrow", "-q")
    try? home.remove(".cache")
    let folder = home.path + "/" + Self.store + "/events"
    expect(rename(folder, home.path + "/elsewhere"), is: 0)
    expect(symlink("../../../elsewhere", folder), is: 0)
    let answer = home.run(["event", "list"], input: "")
    expect(answer.code, is: .partial)
    expect(answer.err.contains("capsule repair"))
    // A file that the user names is no place of the store.
    expect(symlink("/nowhere", home.path + "/x"), is: 0)
    let sealed = home.run(["unseal", "x/y"], input: "")
    expect(sealed.err.contains("file not found"))
    expect(!sealed.err.contains("repair"))
  }
}
