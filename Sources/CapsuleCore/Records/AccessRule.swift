/// From when on a beneficiary may have what is left to them.
package enum AccessRule: Hashable, Sendable {
  case immediate
  case afterDate(Instant)
  case uponPassing

  /// The rule's name in records and answers.
  package enum Name: String, CaseIterable, Hashable, Sendable {
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

  /// From when on the rule lets it go; `nil` while that is not known.
  ///
  /// - Parameters:
  ///   - made: when it was left to the beneficiary.
  ///   - passing: when the owner passed away, where that was declared.
  package func accessible(since made: Instant, passing: Instant?) -> Instant? {
    switch self {
    case .immediate: made
    case .afterDate(let date): date
    case .uponPassing: passing
    }
  }
}
