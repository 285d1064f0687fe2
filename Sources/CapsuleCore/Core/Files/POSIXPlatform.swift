import CapsulePlatform

/// The differences between the systems that ``POSIXFileSystem`` runs on.
enum POSIXPlatform {
  /// `futimens`: leave this time as it is. A macro that is not imported.
  #if canImport(Darwin)
    static let omitTime = -2
  #else
    static let omitTime = (1 << 30) - 2
  #endif

  /// Writes a descriptor's data to the medium itself. 0, or -1 and `errno`.
  static func synchronize(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // Plain fsync leaves the data in the drive's cache; some file systems refuse the full one.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return -1 }
    #endif
    return fsync(descriptor)
  }

  /// Renames where nothing has the new name. 0, or -1 and `errno`; `nil` where there is no such
  /// call or the file system refuses it.
  static func renameExclusively(
    _ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>
  ) -> Int32? {
    #if canImport(Darwin)
      if renamex_np(from, to, UInt32(RENAME_EXCL)) == 0 { return 0 }
      return errno == ENOTSUP || errno == EINVAL ? nil : -1
    #else
      // Linux has renameat2, but its headers show it only to GNU sources.
      return nil
    #endif
  }

  static func modified(_ status: stat) -> FileTime {
    #if canImport(Darwin)
      time(status.st_mtimespec)
    #else
      time(status.st_mtim)
    #endif
  }

  static func changed(_ status: stat) -> FileTime {
    #if canImport(Darwin)
      time(status.st_ctimespec)
    #else
      time(status.st_ctim)
    #endif
  }

  private static func time(_ value: timespec) -> FileTime {
    FileTime(seconds: Int64(value.tv_sec), nanoseconds: Int64(value.tv_nsec))
  }
}
