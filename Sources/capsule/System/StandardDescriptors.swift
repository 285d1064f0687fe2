import CapsulePlatform

/// The three descriptors that a program starts with, and the signals that it ignores.
enum StandardDescriptors {
  /// Puts `/dev/null` where one of them is closed, so that no file of the store takes its number.
  ///
  /// It is opened the wrong way round: reading from a closed input and writing to a closed output
  /// fail, rather than that a result is lost in silence.
  static func reserve() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is this one: those before it are open by now.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
    // Writing to a closed pipe is an error here, also for the pipes to other programs; the end of
    // the program raises the signal again where the output was meant.
    _ = signal(SIGPIPE, SIG_IGN)
    // So is writing beyond the limit of a file's size.
    _ = signal(SIGXFSZ, SIG_IGN)
    // A parent may have had this one ignored: then the system would keep the end of no other program.
    _ = signal(SIGCHLD, SIG_DFL)
  }
}
