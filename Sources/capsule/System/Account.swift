import CapsulePlatform

/// The user's entry in the system's database.
enum Account {
  /// Returns the home directory by `/etc/passwd` or the system's own database.
  static func home() -> [UInt8]? {
    // The static C library cannot load the modules behind getpwuid(3), so the file is read first.
    passwordFileHome() ?? databaseHome()
  }

  private static func passwordFileHome() -> [UInt8]? {
    guard let content = Descriptor.contents(ofFile: "/etc/passwd") else { return nil }
    let user = Array(String(getuid()).utf8)
    for line in content.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      if fields.count >= 6, Array(fields[2]) == user, fields[5].first == UInt8(ascii: "/") {
        return Array(fields[5])
      }
    }
    return nil
  }

  private static func databaseHome() -> [UInt8]? {
    #if canImport(Darwin)
      guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
      return Array(String(cString: home).utf8)
    #else
      return nil
    #endif
  }
}
