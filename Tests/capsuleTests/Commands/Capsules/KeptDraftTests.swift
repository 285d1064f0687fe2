import CapsuleCore
import CapsulePlatform
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A draft that is kept for a while opens nothing, and nobody has it longer, elsewhere or in another's place: attacks on
/// the clocks, the files and the copies of a store in which one is kept.
@Suite struct KeptDraftTests {
  private static let words = "the words of mine"
  private static let other = "what somebody else wrote"

  /// What somebody does, and whether the draft can be had all the same.
  struct Attack: CustomTestStringConvertible, Sendable {
    let name: String
    let isHad: Bool
    let run: @Sendable (HostedStore) throws -> Void

    init(
      _ name: String, isHad: Bool = false, _ run: @escaping @Sendable (HostedStore) throws -> Void
    ) {
      (self.name, self.isHad, self.run) = (name, isHad, run)
    }

    var testDescription: String { name }
  }

  private static let minute: Int64 = 60_000_000_000

  private static let attacks: [Attack] = [
    Attack("nothing", isHad: true) { _ in },
    Attack("a while", isHad: true) { home in
      try home.pass(seconds: 14 * 60)
      home.boot += 14 * minute
    },
    Attack("the whole time") { home in
      try home.pass(seconds: 15 * 60)
      home.boot += 15 * minute
    },
    Attack("a clock that is set back") { home in try home.pass(seconds: -1) },
    Attack("a clock that is set back after the time") { home in
      home.boot += 15 * minute
      try home.pass(seconds: -3600)
    },
    Attack("a clock that stands still") { home in home.boot += 15 * minute },
    Attack("a clock that is ahead") { home in try home.pass(seconds: 3600) },
    Attack("another start of the machine") { home in home.boot = 10 },
    Attack("a directory for others too") { home in
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: home.path + "/run")
    },
    Attack("a key for others too") { home in
      for path in try files(home, "run") {
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      }
    },
    Attack("a login of somebody else") { home in
      home.environment["XDG_RUNTIME_DIR"] = try directory(home, "other-run")
    },
    Attack("a longer setting after the time") { home in
      try home.done("settings", "set", "undoWindow", "60")
      try home.done("undo")
      try home.pass(seconds: 15 * 60)
    },
    Attack("an edited setting after the time") { home in
      try home.write(Array("{\"undoWindow\": 60}".utf8), as: ".local/share/capsule/settings.json")
      try home.pass(seconds: 15 * 60)
    },
    Attack("a changed bit of the draft") { home in
      for path in try files(home, "drafts") {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        bytes[bytes.count - 5] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
      }
    },
    Attack("a draft of another capsule in its place") { try swap($0, "drafts") },
    Attack("a key of another capsule in its place") { try swap($0, "run") },
    Attack("a copy of the store and the state on another device") { home in
      let elsewhere = try directory(home, "mia")
      try copy(home.path + "/.local", to: elsewhere + "/.local")
      home.environment["HOME"] = elsewhere
      home.environment["XDG_RUNTIME_DIR"] = try directory(home, "mia/run")
    },
    Attack("a copy with its key on another device, which runs for less long") { home in
      let elsewhere = try directory(home, "mia")
      try copy(home.path + "/.local", to: elsewhere + "/.local")
      try copy(home.path + "/run", to: elsewhere + "/run")
      home.environment["HOME"] = elsewhere
      home.environment["XDG_RUNTIME_DIR"] = elsewhere + "/run"
      home.boot = 10
    },
    Attack("a copy that is put back after the time") { home in
      try copy(home.path + "/.local/state", to: home.path + "/kept-state")
      try home.pass(seconds: 15 * 60)
      try home.done("list")
      try copy(home.path + "/kept-state", to: home.path + "/.local/state")
    },
  ]

  @Test(arguments: attacks, ["honor", "timelock"])
  func `a kept draft opens nothing, and nobody has it longer or elsewhere`(
    _ attack: Attack, lock: String
  ) throws {
    let home = try HostedStore(now: "2026-03-10T12:00:00Z")
    home.environment["XDG_RUNTIME_DIR"] = try Self.directory(home, "run")
    let words = lock == "honor" ? [] : ["--timelock"]
    let id = String(
      try home.done(
        ["create", "Letter", "--quiet", "--unlock", "2040-01-01", "--text", Self.words] + words
      ).dropLast())
    try attack.run(home)
    try requireClosed(home, attack)
    let answer = try home.run("undo", "--output", home.path + "/out", "--no-input")
    let text = try? home.text(of: "out/text-1.txt")
    expect(text, is: attack.isHad ? Self.words : nil, "\(answer.err)")
    expect(answer.exitCode == 0, is: attack.isHad)
    // Who has the draft no more has the capsule still.
    let isLive = try home.titles().contains("Letter")
    expect(isLive, is: !attack.isHad, "\(id)")
    try requireClosed(home, attack)
  }

  /// Nothing opens before its time, nor shows what was typed.
  private func requireClosed(_ home: HostedStore, _ attack: Attack) throws {
    for words in [["open", "Letter"], ["open", "Letter", "--output", "-"], ["view", "Letter"]] {
      let answer = try home.run(words)
      expect(!answer.out.contains(Self.words) && !answer.err.contains(Self.words), "\(words)")
      if words[0] == "open" { expect(answer.exitCode != 0, "\(words)") }
    }
  }

  @Test func `a record that somebody gave an earlier time opens no sooner where a draft is kept`()
    throws
  {
    let home = try HostedStore(now: "2026-03-10T12:00:00Z")
    home.environment["XDG_RUNTIME_DIR"] = try Self.directory(home, "run")
    let id = try home.create("Letter", "--unlock", "2040-01-01", "--text", Self.words)
    try home.replace("2040-01-01", with: "2020-01-01", in: home.record(id))
    try requireClosed(home, Self.attacks[0])
    // It is not what was sealed: there is nothing to undo, and no draft of it is written.
    let answer = try home.run("undo", "--output", home.path + "/out", "--no-input")
    expect(answer.exitCode != 0)
    expect(home.names(in: "out") ?? [], is: [])
    try requireClosed(home, Self.attacks[0])
  }

  @Test func `an edited list of operations gives no draft of another capsule`() throws {
    let home = try HostedStore(now: "2026-03-10T12:00:00Z")
    let old = try home.create("Old", "--unlock", "2040-01-01", "--text", Self.other)
    home.environment["XDG_RUNTIME_DIR"] = try Self.directory(home, "run")
    let new = try home.create("Letter", "--unlock", "2040-01-01", "--text", Self.words)
    let lists = try FileManager.default.subpathsOfDirectory(atPath: home.store + "/journal")
      .filter { $0.hasSuffix("operations") }
    let path = ".local/share/capsule/journal/" + (try require(lists.first))
    let text = try home.text(of: path)
    expect(text.contains(new))
    try home.write(Array(text.replacing(new, with: old).utf8), as: path)
    let answer = try home.run("undo", "--output", home.path + "/out", "--no-input")
    expect(answer.exitCode != 0)
    expect(home.names(in: "out") ?? [], is: [])
    try expect(home.titles().sorted(), is: ["Letter", "Old"])
  }

  /// A directory that is the user's alone.
  private static func directory(_ home: HostedStore, _ name: String) throws -> String {
    let path = home.path + "/" + name
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return path
  }

  /// The files with a kept draft, or those with the keys.
  private static func files(_ home: HostedStore, _ folder: String) throws -> [String] {
    let root = folder == "run" ? home.path + "/run" : home.path + "/.local/state/capsule"
    return try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { folder == "run" || $0.contains("/drafts/") && $0.hasSuffix(".age") }
      .map { root + "/" + $0 }.sorted()
  }

  /// Puts the draft of another capsule, or its key, in the place of the one that is kept.
  private static func swap(_ home: HostedStore, _ folder: String) throws {
    let own = try files(home, folder)
    try home.create("Other", "--unlock", "2041", "--text", other)
    let others = try files(home, folder).filter { !own.contains($0) }
    try home.done("undo", "--trash")
    try copy(require(others.first), to: require(own.first))
  }

  private static func copy(_ source: String, to target: String) throws {
    try? FileManager.default.removeItem(atPath: target)
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }
}
