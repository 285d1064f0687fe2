import CapsuleCore

/// The variables that the program was started with.
struct EnvironmentVariables: Sendable {
  private let entries: [[UInt8]]

  /// - Parameter entries: each as `NAME=VALUE`.
  init(_ entries: [[UInt8]]) {
    self.entries = entries
  }

  /// The value of a variable.
  subscript(_ name: String) -> [UInt8]? {
    let start = Array(name.utf8) + [UInt8(ascii: "=")]
    return entries.first { $0.starts(with: start) }.map { Array($0.dropFirst(start.count)) }
  }

  /// The value as text; `nil` also when it is not UTF-8.
  func text(_ name: String) -> String? {
    self[name].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The value as an absolute path; `nil` when it is empty or relative.
  func absolutePath(_ name: String) -> FilePath? {
    self[name].flatMap { $0.first == UInt8(ascii: "/") ? FilePath(bytes: $0) : nil }
  }
}
