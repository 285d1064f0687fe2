import CapsuleCore
import CapsulePlatform
import TestSupport

@testable import ProgramTestHelpers
@testable import capsule

/// The commands of a transcript besides `capsule`. Those that a system has do what they do there, as far as
/// they go; `clock` and `terminal` are the transcript's own.
extension TranscriptShell {
  /// - Throws: ``TestFault`` where the command is not known so, and ``Fault``.
  func command(_ name: String, _ operands: [String], _ input: [UInt8]) throws -> Outcome {
    switch (name, operands.count) {
    case ("cat", _):
      let bytes = try operands.isEmpty ? input : operands.flatMap { try read($0) }
      return Outcome(said: [.output(bytes)], showsFacts: true)
    case ("chmod", 2...):
      guard let mode = UInt32(operands[0], radix: 8) else { throw TestFault("a mode is octal") }
      for name in operands.dropFirst() { try change(name, mode) }
    case ("clock", 1):
      guard let time = Instant(rfc3339: operands[0]) else {
        throw TestFault("a time is written as 2026-01-10T09:00:00Z")
      }
      now = time
    case ("cmp", 2):
      let isSame = try read(operands[0]) == read(operands[1])
      let text = isSame ? "" : "\(operands[0]) \(operands[1]) differ\n"
      return Outcome(said: [.output(Array(text.utf8))], status: isSame ? 0 : 1, showsFacts: true)
    case ("echo", _): return Outcome(said: [.output(lines([operands.joined(separator: " ")]))])
    case ("export", 1...):
      for word in operands {
        guard let (name, value) = ShellLine.assignment(word) else {
          throw TestFault("export takes NAME=VALUE")
        }
        environment[name] = value
      }
    case ("find", 3) where operands.dropFirst() == ["-type", "f"]:
      return Outcome(said: [.output(lines(try found(below: operands[0])))], showsFacts: true)
    case ("grep", 2...): return try grep(operands, input)
    case ("jq", 1), ("jq", 2): return try jq(operands, input)
    case ("ln", 3) where operands[0] == "-s" && operands[1].first != "/":
      guard symlink(operands[1], files.real(FilePath(operands[2])).text) == 0 else {
        throw TestFault("'\(operands[2])' cannot be made")
      }
    case ("ls", 0), ("ls", 1),
      ("ls", 2) where operands.first == "-A":
      let showsAll = operands.first == "-A"
      let names = try names(in: operands.dropFirst(showsAll ? 1 : 0).first ?? ".")
      let shown = names.filter { showsAll || !$0.hasPrefix(".") }
      return Outcome(said: [.output(lines(shown))], showsFacts: true)
    case ("mkdir", 1...):
      for name in operands where name != "-p" {
        if operands.contains("-p") {
          try files.createDirectories(FilePath(name))
        } else {
          try files.createDirectory(FilePath(name), mode: 0o755)
        }
      }
    case ("printf", 1) where !operands[0].contains("%"):
      return Outcome(said: [.output(try ShellLine.unescaped(operands[0]))])
    case ("program", 1),
      ("program", 2) where operands.last == "off":
      programs[operands[0]] =
        operands.count == 1
        ? String(decoding: input, as: UTF8.self).split(separator: "\n").map(String.init) : nil
    case ("rm", 1...): for name in operands where name != "-r" { try remove(name, operands) }
    case ("sed", 3) where operands[0] == "-i": try replace(operands[1], in: operands[2])
    case ("sha256sum", 0):
      let text = Hex.encode(SHA256.hash(input)) + "  -"
      return Outcome(said: [.output(lines([text]))], showsFacts: true)
    case ("sleep", 1): now = now.adding(seconds: try Self.seconds(operands[0]))
    case ("stat", 3...) where operands[0] == "-c":
      let texts = try operands.dropFirst(2).map {
        let status = try files.statusFollowingLinks(FilePath($0))
        return operands[1].replacing("%a", with: String(status.mode, radix: 8))
          .replacing("%Y", with: String(status.modified.seconds))
      }
      return Outcome(said: [.output(lines(texts))], showsFacts: true)
    case ("tar", 1) where operands == ["-t"]:
      return Outcome(said: [.output(lines(try members(input).map(\.path)))], showsFacts: true)
    case ("tar", 1) where operands == ["-x"]:
      for (path, bytes) in try members(input) {
        if let bytes {
          if let slash = path.lastIndex(of: "/") {
            try files.createDirectories(FilePath(String(path[..<slash])))
          }
          try write(bytes, to: path)
        } else {
          try files.createDirectories(FilePath(path))
        }
      }
    case ("terminal", 1):
      columns = Int(operands[0])
      if columns == nil, operands[0] != "off" { throw TestFault("terminal takes columns, or off") }
    case ("touch", 3) where operands[0] == "-d":
      let time = try require(Instant(rfc3339: operands[1]))
      try files.withFile(FilePath(operands[2]), .append(mode: 0o644)) {
        file throws(Fault) in
        try files.setModified(file, FileTime(seconds: time.seconds))
      }
    case ("true", 0): break
    case ("truncate", 3) where operands[0] == "-s":
      guard let size = Int64(operands[1]) else { throw TestFault("a size is a number of bytes") }
      try change(operands[2]) { file throws(Fault) in try files.truncate(file, to: size) }
    case ("unset", 1...): for name in operands { environment[name] = nil }
    default:
      guard let outcome = try damage(name, operands, input) else {
        throw TestFault("'\(name)' is not known with these words")
      }
      return outcome
    }
    return Outcome()
  }

