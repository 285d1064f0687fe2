import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `capsule sync` on machines that meet in a directory.
@Suite struct SyncTests {
  private let first: HostedStore
  private let second: HostedStore

  /// Two homes, of which the first has a store with an item in it, and a carrier.
  init() throws {
    first = try HostedStore()
    second = try HostedStore()
    try FileSystemText.write("the passphrase of both machines", to: first.path + "/p")
    try first.done("item", "add", "Ring", "--notes", "gold")
    try first.done("sync", "add", "meet", carrier, "--passphrase-file", first.path + "/p")
  }

  private var carrier: String { first.path + "/carrier" }

  private func join() throws {
    try first.done("sync")
    try second.done("sync", "join", carrier, "--passphrase-file", first.path + "/p")
  }

  /// The name of a machine in the carrier.
  private func actor(of home: HostedStore) throws -> String? {
    let machines = try home.json("sync", "status")["carriers"]?.array?.first?["machines"]?.array
    return machines?.first { $0["isOwn"] == .bool(true) }?["actor"]?.string
  }

  @Test func `a second machine that joins has everything`() throws {
    try join()
    try expect(second.strings("name", "item", "list"), is: ["Ring"])
    try expect(second.json("verify")["isSound"], is: .bool(true))
  }

  @Test func `sync says how much it sent and took in`() throws {
    try expect(first.done("sync"), is: "Sent 1 record. Took in 0 records.\n")
    try expect(first.done("sync"), is: "Sent 0 records. Took in 0 records.\n")
  }

  @Test func `a sealed file opens on the other machine, and its bytes are the same`() throws {
    try FileSystemText.write("a photo", to: first.path + "/photo")
    try first.done(
      "create", "Trip", "--unlock", "2026-03-09", "--allow-past", "--file",
      first.path + "/photo")
    try join()
    try second.done("open", "Trip", "--output", second.path + "/out")
    try expect(FileSystemText.read(second.path + "/out/photo"), is: "a photo")
  }

  @Test func `a wrong passphrase joins nothing`() throws {
    try first.done("sync")
    try FileSystemText.write("another", to: second.path + "/p")
    try second.refusal(.key, "sync", "join", carrier, "--passphrase-file", second.path + "/p")
    try expect(second.strings("name", "item", "list"), is: [])
  }

  @Test func `a machine with another store joins nothing`() throws {
    try first.done("sync")
    try second.done("item", "add", "Clock")
    try second.refusal(
      .refused, "sync", "join", carrier, "--passphrase-file", first.path + "/p")
    try expect(second.strings("name", "item", "list"), is: ["Clock"])
  }

  @Test func `a carrier is no copy to repair from, and the way to one is named`() throws {
    try join()
    for word in [carrier, "meet"] {
      let failure = try first.refusal(.refused, "repair", "--from", word)
      expect(failure.contains("capsule --store COPY sync join '\(carrier)'"))
    }
  }

  @Test func `what a carrier has is repaired from a store that was made of it`() throws {
    try FileSystemText.write("a photo", to: first.path + "/photo")
    try first.done("item", "attach", "Ring", first.path + "/photo")
    try first.done("sync")
    let blob = try require(try FileSystemText.files(below: first.store + "/blobs").first)
    try FileSystemText.write("damage", to: blob)
    try first.done(
      "--store", first.path + "/copy", "sync", "join", carrier, "--passphrase-file",
      first.path + "/p")
    try first.done("repair", "--from", first.path + "/copy")
    try expect(first.json("verify")["isSound"], is: .bool(true))
    try expect(first.json("sync", "status")["carriers"]?.array?.count, is: 1)
  }

  @Test func `a conflict is told, listed and resolved`() throws {
    try join()
    try first.done("item", "edit", "Ring", "--notes", "silver")
    try second.pass(seconds: 60)
    try second.done("item", "edit", "Ring", "--notes", "bronze")
    try first.done("sync")
    let answer = try second.done("sync")
    expect(answer.contains("1 conflict: 'Ring' notes; see capsule sync conflicts"))
    let conflict = try require(try second.json("sync", "conflicts").array?.first)
    expect(conflict["shown"], is: .string("bronze"))
    expect(conflict["others"], is: .array([.string("silver")]))
    // What was changed since the last sync is shown too.
    try second.done("item", "edit", "Ring", "--notes", "tin")
    let edited = try require(try second.json("sync", "conflicts").array?.first)
    expect(edited["shown"], is: .string("tin"))
    expect(edited["others"], is: .array([.string("silver")]))
    try second.done("sync", "resolve", "Ring", "--field", "notes", "--take", "1")
    try second.done("sync")
    try first.done("sync")
    for machine in [first, second] {
      try expect(machine.json("item", "show", "Ring")["notes"], is: .string("silver"))
      try expect(machine.json("sync", "conflicts"), is: [])
    }
  }

