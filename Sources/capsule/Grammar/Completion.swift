/// What a shell may offer where a value stands.
enum Completion: Hashable, Sendable {
  case nothing
  case path
  case directory
  case choices([String])
  case dynamic(Source)

  /// Where candidates come from that only a run of the program knows.
  enum Source: String, CaseIterable, Hashable, Sendable {
    case capsule, event, item, beneficiary, bequest
    /// What can be left to somebody.
    case bequeathable
    /// What can be counted down to.
    case record
    /// What lies in the trash.
    case trash
    case tag
    /// The categories of items.
    case category
    case setting
    /// Commands and help topics.
    case topic
  }
}
