import CapsuleCore

/// The files that the user names: those that are read, of which `-` is standard input, those that are
/// exported, of which `-` is standard output, and those that only the user may write.
final class NamedFiles {
  private unowned let session: Session
  /// Whether something reads standard input in this run.
  private var isInputTaken = false

  init(_ session: Session) { self.session = session }

  private var host: Host { session.host }
  private var files: any FileSystem { host.files }

  /// The path from the root that a path means here; the same where the working directory is not known.
  func absolute(_ path: FilePath) -> FilePath {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    return host.workingDirectory().map { FilePath(bytes: $0).appending(bytes: path.bytes) } ?? path
  }

  // MARK: Input

  /// Returns the file to read for a path: `-` is standard input.
  func input(_ path: FilePath) throws -> FilePath {
    guard path.isStandardInput else { return path }
    try takeInput()
    return .standardInput
  }

  /// Refuses files that are not there before a store is made for them.
  func requirePresent(_ paths: [FilePath]) throws {
    guard !paths.isEmpty, try session.stores.existingQuietly() == nil else { return }
    for path in paths {
      do throws(Fault) { _ = try files.statusFollowingLinks(path) } catch {
        throw Fault.unreadableSource(error)
      }
    }
  }

  /// Returns standard input, for the one that reads it.
  func standardInput() throws -> InputSource {
    try takeInput()
    return InputSource(port: host.input)
  }

  /// Notes that something reads standard input, which only one can: the other would get nothing.
  private func takeInput() throws {
    guard !isInputTaken else {
      throw Fault.usage(
        "standard input can only be read once", hint: "use files for the others")
    }
    isInputTaken = true
  }