  @Test func `a carrier that is not there is an error, and nothing is lost`() throws {
    try FileSystemText.rename(carrier, to: carrier + "-away")
    try expect(first.run("sync").exitCode, is: Int32(ExitCode.io.rawValue))
    try FileSystemText.rename(carrier + "-away", to: carrier)
    try join()
    try expect(second.strings("name", "item", "list"), is: ["Ring"])
  }

  @Test func `what came by a sync is a version with that origin`() throws {
    try join()
    try first.done("item", "edit", "Ring", "--notes", "silver")
    try first.done("sync")
    try second.done("sync")
    expect(try second.strings("origin", "versions", "Ring").contains("sync"))
  }

  @Test func `status says what is to be sent and what is to be taken in`() throws {
    try join()
    try second.done("item", "add", "Clock")
    let unsent = try second.json("sync", "status")["carriers"]?.array?.first
    expect(unsent?["unsent"], is: 1)
    try second.done("sync")
    let untaken = try first.json("sync", "status")["carriers"]?.array?.first
    expect(untaken?["untaken"], is: 1)
  }

  @Test func `verify names a segment that was changed`() throws {
    try first.done("sync")
    try expect(first.json("sync", "verify", "--read").array?.first?["isSound"], is: .bool(true))
    let path = try require(try FileSystemText.files(below: carrier + "/heads").first)
    var bytes = try FileSystemText.bytes(path)
    bytes[bytes.count / 2] ^= 1
    try FileSystemText.write(bytes, to: path)
    try expect(first.run("sync", "verify").exitCode, is: Int32(ExitCode.damaged.rawValue))
  }

  @Test(arguments: [0, 40, 150])
  func `verify names the identities of a carrier from which no machine can join`(count: Int) throws
  {
    try first.done("sync")
    let path = carrier + "/identities.age"
    let bytes = try FileSystemText.bytes(path)
    try FileSystemText.write(Array(bytes.prefix(count)), to: path)
    let verified = try first.run("sync", "verify")
    expect(verified.code, is: .damaged)
    let text = String(decoding: verified.output, as: UTF8.self)
    expect(text.contains("damaged  meet: 'identities.age'"))
    try first.done("sync", "add", "meet", carrier, "--passphrase-file", first.path + "/p")
    try expect(first.json("sync", "verify").array?.first?["isSound"], is: .bool(true))
    try second.done("sync", "join", carrier, "--passphrase-file", first.path + "/p")
  }

  @Test(arguments: [0, 10, 150, 1_000])
  func `identities that are not what was written are named where a machine joins`(count: Int)
    throws
  {
    let path = carrier + "/identities.age"
    let bytes = try FileSystemText.bytes(path)
    try FileSystemText.write(Array(bytes.prefix(min(count, bytes.count - 1))), to: path)
    let words = ["sync", "join", carrier, "--passphrase-file", first.path + "/p"]
    let error = try second.refusal(.damaged, words)
    expect(error.contains("the identities in the carrier '\(carrier)' are not what was written"))
    expect(error.contains("capsule sync add NAME PLACE --passphrase"))
  }

  @Test func `a store that is there gets the identities that it lacks when it joins anew`() throws {
    try join()
    let words = "the passphrase of both machines"
    let key = ["--passphrase-file", first.path + "/p"]
    try first.done(["store", "protect"] + key)
    try first.createUnlocked("Letter", "--text", "dear me")
    first.answers = [words]
    try first.done(["sync", "add", "meet", carrier] + key)
    let error = try second.refusal(.refused, ["sync", "join", carrier] + key)
    expect(error.contains("capsule --store DIR sync join '\(carrier)'"))
    try first.done(["store", "unprotect"] + key)
    try first.done("sync")
    try second.done("sync")
    expect(try second.refusal(.key, "open", "Letter").contains("'capsule sync join PLACE' here"))
    try first.done(["sync", "add", "meet", carrier] + key)
    let joined = try second.run(["sync", "join", carrier] + key)
    expect(joined.code == .ok && joined.err.contains("Added 1 identity."))
    expect(try !second.run(["sync", "join", carrier] + key).err.contains("Added"))
    let third = try HostedStore()
    try third.done(["sync", "join", carrier] + key)
    for machine in [second, third] {
      try expect(machine.done("open", "Letter"), is: "dear me")
      try expect(machine.json("verify")["isSound"], is: .bool(true))
      try machine.done("sync")
      expect(
        machine.files(below: ".local/share/capsule/identities").sorted(),
        is: first.files(below: ".local/share/capsule/identities").sorted())
    }
  }

