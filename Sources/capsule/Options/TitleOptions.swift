import CapsuleCore

/// The rule of titles, for all commands that take one.
enum TitleOptions {
  /// Refuses a title that cannot be kept.
  static func check(title: String) throws {
    guard title.utf8.count <= Capsule.titleLimit else {
      throw Failure.usage(
        "the title is \(title.utf8.count) bytes long; at most \(Capsule.titleLimit) can be kept",
        hint: "put the rest into the notes: '--notes TEXT'")
    }
    guard !title.allSatisfy(\.isWhitespace) else { throw Failure.usage("the title is empty") }
  }
}
