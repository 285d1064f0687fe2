import CapsuleCore
import CapsulePlatform
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A file system in which another program makes a file right before a command gives its own that name.
private struct RacingFileSystem: ForwardingFileSystem {
  let files = UnsynchronizedFileSystem()
  let path: FilePath

  func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {
    guard file.path.parent == path.parent else { return }
    _ = FileManager.default.createFile(atPath: path.text, contents: Data("precious".utf8))
  }
}

/// Links, pipes, drafts and the desktop: what of a store that somebody else has written to no transcript tells.
@Suite struct HostileStoreTests {
  private let home: HostedStore
  private static let store = ".local/share/capsule"

  init() throws { home = try HostedStore() }

  // MARK: Links in place of the store's own files

  @Test func `a lock that is another file too is not written to`() throws {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let victim = try home.write("precious", as: "victim")
    try home.remove(Self.store + "/lock")
    try FileManager.default.linkItem(atPath: victim, toPath: home.store + "/lock")
    try home.create("B", "--unlock", "2040-01-01", "--text", "x")
    try expect(home.text(of: "victim"), is: "precious")
  }

  @Test func `a link in place of the backups is not followed`() throws {
    let id = try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let elsewhere = home.path + "/elsewhere"
    try FileManager.default.createDirectory(
      atPath: elsewhere, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: home.store + "/backups", withDestinationPath: elsewhere)
    try home.replace("\"A\"", with: "\"B\"", in: home.record(id))
    try expect(home.run("repair").code, is: .io)
    expect(home.names(in: "elsewhere"), is: [])
  }

  // MARK: Devices and pipes in place of files

  @Test func `a pipe is not replaced by a file`() throws {
    try home.createUnlocked("A", "--text", "x")
    expect(mkfifo(home.path + "/pipe", 0o600), is: 0)
    try home.refusal(.io, "status", "--write", home.path + "/pipe")
    try home.refusal(.io, "open", "A", "--output", home.path + "/pipe", "--force")
    let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/pipe")
    expect(attributes[.type] as? FileAttributeType == .typeUnknown)
  }

  @Test func `a file that is made while a summary is written stays`() throws {
    let path = home.path + "/summary.json"
    home.files = RacingFileSystem(path: FilePath(path))
    let error = try home.refusal(.refused, "status", "--write", path)
    expect(error.contains("'\(path)' already exists"))
    try expect(home.text(of: "summary.json"), is: "precious")
    expect(home.names(in: "")?.filter { !$0.hasPrefix(".") }, is: ["summary.json"])
  }

  // MARK: Drafts

  @Test func `nothing that an editor leaves beside its draft stays`() throws {
    expect(try draftFolder(runtimeMode: nil).hasPrefix(home.path + "/.capsule-draft-"))
    expect(home.names(in: "")?.contains { $0.contains("draft") }, is: false)
    let folder = try draftFolder(runtimeMode: nil)
    expect(folder.contains("/capsule/tmp/capsule-draft-"))
    expect(home.names(in: Self.store + "/tmp"), is: [])
  }

  @Test(arguments: [(0o700, true), (0o755, false), (0o777, false)])
  func `a draft lies in a runtime directory that is the user's alone`(
    mode: Int, isUsed: Bool
  ) throws {
    let folder = try draftFolder(runtimeMode: mode)
    expect(folder.contains("/run/capsule-draft-"), is: isUsed, "\(folder)")
    // The key of what was typed stays for a while, in a file of its own.
    let left = try require(home.names(in: "run"))
    expect(left.allSatisfy { $0.hasPrefix("capsule-draft-") } && left.count == (isUsed ? 1 : 0))
    for name in left {
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/run/" + name)
      expect(attributes[.type] as? FileAttributeType == .typeRegular)
    }
  }

  /// Writes a capsule's text in an editor that leaves folders of its own.
  ///
  /// - Returns: the folder of the draft.
  private func draftFolder(runtimeMode: Int?) throws -> String {
    if let runtimeMode {
      try home.write("", as: "run/x")
      try home.remove("run/x")
      try FileManager.default.setAttributes(
        [.posixPermissions: runtimeMode], ofItemAtPath: home.path + "/run")
      home.environment["XDG_RUNTIME_DIR"] = home.path + "/run"
    }
    home.environment["EDITOR"] = "editor"
    let path = home.path
    home.process = { request throws(Fault) in
      let file = String(decoding: request.arguments.last ?? [], as: UTF8.self)
      let folder = file.replacing("/text.txt", with: "")
      do {
        let manager = FileManager.default
        try Data("words".utf8).write(to: URL(filePath: file))
        try manager.createDirectory(
          atPath: folder + "/backup/deep", withIntermediateDirectories: true)
        try Data("words".utf8).write(to: URL(filePath: folder + "/backup/deep/text.txt~"))
        try Data(folder.utf8).write(to: URL(filePath: path + "/folder"))
      } catch {
        throw Fault(system: 5, action: "edit")
      }
      return ProcessOutcome(end: .exited(0))
    }
    home.answers = []
    try home.done("create", "A", "--unlock", "2040-01-01", "--edit")
    return try home.text(of: "folder")
  }

  // MARK: Files for the desktop

  @Test(arguments: [
    ("a.html", "<html><script>", false), ("a.png", "<html><script>", false),
    ("a.desktop", "[Desktop Entry]\nExec=x", false), ("a.sh", "#!/bin/sh\n", false),
    ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", false), ("a.txt", "words", true),
    ("a", "words", false), ("a.jar", "PK\u{3}\u{4}", false), ("a.gif", "GIF89a;", true),
  ])
  func `only kinds that are shown or played are handed to the desktop`(
    name: String, content: String, isShown: Bool
  ) throws {
    let file = try home.write(content, as: name)
    try home.done("item", "add", "Ring")
    try home.done("item", "attach", "Ring", file)
    let asked = Asked()
    home.process = { _ throws(Fault) in
      asked.count.withLock { $0 += 1 }
      return ProcessOutcome(end: .exited(0))
    }
    let run = try home.run("item", "view", "Ring")
    expect(run.code == (isShown ? .ok : .refused))
    expect(asked.count.withLock { $0 } == (isShown ? 1 : 0), "\(run.err)")
    if !isShown {
      expect(run.err.contains("might be a program") && run.err.contains("item extract"))
    }
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  private final class Asked: Sendable {
    let count = Mutex(0)
  }

  #if !canImport(Darwin)
    @Test func `the memory of the process is kept out of core dumps`() throws {
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      let symbol = try require(dlsym(nil, "prctl"))
      let control = unsafeBitCast(symbol, to: Control.self)
      let (get, set): (Int32, Int32) = (3, 4)
      let before = control(get, 0, 0, 0, 0)
      ThisProcess.keepPrivate()
      expect(control(get, 0, 0, 0, 0), is: 0)
      _ = control(set, UInt(max(0, before)), 0, 0, 0)
    }
  #endif
}