  @Test func `verify says what it looked at`() throws {
    try first.done("sync")
    expect(
      try first.done("sync", "verify")
        .contains("all segments are what was written, and all files are there."))
    expect(try first.done("sync", "verify", "--read").contains(": all is what was written."))
  }

  /// Flips a bit in the middle of each file below a folder of the carrier.
  private func damage(_ folder: String) throws {
    for path in try FileSystemText.files(below: carrier + "/" + folder) {
      var bytes = try FileSystemText.bytes(path)
      bytes[bytes.count / 2] ^= 1
      try FileSystemText.write(bytes, to: path)
    }
  }

  @Test func `verify with repair puts the own segments again`() throws {
    try join()
    try damage("heads")
    let mended = try first.json("sync", "verify", "--repair").array?.first
    expect(mended?["isSound"] == .bool(true) && mended?["mendedSegments"] == 1)
    try first.done("item", "add", "Box")
    try first.done("sync")
    try second.done("sync")
    try expect(
      second.json("item", "list").array?.count, is: first.json("item", "list").array?.count)
  }

  @Test(arguments: [true, false])
  func `verify with repair puts files again that are damaged or missing`(
    _ isMissing: Bool
  ) throws {
    try FileSystemText.write("a photo", to: first.path + "/photo")
    try first.done("create", "Trip", "--unlock", "2030", "--file", first.path + "/photo")
    try first.done("sync")
    if isMissing {
      for path in try FileSystemText.files(below: carrier + "/blobs") {
        try FileSystemText.remove(path)
      }
    } else {
      try damage("blobs")
    }
    try expect(
      first.run("sync", "verify", "--read").exitCode, is: Int32(ExitCode.damaged.rawValue))
    let mended = try first.json("sync", "verify", "--read", "--repair").array?.first
    expect(mended?["isSound"] == .bool(true) && mended?["mendedFiles"] == 1)
    try expect(first.json("sync", "verify", "--read").array?.first?["isSound"], is: .bool(true))
  }

  @Test func `the segments of another machine are left as they are`() throws {
    try join()
    try damage("heads")
    try expect(
      second.run("sync", "verify", "--repair").exitCode, is: Int32(ExitCode.damaged.rawValue))
  }

  @Test func `check with sync takes in what is due, and tells it`() throws {
    try join()
    try second.done("check")
    try first.done("create", "Letter", "--unlock", "in 1 hour", "--text", "hello")
    try first.done("sync")
    try second.pass(seconds: 7200)
    expect(try second.done("check", "--sync").contains("Letter"))
  }

  @Test func `check with sync prints nothing where nothing is due, and ends with what failed`()
    throws
  {
    try join()
    try second.done("check")
    try expect(second.done("check", "--sync"), is: "")
    try FileSystemText.rename(carrier, to: carrier + "-away")
    let answer = try second.run("check", "--sync")
    expect(answer.exitCode, is: Int32(ExitCode.io.rawValue))
    expect(answer.err.contains("the carrier 'carrier' is not there"))
  }

  @Test func `a machine is forgotten by the beginning of its name, but not this one`() throws {
    try join()
    try second.done("item", "edit", "Ring", "--notes", "silver")
    try second.done("sync")
    let own = try require(try actor(of: first))
    let other = try require(try actor(of: second))
    try first.refusal(.refused, "sync", "forget", own)
    try first.refusal(.notFound, "sync", "forget", "xyz")
    let answer = try first.done("sync", "forget", String(other.prefix(8)))
    expect(answer.contains("removed 1 segment of \(other)"))
    try expect(first.json("item", "show", "Ring")["notes"], is: .string("silver"))
  }

