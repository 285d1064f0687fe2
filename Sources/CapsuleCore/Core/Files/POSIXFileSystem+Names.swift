import CapsulePlatform

extension POSIXFileSystem {
  package func link(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    // Without flags linkat gives the link itself a name, never what it leads to; link(2) on Darwin
    // follows it.
    try from.calling(.link, to: to) { linkat(AT_FDCWD, $0, AT_FDCWD, $1, 0) }
  }

  package func rename(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    try from.calling(.rename, to: to) { renameat(AT_FDCWD, $0, AT_FDCWD, $1) }
  }

  package func renameExclusively(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    var isRefused = false
    try from.calling(.rename, to: to) { from, to in
      let result = POSIXPlatform.renameExclusively(from, to)
      isRefused = result == nil
      return result ?? 0
    }
    if !isRefused { return }
    do throws(FileSystemError) {
      try link(from, to: to)
    } catch {
      switch error.condition {
      case .notPermitted, .notSupported, .tooManyLinks:
        if try statusIfPresent(to) != nil {
          throw FileSystemError(.rename, from, to: to, code: EEXIST)
        }
        return try rename(from, to: to)
      default:
        throw FileSystemError(.rename, from, to: to, code: error.code)
      }
    }
    try unlink(from)
  }

  package func unlink(_ path: FilePath) throws(FileSystemError) {
    try path.calling(.unlink) { unlinkat(AT_FDCWD, $0, 0) }
  }
}
