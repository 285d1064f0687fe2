import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Files go both ways between this library and the program `age`.
///
/// Where `age` is not installed these tests are skipped and say so; where `CI` is set they fail.
@Suite(
  .enabled(
    if: OtherPrograms.areExpected("age"),
    "the program `age` is not installed: nothing is held against it"))
struct AgeInteropTests {
  static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072]

  @Test(arguments: sizes)
  func `age opens what is sealed here`(size: Int) throws {
    let age = try AgeProgram()
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    for armor in [false, true] {
      let sealed = try AgeWriter(to: [identity.recipient], random: .system)
        .seal(testPattern(size), armor: armor)
      try expect(age.open(sealed, with: identity), is: testPattern(size))
    }
  }

  @Test(arguments: sizes)
  func `what age seals opens here`(size: Int) throws {
    let age = try AgeProgram()
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    for options in [[], ["--armor"]] {
      let sealed = try age.seal(testPattern(size), to: [identity.recipient], options)
      try expect(openAge(sealed, with: [identity]), is: testPattern(size))
    }
  }

  @Test func `each of several recipients opens a file, whoever made it`() throws {
    let age = try AgeProgram()
    let identities = try (0..<4).map { _ in try AgeIdentity(isPostQuantum: false, random: .system) }
    let ours = try AgeWriter(to: identities.map(\.recipient), random: .system)
      .seal(testPattern(1000), armor: false)
    let theirs = try age.seal(testPattern(1000), to: identities.map(\.recipient), [])
    for identity in identities {
      try expect(age.open(ours, with: identity), is: testPattern(1000))
      try expect(openAge(theirs, with: [identity]), is: testPattern(1000))
    }
  }

  @Test func `age opens a capsule by hand: its key first, then its contents`() throws {
    let age = try AgeProgram()
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let id = RecordID(high: 1, low: 2)
    let lock = try CapsuleLock(
      sealing: .init(id: id, unlock: Instant(seconds: 0)), layers: [[owner.recipient]],
      isPostQuantum: false, random: .system)
    let writer = try AgeWriter(to: [lock.recipient], random: .system)
    let content = try writer.seal(Array("{}".utf8), armor: true)
    let blob = try AgeWriter(to: [lock.recipient], random: .system)
      .seal(testPattern(100), armor: false)
    let keyFile = try age.open(Array(lock.key.utf8), with: owner)
    try expect(age.open(content, withKeyFile: keyFile), is: Array("{}".utf8))
    try expect(age.open(blob, withKeyFile: keyFile), is: testPattern(100))
  }
}

/// The program `age`, run in a folder that goes with it.
private struct AgeProgram {
  private let program: String
  private let folder: TemporaryFolder

  init() throws {
    program = try require(OtherPrograms.path(of: "age"), "the program `age` is not installed")
    folder = try TemporaryFolder()
  }

  func seal(
    _ plaintext: [UInt8], to recipients: [AgeRecipient], _ options: [String]
  ) throws -> [UInt8] {
    try run(options + recipients.flatMap { ["-r", $0.description] }, on: plaintext)
  }

  func open(_ file: [UInt8], with identity: AgeIdentity) throws -> [UInt8] {
    try open(file, withKeyFile: IdentityFile.text(identity, comments: ["a test"]))
  }

  func open(_ file: [UInt8], withKeyFile key: [UInt8]) throws -> [UInt8] {
    let path = folder.path + "/key"
    try Data(key).write(to: URL(filePath: path))
    return try run(["-d", "-i", path], on: file)
  }

  private func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
    var run = ProgramRun()
    run.program = program
    run.arguments = arguments.map { Array($0.utf8) }
    run.input = input
    let result = try run.result()
    try require(result.end == .exited(0), "age \(arguments.first ?? ""): \(result.err)")
    return result.output
  }
}