  @Test func `prune says what it removed and what is marked`() throws {
    try join()
    try FileSystemText.write("a photo", to: first.path + "/photo")
    try first.done("item", "attach", "Ring", first.path + "/photo")
    try first.done("sync")
    try first.done("item", "detach", "Ring", "1", "--yes")
    expect(try first.done("sync", "prune").contains("meet: removed 1 file"))
  }

  @Test func `a setting goes back to what it was, and a conflict of one is resolved`() throws {
    try join()
    try first.done("settings", "set", "owner", "Anna")
    try first.done("sync")
    try second.done("sync")
    try second.done("settings", "set", "owner", "Bert")
    try second.done("sync")
    try first.done("sync")
    try first.done("settings", "set", "owner", "Anna")
    try first.done("sync")
    try second.done("sync")
    for machine in [first, second] {
      try expect(machine.json("settings", "get", "owner")["value"], is: "Anna")
    }
    try first.done("settings", "set", "owner", "Cora")
    try second.pass(seconds: 60)
    try second.done("settings", "set", "owner", "Dora")
    for machine in [first, second, first] { try machine.done("sync") }
    let other = try require(
      try first.json("sync", "conflicts").array?.first?["others"]?.array?.first)
    try first.done("sync", "resolve", "settings", "--field", "owner", "--take", "1")
    for machine in [first, second] { try machine.done("sync") }
    for machine in [first, second] {
      try expect(machine.json("settings", "get", "owner")["value"], is: other)
      try expect(machine.json("sync", "conflicts"), is: [])
    }
  }

  @Test func `two items of one name are told, also where little is said`() throws {
    try join()
    try first.done("item", "add", "Clock")
    try second.done("item", "add", "Clock")
    try first.done("sync")
    expect(try second.done("sync", "--quiet").contains("2 items are called 'Clock'"))
  }

  @Test func `after a reset everything is compared again and nothing changes`() throws {
    try join()
    try second.done("sync", "reset")
    expect(try second.done("sync").hasPrefix("Sent "))
    try expect(second.json("sync", "conflicts"), is: [])
    try expect(second.strings("name", "item", "list"), is: ["Ring"])
  }

  @Test func `every answer is as its schema says`() throws {
    func check(_ home: HostedStore, _ name: String, _ words: String...) throws {
      let problems = try JSONSchema(name).problems(of: try home.json(words))
      expect(problems.isEmpty, "\(name): \(problems)")
    }
    try check(first, "sync-add", "sync", "add", "meet", carrier)
    try check(first, "sync-run", "sync")
    try check(
      second, "sync-join", "sync", "join", carrier, "--passphrase-file", first.path + "/p")
    try first.done("item", "edit", "Ring", "--notes", "silver")
    try second.done("item", "edit", "Ring", "--notes", "bronze")
    try first.done("sync")
    try check(second, "sync-run", "sync", "run", "carrier")
    try check(second, "sync-conflicts", "sync", "conflicts")
    try check(second, "sync-status", "sync", "status")
    try check(second, "sync-resolve", "sync", "resolve", "Ring")
    try check(second, "sync-verify", "sync", "verify")
    try check(second, "sync-prune", "sync", "prune")
    try second.done("item", "edit", "Ring", "--notes", "on")
    try second.done("sync")
    try check(first, "sync-forget", "sync", "forget", try require(try actor(of: second)))
    try check(second, "sync-reset", "sync", "reset")
  }
}

/// Small files of a test's own.
private enum FileSystemText {
  private static let files = POSIXFileSystem()

  static func write(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try? files.unlink(FilePath(path))
    try files.writeTemporary(FilePath(path), bytes, mode: 0o600)
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    try files.readFile(FilePath(path), limit: 1 << 24)
  }

  static func read(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  static func remove(_ path: String) throws {
    try POSIXFileSystem().unlink(FilePath(path))
  }

  static func rename(_ from: String, to path: String) throws {
    try files.rename(FilePath(from), to: FilePath(path))
  }

  static func files(below path: String) throws -> [String] {
    var found: [String] = []
    for entry in try files.contents(ofDirectory: FilePath(path)) {
      let inner = path + "/" + String(decoding: entry.name, as: UTF8.self)
      if try files.status(FilePath(inner)).kind == .directory {
        found += try files(below: inner)
      } else {
        found.append(inner)
      }
    }
    return found
  }
}

/// Carriers that are not where, or what, they were.
@Suite struct SyncPlaceTests {
  private let first: HostedStore
  private let second: HostedStore

