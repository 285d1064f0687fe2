import CapsulePlatform

/// A system call on a file that failed.
public struct FileSystemError: Error, Hashable, Sendable {
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
  package let code: Int32

  package init(
    _ operation: Operation, _ path: FilePath, to destination: FilePath? = nil, code: Int32
  ) {
    self.operation = operation
    self.path = path
    self.destination = destination
    self.code = code
  }

  package var condition: Condition {
    switch code {
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
    case ENOTSUP, EOPNOTSUPP, ENOSYS: .notSupported
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

  /// The symbol of the code, such as `ENOSPC`; `errno 71` for one without a common symbol.
  package var symbol: String {
    Self.symbols[code] ?? "errno \(code)"
  }

  private static let symbols: [Int32: String] = [
    ENOENT: "ENOENT", EEXIST: "EEXIST", ENOSPC: "ENOSPC", EDQUOT: "EDQUOT", EACCES: "EACCES",
    EPERM: "EPERM", EROFS: "EROFS", EMFILE: "EMFILE", ENFILE: "ENFILE", EISDIR: "EISDIR",
    ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP", ENAMETOOLONG: "ENAMETOOLONG",
    EFBIG: "EFBIG", EMLINK: "EMLINK", EXDEV: "EXDEV", ENOTSUP: "ENOTSUP", ENOSYS: "ENOSYS",
    EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EINVAL: "EINVAL", EBUSY: "EBUSY", EBADF: "EBADF",
    ENOMEM: "ENOMEM", ESTALE: "ESTALE", ENODEV: "ENODEV", EPIPE: "EPIPE", EAGAIN: "EAGAIN",
    ENOLCK: "ENOLCK", ETXTBSY: "ETXTBSY", notRegularFile: "not a regular file",
  ]
}
