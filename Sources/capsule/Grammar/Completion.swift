/// The words that a shell may offer where a value stands.
enum Completion: Hashable, Sendable {
  case nothing
  case path
  case directory
  case choices([String])
  case dynamic(Source)

  /// A source of words that only a run of the program knows.
  enum Source: String, CaseIterable, Hashable, Sendable {
    case capsule, event, item, beneficiary, bequest, trustees
    /// The records that can be left to somebody.
    case bequeathable
    /// The records of all kinds.
    case record
    /// The records that can be counted down to.
    case dated
    /// The records in the trash.
    case trash
    case tag
    /// The categories of items.
    case category
    /// The values of the setting that stands before.
    case settingValue
    /// Commands and help topics.
    case topic
  }
}
