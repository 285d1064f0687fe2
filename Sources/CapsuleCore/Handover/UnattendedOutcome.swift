/// The result of opening a capsule where that takes no question, no network and no waiting.
package enum UnattendedOutcome {
  case opened(any OpenedContents)
  /// The gate is closed.
  case locked(until: Instant)
  /// The lock takes what was not given.
  case closed
}

/// The contents of a capsule that was opened.
package protocol OpenedContents {
  /// One for each of the capsule's contents, in their order.
  var details: [ContentDetails] { get }

  /// Writes the bytes of a content into a sink.
  func write(
    _ content: Content, _ details: ContentDetails, into sink: inout some ByteSink
  ) throws
}
