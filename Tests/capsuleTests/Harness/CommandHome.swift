import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import capsule

/// A home of a test's own, with a store in it, and a way to run commands there: ``ProgramStore`` runs the
/// real program, ``HostedStore`` runs commands in this process.
protocol CommandHome {
  associatedtype Answer: CommandAnswer

  /// The folder that everything of the test is in.
  var path: String { get }
  func run(_ words: [String], input: String) throws -> Answer
}

extension CommandHome {
  @discardableResult
  func run(_ words: String..., input: String = "") throws -> Answer {
    try run(words, input: input)
  }

  func run(_ words: [String]) throws -> Answer { try run(words, input: "") }

  /// Runs a command that must succeed.
  ///
  /// - Returns: what it wrote to standard output.
  @discardableResult
  func done(
    _ words: String..., input: String = "", file: String = #fileID, line: Int = #line
  ) throws -> String {
    try done(words, input: input, file: file, line: line)
  }

  @discardableResult
  func done(
    _ words: [String], input: String = "", file: String = #fileID, line: Int = #line
  ) throws -> String {
    let answer = try run(words, input: input)
    try require(
      answer.exitCode == 0, "\(words): \(answer.err)", sourceLocation: SourceLocation(file, line))
    return answer.out
  }

  /// Runs a command that must succeed, with `--json`.
  func json(
    _ words: String..., input: String = "", file: String = #fileID, line: Int = #line
  ) throws -> JSON {
    try json(words, input: input, file: file, line: line)
  }

  func json(
    _ words: [String], input: String = "", file: String = #fileID, line: Int = #line
  ) throws -> JSON {
    let text = try done(words + ["--json"], input: input, file: file, line: line)
    return try JSON.parse(Array(text.utf8))
  }

  /// One member of each object in a command's list, where it is a string.
  func strings(
    _ member: String, _ words: String..., file: String = #fileID, line: Int = #line
  ) throws -> [String] {
    try strings(member, words, file: file, line: line)
  }

  func strings(
    _ member: String, _ words: [String], file: String = #fileID, line: Int = #line
  ) throws -> [String] {
    let list = try json(words, file: file, line: line).array
    return try require(list, sourceLocation: SourceLocation(file, line)).compactMap {
      $0[member]?.string
    }
  }

  /// Runs a command that must end with a code and write nothing to standard output.
  ///
  /// - Returns: what it wrote to standard error.
  @discardableResult
  func refusal(
    _ code: ExitCode, _ words: String..., input: String = "",
    file: String = #fileID, line: Int = #line
  ) throws -> String {
    try refusal(code, words, input: input, file: file, line: line)
  }

  @discardableResult
  func refusal(
    _ code: ExitCode, _ words: [String], input: String = "",
    file: String = #fileID, line: Int = #line
  ) throws -> String {
    let answer = try run(words, input: input)
    expect(
      answer.exitCode, is: Int32(code.rawValue), "\(words): \(answer.err)",
      sourceLocation: SourceLocation(file, line))
    expect(answer.output.isEmpty, "\(words)", sourceLocation: SourceLocation(file, line))
    return answer.err
  }

  /// Makes a capsule.
  ///
  /// - Returns: its id.
  @discardableResult
  func create(
    _ title: String, _ words: String..., file: String = #fileID, line: Int = #line
  ) throws -> String {
    let all = filled(["create", title, "--quiet"] + words)
    return String(try done(all, file: file, line: line).dropLast())
  }

  /// Makes a capsule that is unlocked already.
  ///
  /// - Returns: its id.
  @discardableResult
  func createUnlocked(
    _ title: String, _ words: String..., file: String = #fileID, line: Int = #line
  ) throws -> String {
    let all = filled(
      ["create", title, "--quiet", "--unlock", "2020-01-01", "--allow-past"] + words)
    return String(try done(all, file: file, line: line).dropLast())
  }

  /// A `create` that names nothing to put in, with the word that it is meant so.
  private func filled(_ words: [String]) -> [String] {
    let outcome = try? Parser(.capsule).parse(words.map { Array($0.utf8) })
    guard case .run(_, let invocation)? = outcome, let plan = try? ContentPlan(invocation),
      plan.isEmpty
    else { return words }
    return words + ["--empty"]
  }

  /// The titles of the capsules in a list.
  func titles(_ words: String...) throws -> [String] { try strings("title", ["list"] + words) }
}

// MARK: Files

extension CommandHome {
  /// Writes a file in the folder, with the folders above it.
  ///
  /// - Returns: its path.
  @discardableResult
  func write(_ bytes: [UInt8], as name: String) throws -> String {
    let file = URL(filePath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    // Closed on exec: a program that another test starts meanwhile must not keep it open for writing.
    let files = POSIXFileSystem()
    try files.withFile(FilePath(file.path), .readWriteCreate(mode: 0o644)) {
      file throws(Fault) in
      try files.truncate(file, to: 0)
      try files.writeAll(file, bytes)
    }
    return path + "/" + name
  }

  @discardableResult
  func write(_ text: String, as name: String) throws -> String {
    try write(Array(text.utf8), as: name)
  }

  /// Writes a script that stands for another program: `bin/name`, which the test's PATH may begin with.
  func writeProgram(_ name: String, _ script: String) throws {
    let path = try write("#!/bin/sh\n\(script)\n", as: "bin/" + name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    // A child that is about to start its program still has it open.
    Spawn.waitForOthers()
  }

  /// The bytes of a file in the folder.
  func bytes(of name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  /// The text of a file in the folder.
  func text(of name: String) throws -> String {
    String(decoding: try bytes(of: name), as: UTF8.self)
  }

  /// The paths of all files below a folder, from it, sorted; empty where there is no such folder.
  func files(below name: String) -> [String] {
    let root = path + "/" + name
    let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    var isFolder: ObjCBool = false
    return all.filter { entry in
      _ = FileManager.default.fileExists(atPath: root + "/" + entry, isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }

  /// The names in a folder, sorted; `nil` where there is no such folder.
  func names(in name: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: path + "/" + name).sorted()
  }

  /// Removes a file, or a folder with all that is in it.
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }

  /// The path of a record's file, from the folder.
  func record(_ id: String) throws -> String {
    let store = ".local/share/capsule"
    let found = files(below: store).first { $0.hasSuffix("/\(id).json") }
    return store + "/" + (try require(found, "there is no record \(id)"))
  }

  /// Replaces text in a file, as somebody does by hand.
  func replace(_ old: String, with new: String, in name: String) throws {
    let text = try text(of: name)
    try require(text.contains(old), "\(name) has no \(old)")
    try write(text.replacingOccurrences(of: old, with: new), as: name)
  }
}
