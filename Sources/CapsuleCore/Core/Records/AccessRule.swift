/// A rule that says from when on a beneficiary may have a bequest.
public enum AccessRule: Hashable, Sendable {
  case immediate
  case afterDate(Instant)
  case uponPassing

  /// The name of a rule in records and answers.
  package enum Name: String, CaseIterable, Hashable, Sendable, FieldText {
    case immediate, afterDate, uponPassing
  }

  package var name: Name {
    switch self {
    case .immediate: .immediate
    case .afterDate: .afterDate
    case .uponPassing: .uponPassing
    }
  }

  /// The date of the rule; `nil` for the others.
  package var date: Instant? {
    if case .afterDate(let date) = self { date } else { nil }
  }

  package init?(_ name: Name, date: Instant?) {
    switch (name, date) {
    case (.immediate, nil): self = .immediate
    case (.uponPassing, nil): self = .uponPassing
    case (.afterDate, let date?): self = .afterDate(date)
    default: return nil
    }
  }

  /// Returns the instant from which on the rule lets a bequest go; `nil` while that is not known.
  ///
  /// - Parameters:
  ///   - made: the time at which it was left to the beneficiary.
  ///   - passing: the time at which the owner passed away, where that was declared.
  package func accessible(since made: Instant, passing: Instant?) -> Instant? {
    switch self {
    case .immediate: made
    case .afterDate(let date): date
    case .uponPassing: passing
    }
  }
}

extension AccessRule {
  /// Names the two fields that hold the rule.
  mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var (rule, date) = (name, date)
    try coder.field("access", &rule)
    try coder.optional("accessAt", &date)
    guard let access = AccessRule(rule, date: date) else {
      return try coder.refuse("accessAt", date.map { .invalid($0.rfc3339) } ?? .missing)
    }
    self = access
  }
}
