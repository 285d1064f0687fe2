import CapsuleCore
import Foundation
import Testing

/// Files go both ways between this library and the program `age`.
///
/// Where `age` is not installed these tests are skipped and say so; where `CI` is set they fail.
@Suite(
  .enabled(
    if: AgeProgram.path != nil || ProcessInfo.processInfo.environment["CI"] != nil,
    "the program `age` is not installed: nothing is held against it"))
struct AgeInteropTests {
  static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072]

  @Test(arguments: sizes)
  func `age opens what is sealed here`(size: Int) throws {
    let age = try AgeProgram()
    let identity = try X25519Identity(random: .system)
    for armor in [false, true] {
      let sealed = try AgeWriter(to: [identity.recipient], random: .system)
        .seal(testPattern(size), armor: armor)
      #expect(try age.open(sealed, with: identity) == testPattern(size))
    }
  }

  @Test(arguments: sizes)
  func `what age seals opens here`(size: Int) throws {
    let age = try AgeProgram()
    let identity = try X25519Identity(random: .system)
    for options in [[], ["--armor"]] {
      let sealed = try age.seal(testPattern(size), to: [identity.recipient], options)
      #expect(try open(sealed, with: identity) == testPattern(size))
    }
  }

  @Test func `each of several recipients opens a file, whoever made it`() throws {
    let age = try AgeProgram()
    let identities = try (0..<4).map { _ in try X25519Identity(random: .system) }
    let ours = try AgeWriter(to: identities.map(\.recipient), random: .system)
      .seal(testPattern(1000), armor: false)
    let theirs = try age.seal(testPattern(1000), to: identities.map(\.recipient), [])
    for identity in identities {
      #expect(try age.open(ours, with: identity) == testPattern(1000))
      #expect(try open(theirs, with: identity) == testPattern(1000))
    }
  }

  @Test func `age opens a capsule by hand: its key first, then its contents`() throws {
    let age = try AgeProgram()
    let owner = try X25519Identity(random: .system)
    let id = RecordID(high: 1, low: 2)
    let lock = try CapsuleLock(
      sealing: .init(id: id, unlock: Instant(seconds: 0)), layers: [[owner.recipient]],
      random: .system)
    let writer = try AgeWriter(to: [lock.recipient], random: .system)
    let content = try writer.seal(Array("{}".utf8), armor: true)
    let blob = try AgeWriter(to: [lock.recipient], random: .system)
      .seal(testPattern(100), armor: false)
    let keyFile = try age.open(Array(lock.key.utf8), with: owner)
    #expect(try age.open(content, withKeyFile: keyFile) == Array("{}".utf8))
    #expect(try age.open(blob, withKeyFile: keyFile) == testPattern(100))
  }

  private func open(_ file: [UInt8], with identity: X25519Identity) throws -> [UInt8] {
    var sink = MemorySink()
    var reader = try AgeReader(MemorySource(file))
    let key = try reader.unlock(with: [identity])
    _ = try reader.open(with: key, to: &sink)
    return sink.bytes
  }
}

/// The program `age`, run in a folder that goes with it.
private final class AgeProgram {
  static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
    .split(separator: ":").map { "\($0)/age" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private let program: String
  private let folder: URL

  init() throws {
    program = try #require(Self.path, "the program `age` is not installed")
    folder = FileManager.default.temporaryDirectory.appending(path: "age-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func seal(
    _ plaintext: [UInt8], to recipients: [X25519Recipient], _ options: [String]
  ) throws -> [UInt8] {
    try run(options + recipients.flatMap { ["-r", $0.description] }, on: plaintext)
  }

  func open(_ file: [UInt8], with identity: X25519Identity) throws -> [UInt8] {
    try open(file, withKeyFile: IdentityFile.text(identity, comments: ["a test"]))
  }

  func open(_ file: [UInt8], withKeyFile key: [UInt8]) throws -> [UInt8] {
    let path = folder.appending(path: "key")
    try Data(key).write(to: path)
    return try run(["-d", "-i", path.path], on: file)
  }

  private func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
    let (source, target) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try? FileManager.default.removeItem(at: target)
    try Data(input).write(to: source)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments + ["-o", target.path, source.path]
    let messages = Pipe()
    process.standardError = messages
    try process.run()
    process.waitUntilExit()
    let said = String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self)
    try #require(process.terminationStatus == 0, "age \(arguments.first ?? ""): \(said)")
    // `age` makes no file for an empty plaintext.
    return (try? Data(contentsOf: target)).map { [UInt8]($0) } ?? []
  }
}