  init() throws {
    first = try HostedStore()
    second = try HostedStore()
    try first.write("the passphrase of both machines", as: "p")
    try first.done("item", "add", "Ring")
    try first.done("item", "add", "Vase")
  }

  private var carrier: String { first.path + "/carrier" }
  private var key: [String] { ["--passphrase-file", first.path + "/p"] }

  @Test(arguments: ["", "/items", "/carrier", "/carrier/below"])
  func `a carrier may not lie in its store, nor a store in its carrier`(place: String) throws {
    try first.refusal(.refused, ["sync", "add", "c", first.store + place] + key)
    try expect(first.json("sync", "status")["carriers"], is: .array([]))
    try first.done(["sync", "add", "c", carrier] + key)
    try first.done("sync")
    let inside = ["--store", carrier + "/heads/store", "sync", "join", carrier] + key
    try second.refusal(.refused, inside)
    expect(first.names(in: "carrier/heads")?.contains("store"), is: false)
  }

  @Test func `a link in a carrier is named, and nothing goes through it`() throws {
    try first.done(["sync", "add", "c", carrier] + key)
    try first.write("mine", as: "out/letter")
    try FileManager.default.createSymbolicLink(
      atPath: carrier + "/heads", withDestinationPath: first.path + "/out")
    let error = try first.refusal(.refused, "sync")
    expect(error.contains("'\(carrier)/heads' in the carrier 'c' is no directory of its own"))
    expect(first.files(below: "out"), is: ["letter"])
  }

  @Test func `without a store there is no carrier and no conflict`() throws {
    let status = try second.json("sync", "status")
    expect(status["carriers"] == .array([]) && status["conflicts"] == .integer(0))
    try expect(second.json("sync", "conflicts"), is: .array([]))
    try second.refusal(.notFound, "sync")
  }

  @Test func `what fails makes no store`() throws {
    try second.refusal(.io, "event", "add", "E", "--on", "2027-01-01", "--image", "nofile")
    try second.write("", as: "empty")
    let words = ["sync", "add", "c", second.path + "/car", "--passphrase-file"]
    try second.refusal(.usage, words + [second.path + "/empty"])
    expect(second.names(in: ".local/share") == nil)
    try second.done(words + [first.path + "/p"])
    expect(second.names(in: ".local/share"), is: ["capsule"])
  }

  @Test(arguments: [false, true])
  func `a segment that the carrier lost is put there again by its machine`(isVerified: Bool) throws
  {
    try first.done(["sync", "add", "c", carrier] + key)
    try first.done("sync")
    try second.done(["sync", "join", carrier, "--name", "c"] + key)
    let before = Set(first.files(below: "carrier/heads"))
    try second.done("item", "edit", "Ring", "--notes", "one")
    try second.done("sync")
    let lost = try require(Set(first.files(below: "carrier/heads")).subtracting(before).first)
    try second.done("item", "edit", "Vase", "--notes", "two")
    try second.done("sync")
    try first.remove("carrier/heads/" + lost)
    if isVerified {
      try expect(first.run("sync", "verify").code, is: .ok)
      let found = try second.run("sync", "verify")
      expect(found.code == .damaged && found.out.contains(lost))
      expect(try second.run("sync", "verify", "--repair").out.contains("1 segment"))
    } else {
      try second.done("sync")
    }
    try expect(second.run("sync", "verify").code, is: .ok)
    try first.done("sync")
    for (name, notes) in [("Ring", "one"), ("Vase", "two")] {
      try expect(first.json("item", "show", name)["notes"]?.string, is: notes)
    }
    // Nothing is put again once it is there.
    let after = first.files(below: "carrier/heads").sorted()
    for home in [second, first, second] { try home.done("sync") }
    expect(first.files(below: "carrier/heads").sorted(), is: after)
  }

  @Test func `where nothing is synchronised a look makes no file and asks for no passphrase`()
    throws
  {
    let home = try HostedStore()
    try home.done("item", "add", "Ring")
    try FileSystemText.write("a passphrase of many words", to: home.path + "/p")
    try home.done("store", "protect", "--passphrase-file", home.path + "/p")
    let before = home.files(below: "")
    expect(try home.done("sync", "status").contains("No carrier is known"))
    try expect(home.json("sync", "conflicts"), is: [])
    expect(home.files(below: ""), is: before)
  }
}
