import CapsuleCore

/// The processes of this machine that show a file.
enum FileUsers {
  /// Whether a process was started with a file of the folder among its words, or has one open: as far as
  /// `/proc` says, which macOS has not.
  ///
  /// - Parameter folder: the name of the folder, which no other has.
  @Sendable static func exist(of folder: [UInt8]) -> Bool {
    let files = POSIXFileSystem()
    let processes = FilePath("/proc")
    for entry in (try? files.contents(ofDirectory: processes)) ?? []
    where entry.name.allSatisfy(\.isASCIIDigit) {
      let process = processes.appending(bytes: entry.name)
      let words = (try? files.readFile(process.appending("cmdline"), limit: 1 << 20)) ?? []
      if words.contains(run: folder) { return true }
      let descriptors = process.appending("fd")
      for entry in (try? files.contents(ofDirectory: descriptors)) ?? [] {
        let target = try? files.readLink(descriptors.appending(bytes: entry.name))
        if target?.bytes.contains(run: folder) ?? false { return true }
      }
    }
    return false
  }
}
