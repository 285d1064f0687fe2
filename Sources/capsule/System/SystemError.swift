import CapsuleCore
import CapsulePlatform

/// The failure of a call of the system.
struct SystemError: Error, Hashable, Sendable {
  /// The `errno` it left.
  let code: Int32
  /// The action that failed: "write to standard output".
  let action: String

  init(code: Int32, action: String) {
    self.code = code
    self.action = action
  }

  /// Returns an error with the code that `errno` has now.
  static func last(_ action: String) -> SystemError {
    SystemError(code: errno, action: action)
  }

  /// Whether the reader of a pipe is gone.
  var isClosedPipe: Bool { code == EPIPE }

  /// Whether there is no such file or program.
  var isNotFound: Bool { code == ENOENT }

  /// The system's words for the code, in English (the program never sets a locale).
  var reason: String {
    if code == FileSystemError.notRegularFile { return "it is not a regular file" }
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text).lowercased()
  }
}
