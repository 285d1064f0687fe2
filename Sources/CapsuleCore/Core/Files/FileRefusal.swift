import CapsulePlatform

/// A system call on a file that the system refused.
package struct FileRefusal: FaultCause, Hashable {
  /// The operation that failed.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    case open, close, read, write, synchronize, truncate, lock, unlock, status, setMode
    case setModified, listDirectory, createDirectory, removeDirectory, link, rename, unlink
    case readLink
  }

  /// The meaning of the error for a program, across systems.
  package enum Condition: String, Hashable, Sendable {
    case notFound, exists, noSpace, quotaExceeded, notPermitted, readOnly, tooManyOpen, isDirectory
    case notDirectory, notEmpty, loop, nameTooLong, fileTooLarge, tooManyLinks, crossDevice
    case notSupported, interrupted, input, notRegularFile, invalid, busy, other
  }

  /// The ``code`` of an open that found something other than the regular file it asked for: not the
  /// system's, which has none for this.
  package static let notRegularFile: Int32 = -1

  package let operation: Operation
  package let path: FilePath
  /// The second path of a `link` or `rename`.
  package let destination: FilePath?
  /// `errno`, or ``notRegularFile``.
  package let errno: Int32

  package init(
    _ operation: Operation, _ path: FilePath, to destination: FilePath? = nil, code: Int32
  ) {
    self.operation = operation
    self.path = path
    self.destination = destination
    errno = code
  }

  package var condition: Condition {
    switch errno {
    case ENOENT: .notFound
    case EEXIST: .exists
    case ENOSPC: .noSpace
    case EDQUOT: .quotaExceeded
    case EACCES, EPERM: .notPermitted
    case EROFS: .readOnly
    case EMFILE, ENFILE: .tooManyOpen
    case EISDIR: .isDirectory
    case ENOTDIR: .notDirectory
    case ENOTEMPTY: .notEmpty
    case ELOOP: .loop
    case ENAMETOOLONG: .nameTooLong
    case EFBIG: .fileTooLarge
    case EMLINK: .tooManyLinks
    case EXDEV: .crossDevice
    case ENOTSUP, EOPNOTSUPP, ENOSYS, ENOTTY, ENOLCK: .notSupported
    case EINTR: .interrupted
    case EIO: .input
    case Self.notRegularFile, ENXIO: .notRegularFile
    case EINVAL: .invalid
    case EBUSY, ETXTBSY: .busy
    default: .other
    }
  }

  /// Whether the system refused to say: nothing is known then of what stands at the path.
  package var isRefusal: Bool {
    switch condition {
    case .notFound, .notDirectory, .isDirectory, .notRegularFile, .loop, .fileTooLarge: false
    default: true
    }
  }

  /// Whether something of another kind than was expected stands at the path.
  package var isOfKind: Bool {
    switch condition {
    case .notDirectory, .isDirectory, .notRegularFile, .loop: true
    default: false
    }
  }

  /// The symbol of the number, such as `ENOSPC`; `errno 71` for one without a common symbol.
  package var symbol: String {
    Self.symbols[errno] ?? "errno \(errno)"
  }

  private static let symbols: [Int32: String] = [
    ENOENT: "ENOENT", EEXIST: "EEXIST", ENOSPC: "ENOSPC", EDQUOT: "EDQUOT", EACCES: "EACCES",
    EPERM: "EPERM", EROFS: "EROFS", EMFILE: "EMFILE", ENFILE: "ENFILE", EISDIR: "EISDIR",
    ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP", ENAMETOOLONG: "ENAMETOOLONG",
    EFBIG: "EFBIG", EMLINK: "EMLINK", EXDEV: "EXDEV", ENOTSUP: "ENOTSUP", ENOSYS: "ENOSYS",
    EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EINVAL: "EINVAL", EBUSY: "EBUSY", EBADF: "EBADF",
    ENOMEM: "ENOMEM", ESTALE: "ESTALE", ENODEV: "ENODEV", EPIPE: "EPIPE", EAGAIN: "EAGAIN",
    ENOLCK: "ENOLCK", ENOTTY: "ENOTTY", ETXTBSY: "ETXTBSY", notRegularFile: "not a regular file",
  ]
}

extension FileRefusal {
  package var code: Fault.Code { .io }

  package var message: Fault.Message {
    let isLooking = [.open, .status, .read, .listDirectory].contains(operation)
    if condition == .notFound, isLooking { return "file not found: '\(path.text)'" }
    return "cannot \(operation.words) '\(path.text)': \(Self.reason(of: errno))"
  }

  package var details: JSONObject {
    ["path": .string(path.text), "symbol": .string(symbol)]
  }

  /// The system's words for an `errno`, in English (the program never sets a locale).
  package static func reason(of errno: Int32) -> String {
    if errno == notRegularFile { return "not a regular file" }
    guard let text = strerror(errno) else { return "error \(errno)" }
    return String(cString: text).lowercased()
  }
}

extension FileRefusal.Operation {
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
    case .status: "access"
    case .setMode: "change the permissions of"
    case .setModified: "set the time of"
    case .listDirectory: "list"
    case .createDirectory: "create the directory"
    case .removeDirectory: "remove the directory"
    case .link: "link"
    case .rename: "rename"
    case .unlink: "remove"
    case .readLink: "read the link"
    }
  }
}

extension Fault {
  /// A call on a file that the system refused.
  package init(
    _ operation: FileRefusal.Operation, _ path: FilePath, to destination: FilePath? = nil,
    code: Int32
  ) {
    self.init(FileRefusal(operation, path, to: destination, code: code))
  }

  /// The refused call; `nil` for another fault.
  package var file: FileRefusal? { cause as? FileRefusal }

  /// What the refusal of a call means; `nil` for another fault.
  package var condition: FileRefusal.Condition? { file?.condition }

  /// The `errno` of the refused call; 0 for another fault.
  package var errno: Int32 { file?.errno ?? 0 }

  /// Whether the system refused to say what stands at the path: ``FileRefusal/isRefusal``.
  package var isRefusal: Bool { file?.isRefusal ?? false }

  /// Whether something of another kind than was expected stands at the path.
  package var isOfKind: Bool { file?.isOfKind ?? false }

  /// Returns the same refusal, of a path that the user knows.
  package func about(_ path: FilePath) -> Fault {
    guard let file else { return self }
    return Fault(file.operation, path, code: file.errno)
  }
}
