import CapsulePlatform

/// The name of this process, for messages of others that wait for it.
enum ProcessIdentity {
  /// Returns `process 1234 on host`.
  static func text() -> String {
    var name = [CChar](repeating: 0, count: 256)
    let length = gethostname(&name, name.count - 1) == 0 ? strnlen(name, name.count) : 0
    let host = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "process \(getpid())" + (host.isEmpty ? "" : " on \(host)")
  }
}
