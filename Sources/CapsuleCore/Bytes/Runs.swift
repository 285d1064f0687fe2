extension Collection where Element: Equatable {
  /// Returns whether the elements of another collection stand somewhere in this one, side by side.
  package func contains(run: some Collection<Element>) -> Bool {
    guard let first = run.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: run) }
  }
}

extension StringProtocol {
  /// Returns what stands before and behind the first place of an ASCII text, if it is there.
  package func halves(at separator: StaticString) -> (before: String, behind: String)? {
    separator.withUTF8Buffer { separator in
      let place = utf8.indices.first { utf8[$0...].starts(with: separator) }
      guard let place else { return nil }
      let rest = utf8.index(place, offsetBy: separator.count)
      return (String(self[..<place]), String(self[rest...]))
    }
  }
}
