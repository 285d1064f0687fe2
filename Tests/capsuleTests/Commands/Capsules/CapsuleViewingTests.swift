import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `view` and `play` of a capsule's contents, and `--record`: other programs get copies of their own.
@Suite struct CapsuleViewingTests {
  private let home: HostedStore
  private static let samples =
    BuiltProgram.packageRoot + "Tests/CapsuleCoreTests/Vectors/media/"

  init() throws {
    home = try HostedStore()
    try home.createUnlocked(
      "C", "--text", "words", Self.samples + "rgb.png", Self.samples + "vbri.mp3")
  }

  /// The runs of other programs: their words, the modes of the copy and its folder, and its bytes.
  private final class Runs: Sendable {
    let all = Mutex<[(words: [String], modes: [Int?], bytes: [UInt8]?)]>([])
  }

  private func programs(_ ends: [String: ProcessOutcome.End], writing: String? = nil) -> Runs {
    let runs = Runs()
    home.process = { request throws(SystemError) in
      let name = String(decoding: request.program, as: UTF8.self)
      guard let end = ends[name] else { throw SystemError(code: ENOENT, action: "run '\(name)'") }
      let words = request.arguments.map { String(decoding: $0, as: UTF8.self) }
      let path = words.last ?? ""
      if let writing { try? Data(writing.utf8).write(to: URL(filePath: path)) }
      let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
      let modes = [path, folder].map { path in
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
      }
      let bytes = (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) }
      runs.all.withLock { $0.append(([name] + words, modes, bytes)) }
      return ProcessOutcome(end: end)
    }
    return runs
  }

  private func sample(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: Self.samples + name)))
  }

  private func useRuntimeFolder() throws {
    try home.write("", as: "run/x")
    try home.remove("run/x")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: home.path + "/run")
    home.environment["XDG_RUNTIME_DIR"] = home.path + "/run"
  }

  @Test(arguments: ["2", "rgb.png", "RGB.png"])
  func `a viewer gets a private copy in the runtime folder, which goes when it ends`(
    word: String
  ) throws {
    try useRuntimeFolder()
    let runs = programs(["xdg-open": .exited(0)])
    try home.done("view", "C", word)
    let run = try require(runs.all.withLock { $0.first })
    expect(run.words[1].hasPrefix(home.path + "/run/capsule-copy-"))
    expect(run.words[1].hasSuffix("/rgb.png") && run.modes == [0o600, 0o700])
    try expect(run.bytes, is: sample("rgb.png"))
    expect(home.names(in: "run"), is: [])
  }

  @Test func `a content is named by its id too, and by nothing that means several`() throws {
    let runs = programs(["xdg-open": .exited(0)])
    let items = try require(try home.json("open", "C")["items"]?.array)
    let id = try require(items[1]["id"]?.string)
    try home.done("view", "C", String(id.prefix(8)))
    expect(runs.all.withLock { $0.count }, is: 1)
    try home.refusal(.notFound, "view", "C", "7")
    try home.createUnlocked(
      "Same", try home.write("1", as: "a/x.txt"), try home.write("2", as: "b/x.txt"))
    expect(try home.refusal(.notFound, "view", "Same", "x.txt").contains("1, 2"))
    try expect(home.done("open", "Same", "--content", "2"), is: "2")
  }

  @Test func `a number comes before a name`() throws {
    try home.createUnlocked(
      "N", try home.write("first", as: "2"), try home.write("second", as: "7"))
    try expect(home.done("open", "N", "-c", "2"), is: "second")
    try expect(home.done("open", "N", "-c", "7"), is: "second")
  }

  @Test func `a locked capsule is not viewed, and nothing is run`() throws {
    try home.create("Later", "--unlock", "2090", Self.samples + "rgb.png")
    try home.refusal(.locked, "view", "Later")
    try home.refusal(.locked, "play", "Later")
  }

  @Test func `viewing is the first opening, unless nothing showed it`() throws {
    _ = programs([:])
    try home.refusal(.io, "view", "C", "2")
    try expect(home.json("show", "C")["openedAt"], is: .null)
    _ = programs(["xdg-open": .exited(0)])
    expect(try home.run("view", "C", "2").err.contains("for the first time"))
    try expect(home.json("show", "C")["state"], is: "opened")
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  @Test func `what might run is refused, and written nowhere`() throws {
    try home.createUnlocked("S", try home.write("#!/bin/sh\n", as: "run.sh"))
    expect(try home.refusal(.refused, "view", "S").contains("--output DIR"))
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  @Test func `the first sound is played, and its copy is gone`() throws {
    let runs = programs(["mpv": .exited(0)])
    try home.done("play", "C")
    let run = try require(runs.all.withLock { $0.first })
    expect(try run.words[0] == "mpv" && run.bytes == sample("vbri.mp3"))
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
    try home.createUnlocked("T", "--text", "words")
    try home.refusal(.notFound, "play", "T")
  }

  @Test func `a recording is sealed in its place, and nothing of it stays in the clear`() throws {
    let runs = programs(["arecord": .exited(0)], writing: "RIFF----WAVEfmt ")
    try home.createUnlocked(
      "R", "--text", "a", "--record", "--seconds", "2", "--caption", "A story", "--text", "b")
    expect(runs.all.withLock { $0.first?.words.contains("2") }, is: true)
    let items = try require(try home.json("open", "R")["items"]?.array)
    expect(items.map { $0["text"]?.string }, is: ["a", nil, "b"])
    expect(items[1]["caption"], is: "A story")
    expect(items[1]["name"]?.string?.hasPrefix("recorded-2026-03-10-"), is: true)
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  @Test func `a recording that could not be sealed is kept and named`() throws {
    _ = programs(["arecord": .exited(0)], writing: "RIFF----WAVEfmt ")
    try home.done("settings", "set", "maxFileSize", "4")
    let message = try home.refusal(.refused, "create", "R", "-u", "2090", "--record")
    let path = try require(message.split(separator: "'").first { $0.hasSuffix(".wav") })
    expect(try String(contentsOfFile: String(path), encoding: .utf8).hasPrefix("RIFF"))
  }
}
