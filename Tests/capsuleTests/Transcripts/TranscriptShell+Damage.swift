import CapsuleCore
import TestSupport

@testable import ProgramTestHelpers
@testable import capsule

/// The commands of a transcript for files that are copied, moved, damaged or forged, and for a chain of
/// one's own.
extension TranscriptShell {
  /// - Returns: `nil` for another command.
  func damage(_ name: String, _ operands: [String], _ input: [UInt8]) throws -> Outcome? {
    switch (name, operands.count) {
    case ("chmod", 2):
      guard let mode = UInt32(operands[0], radix: 8) else { throw TestFault("a mode is octal") }
      let path = FilePath(operands[1])
      let isDirectory = try files.status(path).kind == .directory
      try files.withFile(path, isDirectory ? .directory : .read) { file throws(Fault) in
        try files.setMode(file, mode)
      }
    case ("cp", 2): try copy(operands[0], to: operands[1])
    case ("cp", 3) where operands[0] == "-r": try copyTree(operands[1], to: operands[2])
    case ("damage", 1), ("damage", 2):
      var bytes = try read(operands[0])
      let place = operands.count == 1 ? bytes.count / 2 : Int(operands[1]) ?? -1
      guard bytes.indices.contains(place) else { throw TestFault("there is no such byte") }
      bytes[place] ^= 1
      try write(bytes, to: operands[0])
    case ("drand", 1...):
      let numbers = operands.dropFirst().compactMap { Int64($0) }
      let chain = try OwnChain(
        secret: UInt64(numbers.dropFirst(2).first ?? 4711),
        period: UInt32(numbers.first ?? 3), genesis: numbers.dropFirst().first ?? 1_692_803_367)
      guard operands[0] != "info" else { return Outcome(said: [.output(Array(chain.info.utf8))]) }
      guard let round = UInt64(operands[0]) else { throw TestFault("drand takes info, or a round") }
      return Outcome(said: [.output(Array(try chain.signature(round).utf8))], showsFacts: true)
    case ("forge", 2), ("forge", 3):
      let text = operands.count == 3 ? Array(operands[2].utf8) : input
      // The newline behind a single line is no part of it.
      let isLine = text.last == 10 && text.count(where: { $0 == 10 }) == 1
      let value =
        (try? JSON.parse(text))
        ?? .string(String(decoding: isLine ? text.dropLast() : text, as: UTF8.self))
      let path = operands[1].split(whereSeparator: { ".[]".contains($0) }).map(String.init)
      let record = try JSON.parse(read(operands[0]))
      guard let forged = try Self.changed(record, path[...], value).object else {
        throw TestFault("a record is an object")
      }
      try write(RecordFile.encode(forged), to: operands[0])
    case ("mv", 2): try files.rename(FilePath(operands[0]), to: FilePath(operands[1]))
    default: return nil
    }
    return Outcome()
  }

  /// JSON with another value at a path; one behind the last of an array is added, and `null` removes a
  /// member.
  private static func changed(
    _ old: JSON, _ path: ArraySlice<String>, _ value: JSON
  ) throws -> JSON {
    guard let name = path.first else { return value }
    if var array = old.array, let place = Int(name), place <= array.count {
      let element = try changed(
        place < array.count ? array[place] : .null, path.dropFirst(), value)
      array.replaceSubrange(place..<min(place + 1, array.count), with: [element])
      return .array(array)
    }
    guard var object = old.object ?? (old == .null ? [:] : nil) else {
      throw TestFault("there is no member '\(name)'")
    }
    let member = try changed(object[name] ?? .null, path.dropFirst(), value)
    object[name] = member == .null ? nil : member
    return .object(object)
  }

  private func copy(_ from: String, to target: String) throws {
    let isDirectory = (try? files.status(FilePath(target)).kind) == .directory
    let name = isDirectory ? target + "/" + (from.split(separator: "/").last ?? "") : target
    try write(read(from), to: name)
    let mode = try files.status(FilePath(from)).mode & 0o777
    try files.withFile(FilePath(name), .read) { file throws(Fault) in
      try files.setMode(file, mode)
    }
  }

  private func copyTree(_ from: String, to target: String) throws {
    guard try files.status(FilePath(from)).kind == .directory else {
      return try copy(from, to: target)
    }
    try files.createDirectory(FilePath(target), mode: 0o700)
    for name in try names(in: from) { try copyTree(from + "/" + name, to: target + "/" + name) }
  }

  /// The words of a line, those with `*` in them replaced by the files that they match.
  func expanded(_ words: [String]) throws -> [String] {
    try words.flatMap { word in
      guard word.contains(ShellLine.star) else { return [word] }
      let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      var found = [parts[0] == "" ? "" : nil]
      for part in parts.dropFirst(parts[0] == "" ? 1 : 0) {
        found = try found.flatMap { folder -> [String?] in
          let prefix = folder.map { $0 + "/" } ?? ""
          guard part.contains(ShellLine.star) else { return [prefix + part] }
          let ends = part.split(separator: ShellLine.star, omittingEmptySubsequences: false)
          guard ends.count == 2 else { throw TestFault("a name has one * at most") }
          return ((try? names(in: folder ?? ".")) ?? []).filter {
            $0.hasPrefix(ends[0]) && $0.hasSuffix(ends[1]) && $0.count >= part.count - 1
              && ($0.first != "." || part.first == ".")
          }.map { prefix + $0 }
        }
      }
      let there = found.compactMap { $0 }.filter { (try? files.status(FilePath($0))) != nil }
      if there.isEmpty { throw TestFault("no file matches a word with *") }
      return there
    }
  }
}
