extension Item {
  /// Makes an item that no store has yet.
  public init(name: String) {
    self.init(header: RecordHeader(), name: name)
  }
}

extension Reminder {
  /// Makes a rule by which something is to be done again.
  ///
  /// - Parameters:
  ///   - rule: how often: `3 months`, `every other week`, `90 minutes`.
  ///   - since: the time that it is counted from while the item has no entry in its history.
  ///   - name: what is to be done.
  ///   - first: the first time of a rule with fixed times; `nil` to count from the last entry.
  ///   - time: the time of day, `09:00` or `9am`, for days and longer; empty for that of what it is
  ///     counted from.
  /// - Returns: `nil` for a rule or a time of day that is none, and for a time of day with minutes or
  ///   hours.
  public init?(
    every rule: String, since: Instant, name: String = "", from first: Instant? = nil,
    at time: String = ""
  ) {
    guard let (count, unit) = Reminder.rule(rule) else { return nil }
    self.init(every: count, unit, since: since.clamped)
    self.name = name
    from = first?.clamped
    guard !time.isEmpty else { return }
    guard isOfDays, let clock = TimeOfDayParser.minute(time) else { return nil }
    self.time = clock
  }
}

extension Store {
  /// Adds an entry to an item's history: it happened.
  ///
  /// - Parameters:
  ///   - time: when it happened; now where it is `nil`.
  ///   - value: a number that belongs to it.
  /// - Returns: the item as it is then.
  /// - Throws: ``Fault``: those of ``change(_:_:_:)``.
  @discardableResult
  public func log(
    _ id: RecordID, at time: Instant? = nil, value: ExactDecimal? = nil, notes: String = ""
  ) throws(Fault) -> Item {
    let now = now
    let entry = HistoryEntry(at: time ?? now, value: value, notes: notes)
    return try change(Item.self, id) { $0.log(entry) }
  }
}
