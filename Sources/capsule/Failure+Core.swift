extension Failure {
  /// A system call's refusal, in words.
  package init(_ error: SystemError) {
    if error.isClosedPipe {
      self = .closedPipe
    } else {
      self.init(.io, "cannot \(error.action): \(error.reason)")
    }
  }
}