  /// The first bytes of a file; links are followed.
  func head(of path: FilePath, count: Int) throws(Fault) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let files = host.files
    let read = try files.withFile(path, .readFollowingLinks(streams: false)) {
      file throws(Fault) in try files.read(file, at: 0, into: buffer)
    }
    return Array(buffer.prefix(read))
  }

  /// The bytes of a file, or of standard input for `-`.
  ///
  /// - Parameter limit: the most bytes that are read; of a longer stream the rest stays unread, a
  ///   longer file is refused.
  func bytes(of path: FilePath, limit: Int) throws -> [UInt8] {
    guard path.isDash else { return try files.readFile(path, limit: limit) }
    var source = try standardInput()
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let size = min(65_536, limit - bytes.count)
      let part = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      if part.isEmpty { break }
      bytes += part
    }
    return bytes
  }

  /// Reads a whole file, or standard input for `-`.
  ///
  /// - Parameters:
  ///   - limit: the most bytes, a whole number of MiB.
  ///   - hint: the way out where there are more.
  func read(_ path: FilePath, limit: Int, hint: String) throws -> [UInt8] {
    let files = files
    let path = try input(path)
    do {
      return try files.withFile(path, .readFollowingLinks(streams: true)) {
        file throws(Fault) in
        let size = Int(clamping: (try? files.status(file))?.size ?? 0)
        return try files.readAll(file, limit: limit, expecting: size)
      }
    } catch {
      guard error.condition == .fileTooLarge else { throw error }
      throw Fault(
        .refused, "'\(path.text)' is larger than \(limit >> 20) MiB",
        hint: hint, details: ["path": path.json])
    }
  }

  /// The most files of a folder.
  private static let fileLimit = 100_000

  /// Returns the file itself, and for a folder the files in it and below it that have a suffix, in the order of
  /// their paths. Names with a dot before them, and folders that are links, are passed over.
  func files(below path: FilePath, ending suffix: String) throws -> [FilePath] {
    guard !path.isDash, try files.statusFollowingLinks(path).kind == .directory else {
      return [path]
    }
    var found: [FilePath] = []
    var folders = [path]
    while let folder = folders.popLast() {
      for entry in try files.contents(ofDirectory: folder)
      where entry.name.first != UInt8(ascii: ".") {
        let path = folder.appending(bytes: entry.name)
        let kind = try entry.kind ?? files.status(path).kind
        if kind == .directory {
          folders.append(path)
        } else if String(decoding: entry.name, as: UTF8.self).lowercased().utf8.suffix(
          suffix.utf8.count
        )
        .elementsEqual(suffix.utf8) {
          found.append(path)
        }
      }
      guard found.count + folders.count <= Self.fileLimit else {
        throw Fault(
          .refused, "'\(path.text)' has more than \(Self.fileLimit) files",
          hint: "import its folders one by one")
      }
    }
    return found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  // MARK: Export

  /// Writes what is exported to a file that is not there yet, or to standard output.
  ///
  /// - Parameters:
  ///   - path: `nil` and `-` are standard output.
  ///   - noun: the word for what is written, of one and of several.
  ///   - write: hands over the bytes in pieces that end with whole lines, and returns their number.
  func export(
    to path: FilePath?, of noun: (String, String),
    _ write: (([UInt8]) throws -> Void) throws -> Int
  ) throws {
    guard let path, !path.isDash else {
      let out = session.console.out
      _ = try write { bytes in
        if out.isTerminal {
          // A terminal gets the lines without the characters that it would act on.
          out.block(String(decoding: bytes.filter { $0 != 0x0d }, as: UTF8.self))
        } else {
          out.bytes(bytes)
        }
        if out.isBroken { try out.flush() }
      }
      return try out.flush()
    }
    let count: Int
    try files.requireOutsideStores(path.parent, for: path)
    do {
      count = try files.writeBeside(path, replacing: false, random: host.random) { file in
        try write { bytes in try bytes.withUnsafeBytes { try file.write($0) } }
      }
    } catch let fault as Fault where fault.code == .exists {
      throw Fault(
        .refused, "'\(path.text)' already exists; nothing was written",
        hint: "write to another file, or redirect standard output")
    }
    session.console.note("Wrote \(String.counting(count, noun.0, noun.1)) to '\(path.text)'.")
  }

  // MARK: Trust

  /// Reads a file of the user's own that others must not be able to write: one that they can is refused,
  /// as ssh refuses it. Pipes and the like are taken as they are.
  func readTrusted(_ path: FilePath, streams: Bool, limit: Int) throws -> [UInt8] {
    try read(path, streams: streams, limit: limit) { _ in nil }
  }

  /// Reads a file of this machine's configuration, which names programs and places: nobody but the user and the
  /// system administrator may have it, or be able to write to it or to put another in its place. `nil` where
  /// there is none.
  func readConfiguration(_ path: FilePath, limit: Int) throws -> [UInt8]? {
    do {
      return try read(path, streams: false, limit: limit) { status throws(Fault) in
        if isOfOthers(status) { return Distrust(path, "'\(path.text)' is another user's") }
        // Whoever can write where a link lies can replace the link.
        for place in Set([path, try files.resolvingLinks(path)]) {
          let directory = place.parent
          if isOfOthers(try files.statusFollowingLinks(directory)) {
            return Distrust(
              directory, "'\(directory.text)', which has '\(path.text)', is another user's")
          }
          if let open = try openDirectory(above: place) {
            return Distrust(open, "others can write to '\(open.text)', which has '\(path.text)'")
          }
        }
        return nil
      }
    } catch let error as Fault where error.condition == .notFound {
      return nil
    }
  }

  /// The reason why a file is not read.
  private struct Distrust {
    /// The file or directory that others can change.
    let path: FilePath
    let reason: String

    init(_ path: FilePath, _ reason: String) { (self.path, self.reason) = (path, reason) }
  }

  private func read(
    _ path: FilePath, streams: Bool, limit: Int,
    doubt: (FileStatus) throws(Fault) -> Distrust?
  ) throws -> [UInt8] {
    let files = files
    var distrust: Distrust?
    let bytes = try files.withFile(path, .readFollowingLinks(streams: streams)) {
      file throws(Fault) in
      let status = try files.status(file)
      if status.kind == .regular {
        distrust =
          status.isWritableByOthers
          ? Distrust(path, "others can write to '\(path.text)'") : try doubt(status)
      }
      return distrust == nil ? try files.readAll(file, limit: limit) : []
    }
    guard let distrust else { return bytes }
    throw Fault(
      .refused, distrust.reason,
      hint: "check its contents, then make it writable by you alone: "
        + "chmod go-w \(distrust.path.text.shellWord)",
      details: ["path": distrust.path.json])
  }

  private func isOfOthers(_ status: FileStatus) -> Bool {
    status.owner != host.user() && status.owner != 0
  }

  /// Returns the first directory above a file, up to the user's home, in which others can put another file or
  /// directory into the place of the one that leads to it. In a sticky one, such as `/tmp`, they cannot.
  private func openDirectory(above path: FilePath) throws(Fault) -> FilePath? {
    let home = session.places.home.flatMap { try? files.statusFollowingLinks($0) }
    let sticky: UInt32 = 0o1000
    // The directories by their names, where links may lie, and those that the links lead through.
    for isByName in [true, false] {
      var directory = path.parent
      var status = try files.statusFollowingLinks(directory)
      while true {
        if status.isWritableByOthers, status.mode & sticky == 0 { return directory }
        if home.map({ status.isSameFile(as: $0) }) ?? false { break }
        let next = isByName ? directory.parent : directory.appending("..")
        let nextStatus = try files.statusFollowingLinks(next)
        // The root is its own parent.
        if next == directory || !isByName && nextStatus.isSameFile(as: status) { break }
        (directory, status) = (next, nextStatus)
      }
    }
    return nil
  }
}

extension FilePath {
  /// Whether it is `-`, which means standard input or standard output.
  var isDash: Bool { bytes == [UInt8(ascii: "-")] }

  fileprivate static let standardInput = FilePath("/dev/stdin")

  /// Whether it means standard input, by a hyphen or by its name.
  var isStandardInput: Bool { isDash || self == .standardInput }

  /// The name of an input for messages.
  var inputName: String { isDash ? "standard input" : text }

  /// The name of an input for messages, quoted where it is a file's.
  var inputSubject: String { isDash ? "standard input" : "'\(text)'" }
}
