import CapsuleCore
import CapsulePlatform

extension Host {
  /// Returns the machine that the program runs on.
  static func system() -> Host {
    Host(
      arguments: Arguments.words(),
      environment: Environment.entries,
      wallClock: SystemClocks.wall,
      monotonicClock: SystemClocks.monotonic,
      wait: SystemClocks.wait(untilWall:atMost:),
      input: InputPort(
        isTerminal: { isatty(0) == 1 },
        read: { buffer throws(SystemError) in
          try Descriptor.read(0, into: buffer, "read standard input")
        }),
      output: .descriptor(1, "write to standard output"),
      errorOutput: .descriptor(2, "write to standard error"),
      terminal: { ControllingTerminal.open() },
      workingDirectory: Environment.workingDirectory,
      accountHome: Account.home,
      user: { geteuid() },
      random: .system,
      zones: ZoneDatabase(read: ZoneFiles.read),
      zoneFile: ZoneFiles.file,
      files: POSIXFileSystem(),
      identity: ProcessIdentity.text,
      runProcess: SystemProcess.run,
      isInUse: FileUsers.exist(of:),
      watchSignals: { BlockedSignals() })
  }
}

extension OutputPort {
  fileprivate static func descriptor(_ descriptor: Int32, _ action: String) -> OutputPort {
    OutputPort(
      isTerminal: { isatty(descriptor) == 1 },
      size: { TerminalSize.of(descriptor) },
      isReadableByAll: {
        let file = FileDescriptor(number: descriptor, path: FilePath(""))
        guard let status = try? POSIXFileSystem().status(file) else { return false }
        return status.kind == .regular && status.mode & 0o004 != 0
      },
      write: { bytes throws(SystemError) in
        try Descriptor.write(bytes, to: descriptor, action)
      })
  }
}