  private func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
  }

  // MARK: Files

  func read(_ name: String) throws -> [UInt8] {
    try files.readFile(FilePath(name), limit: 1 << 24)
  }

  /// Writes a file, modified when the clock says.
  func write(_ bytes: [UInt8], to name: String) throws {
    try change(name) { file throws(Fault) in
      try files.truncate(file, to: 0)
      try files.writeAll(file, bytes)
      try files.setModified(file, FileTime(seconds: now.seconds))
    }
  }

  /// Opens a file for writing. What damages a file asks for no permission: it is root, whoever runs the tests.
  private func change(
    _ name: String, _ body: (FileDescriptor) throws(Fault) -> Void
  ) throws {
    let path = files.real(FilePath(name)).text
    var status = stat()
    let isClosed = stat(path, &status) == 0 && status.st_mode & S_IWUSR == 0
    if isClosed { chmod(path, status.st_mode & 0o7777 | S_IWUSR) }
    defer { if isClosed { chmod(path, status.st_mode & 0o7777) } }
    try files.withFile(FilePath(name), .readWriteCreate(mode: 0o644), body)
  }

  func names(in directory: String) throws -> [String] {
    try files.contents(ofDirectory: FilePath(directory))
      .map { String(decoding: $0.name, as: UTF8.self) }.sorted {
        Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8))
      }
  }

  private func found(below directory: String) throws -> [String] {
    try names(in: directory).flatMap { name in
      let path = directory + "/" + name
      let isDirectory = try files.status(FilePath(path)).kind == .directory
      return isDirectory ? try found(below: path) : [path]
    }
  }

  private func change(_ name: String, _ mode: UInt32) throws {
    guard chmod(files.real(FilePath(name)).text, mode_t(mode)) == 0 else {
      throw TestFault("'\(name)' takes no mode")
    }
  }

  /// Does `s/old/new/` on the first place of a file, with no pattern but the text itself.
  private func replace(_ command: String, in name: String) throws {
    let parts = command.split(
      separator: command.dropFirst().first ?? "/", omittingEmptySubsequences: false
    ).map(String.init)
    guard parts.count == 4, parts[0] == "s", parts[3] == "", !parts[1].isEmpty else {
      throw TestFault("sed takes s/old/new/")
    }
    let (content, old) = (try read(name), Array(parts[1].utf8))
    guard let place = content.firstRange(of: old) else {
      throw TestFault("'\(parts[1])' is not in '\(name)'")
    }
    try write(
      content[..<place.lowerBound] + Array(parts[2].utf8) + content[place.upperBound...], to: name)
  }

  private func remove(_ name: String, _ operands: [String]) throws {
    if operands.contains("-r"), try files.status(FilePath(name)).kind == .directory {
      files.removeTree(FilePath(name))
    } else {
      try files.unlink(FilePath(name))
    }
  }

  // MARK: Archives

  private struct Members: PaxReceiver {
    var list: [(path: String, bytes: [UInt8]?)] = []

    mutating func begin(_ member: PaxMember) {
      list.append((member.path, member.kind == .file ? [] : nil))
    }
    mutating func take(_ bytes: UnsafeRawBufferPointer) { list[list.count - 1].bytes? += bytes }
    mutating func end() {}
    mutating func finish() {}
  }

  /// The members of an archive in their order; a directory has no bytes.
  private func members(_ archive: [UInt8]) throws -> [(path: String, bytes: [UInt8]?)] {
    var splitter = PaxSplitter(Members())
    try archive.withUnsafeBytes { try splitter.write($0) }
    try splitter.finish()
    return splitter.receiver.list
  }

  // MARK: Texts

  /// The lines with a text, of the input or of files, or with `-l` the names of the files; `-i` takes any
  /// case, and `-r` the files below folders.
  private func grep(_ operands: [String], _ input: [UInt8]) throws -> Outcome {
    let options = Set(operands[0].dropFirst())
    guard operands[0].first == "-", options.contains("F"), options.isSubset(of: "Filr") else {
      throw TestFault("grep takes -F, with i, l and r")
    }
    func folded(_ text: String) -> String { options.contains("i") ? text.lowercased() : text }
    let text = folded(operands[1])
    let named = operands.dropFirst(2)
    let names = options.contains("r") ? try named.flatMap { try found(below: $0) } : Array(named)
    let contents = try names.isEmpty ? [("", input)] : names.map { ($0, try read($0)) }
    var output: [UInt8] = []
    for (name, bytes) in contents {
      let found = bytes.split(separator: UInt8(ascii: "\n")).filter {
        folded(String(decoding: $0, as: UTF8.self)).contains(text)
      }
      if options.contains("l") {
        if !found.isEmpty { output += lines([name]) }
      } else {
        for line in found {
          output += (names.count > 1 ? Array("\(name):".utf8) : []) + line + [10]
        }
      }
    }
    return Outcome(said: [.output(output)], status: output.isEmpty ? 1 : 0)
  }

  /// A time span as `sleep` takes it: `90`, `2m`, `1h`, `3d`.
  private static func seconds(_ text: String) throws -> Int64 {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Int64(unit == nil ? text : String(text.dropLast())) else {
      throw TestFault("a time span is written as 90, 2m, 1h or 3d")
    }
    return number * (unit ?? 1)
  }

  // MARK: jq

  /// Members of JSON by their paths, such as `.title` and `.[0].what, .[0].at`, or `[.[].date]` for an array of
  /// them; `-r` prints strings without quotes, and `-c` everything in one line.
  private func jq(_ operands: [String], _ input: [UInt8]) throws -> Outcome {
    let options = operands.dropLast()
    guard options.allSatisfy({ ["-r", "-c"].contains($0) }), let filter = operands.last else {
      throw TestFault("jq takes -r or -c, and paths")
    }
    var output: [UInt8] = []
    for found in try Self.values(of: JSON.parse(input), filter) {
      if options.contains("-r"), let text = found.string {
        output += Array(text.utf8) + [10]
      } else if options.contains("-c") {
        output += found.encoded(.compact) + [10]
      } else {
        output += found.encoded(.pretty)
      }
    }
    return Outcome(said: [.output(output)], showsFacts: true)
  }

  private static func values(of value: JSON, _ filter: String) throws -> [JSON] {
    if filter.hasPrefix("["), filter.hasSuffix("]") {
      return [.array(try values(of: value, String(filter.dropFirst().dropLast())))]
    }
    return try filter.split(separator: ",").flatMap {
      try values(of: value, at: String($0).trimmed)
    }
  }

  private static func values(of value: JSON, at path: String) throws -> [JSON] {
    var values = [value]
    var rest = path[...]
    guard rest.first == "." else { throw TestFault("a path of jq begins with a dot") }
    while let first = rest.first {
      if first == "[" {
        guard let end = rest.firstIndex(of: "]") else { throw TestFault("a [ is not closed") }
        let index = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        values = try values.flatMap { value in
          guard let array = value.array else { throw TestFault("\(path) is of no array") }
          if index.isEmpty { return array }
          guard let number = Int(index), array.indices.contains(number) else { return [.null] }
          return [array[number]]
        }
      } else {
        if first == "." { rest.removeFirst() }
        let name = String(rest.prefix { $0 != "." && $0 != "[" })
        rest = rest.dropFirst(name.count)
        if name.isEmpty { continue }
        values = try values.map { value in
          guard value.object != nil || value == .null else {
            throw TestFault("\(path) is of no object")
          }
          return value[name] ?? .null
        }
      }
    }
    return values
  }
}
