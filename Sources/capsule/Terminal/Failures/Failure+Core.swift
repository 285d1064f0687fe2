import CapsuleCore

extension Failure {
  /// A refused call on a file, in words.
  init(_ error: FileSystemError) {
    self.init(
      .io, "cannot \(error.operation.words) '\(error.path.text)': \(SystemError(error).reason)",
      details: ["path": .string(error.path.text), "symbol": .string(error.symbol)])
  }

  /// Something has the name of the file that was to be written.
  static func taken(_ path: FilePath, hint: String) -> Failure {
    Failure(
      .refused, "'\(path.text)' exists already", hint: hint,
      details: ["path": .string(path.text)])
  }

  /// A system call's refusal, in words.
  init(_ error: SystemError) {
    if error.isClosedPipe {
      self = .closedPipe
    } else {
      self.init(.io, "cannot \(error.action): \(error.reason)")
    }
  }
}

extension SystemError {
  fileprivate init(_ error: FileSystemError) {
    self.init(code: error.code, action: error.operation.rawValue)
  }
}

extension FileSystemError.Operation {
  /// The operation in words that a path follows.
  fileprivate var words: String {
    switch self {
    case .open: "open"
    case .close: "close"
    case .read: "read"
    case .write: "write to"
    case .synchronize: "write to the disk"
    case .truncate: "change the size of"
    case .lock: "lock"
    case .unlock: "unlock"
    case .status: "look at"
    case .setMode: "set the permissions of"
    case .setModified: "set the time of"
    case .listDirectory: "list"
    case .createDirectory: "make the directory"
    case .removeDirectory: "remove the directory"
    case .link: "link"
    case .rename: "rename"
    case .unlink: "remove"
    case .readLink: "read the link"
    }
  }
}
