/// The memory of a check that left nothing to announce, so that the next one need only look at what
/// became due since then, and not read what was announced in all the years before.
///
/// `checked` in the state directory is a cache: without it, or where it rests on something that has
/// changed, everything is looked at.
package struct LastCheck: Hashable, Sendable {
  /// Everything that was due until then was announced.
  package let through: Instant
  /// The state that this rests on: the ledger's file, the records, the zone and the settings, as
  /// one line.
  package let basis: String

  package init(through: Instant, basis: String) {
    self.through = through
    self.basis = basis
  }

  /// Returns the state that a check rests on; `nil` while there is no ledger.
  ///
  /// - Parameters:
  ///   - indexes: the stamp of the index of each kind that has something to announce.
  ///   - zone: the user's zone, in which dates become instants.
  package static func basis(
    _ directory: FilePath, of store: Store, indexes: [(RecordKind, UInt64)], zone: String
  ) -> String? {
    let files = store.files
    guard let ledger = try? files.status(Ledger.path(directory)) else { return nil }
    var words = ["ledger", text(FileStamp(ledger))]
    let settings = try? files.status(store.layout.settings)
    words += ["settings", settings.map { text(FileStamp($0)) } ?? "-"]
    for (kind, stamp) in indexes {
      words += [kind.rawValue, "\(stamp)"]
    }
    return (words + ["zone", zone]).joined(separator: " ")
  }

  private static func text(_ stamp: FileStamp) -> String {
    let (modified, changed) = (stamp.modified, stamp.changed)
    return "\(stamp.inode) \(stamp.size) \(modified.seconds).\(modified.nanoseconds)"
      + " \(changed.seconds).\(changed.nanoseconds)"
  }
}

extension LastCheck {
  private static func path(_ directory: FilePath) -> FilePath {
    directory.appending("checked")
  }

  private var line: String { "\(through.seconds) \(basis)" }

  /// Reads the one that was kept; `nil` where there is none that is whole.
  package static func read(
    _ directory: FilePath, environment: StoreEnvironment
  ) -> LastCheck? {
    guard
      let bytes = try? environment.fileSystem.readFile(path(directory), limit: 1 << 16),
      bytes.last == UInt8(ascii: "\n"), let line = Ledger.checked(bytes.dropLast()),
      let space = line.firstIndex(of: " "), let seconds = Int64(line[..<space])
    else { return nil }
    return LastCheck(
      through: Instant(seconds: seconds), basis: String(line[line.index(after: space)...]))
  }

  /// Writes it, without synchronising: what a power cut takes is made anew. A failure to write is
  /// no failure of the check.
  package func write(_ directory: FilePath, environment: StoreEnvironment) {
    let files = environment.fileSystem
    guard let name = try? environment.temporaryName() else { return }
    let temporary = directory.appending("checked.\(name)")
    let bytes = Array("\(line) \(Ledger.digits(line))\n".utf8)
    do throws(FileSystemError) {
      try files.withFile(temporary, .createExclusive(mode: 0o600)) { file throws(FileSystemError) in
        try files.writeAll(file, bytes)
      }
      try files.rename(temporary, to: Self.path(directory))
    } catch {
      try? files.unlink(temporary)
    }
  }
}
