extension String {
  /// Returns a count with its noun: `1 record`, `2 records`.
  ///
  /// - Parameter others: the noun of any other count than 1, where it is not made by an `s`.
  static func counting(
    _ count: some BinaryInteger, _ noun: String, _ others: String? = nil
  ) -> String {
    "\(count) \(count == 1 ? noun : others ?? noun + "s")"
  }
}
