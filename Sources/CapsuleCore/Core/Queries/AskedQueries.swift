// A query is made without a time: the store that answers it asks its clock.

extension CapsuleQuery {
  /// Asks for capsules.
  ///
  /// - Parameters:
  ///   - states: only those in one of these states; all where it is empty.
  ///   - tags: only those with all of these tags, whatever their case.
  ///   - text: only those with this text in the title, the notes or a tag; all where it is empty.
  ///   - start: only those that unlock at this time or later.
  ///   - end: only those that unlock before this time.
  ///   - isReversed: whether the last of the order comes first.
  ///   - limit: the most to return.
  public init(
    states: Set<CapsuleState> = [], tags: [String] = [], text: String = "",
    unlockingFrom start: Instant? = nil, before end: Instant? = nil, order: Order = .unlock,
    reversed isReversed: Bool = false, limit: Int = .max
  ) {
    self.init(now: .epoch)
    self.states = states
    self.tags = tags.map { NameKey($0) }
    self.text = SearchText(asked: text)
    (after, before) = (start, end)
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
  }

  func asked(at now: Instant) -> CapsuleQuery {
    var query = self
    query.now = now
    return query
  }
}

extension EventQuery {
  /// Asks for events.
  ///
  /// - Parameters:
  ///   - text: only those with this text in the title or the notes; all where it is empty.
  ///   - includesAhead: whether those to come, and today's, are in the answer.
  ///   - includesPast: whether those that are past, met or over are in the answer.
  ///   - onlyDeadlines: whether only deadlines are.
  ///   - isReversed: whether the last of the order comes first.
  ///   - limit: the most to return.
  public init(
    text: String = "", includesAhead: Bool = true, includesPast: Bool = true,
    onlyDeadlines: Bool = false, order: Order = .date, reversed isReversed: Bool = false,
    limit: Int = .max
  ) {
    self.init(EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }, now: .epoch)
    self.text = SearchText(asked: text)
    self.includesAhead = includesAhead
    self.includesPast = includesPast
    self.onlyDeadlines = onlyDeadlines
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
  }

  func asked(of store: Store, at now: Instant) -> EventQuery {
    var query = self
    query.calendar = store.calendar(in: .utc, named: "UTC")
    query.now = now
    return query
  }
}

extension ItemQuery {
  /// Asks for items.
  ///
  /// - Parameters:
  ///   - tags: only those with all of these tags, whatever their case.
  ///   - category: only those of this category, whatever its case; all where it is empty.
  ///   - text: only those with this text in the name, the description or the notes; all where it is empty.
  ///   - onlyDue: whether only those are in the answer whose reminder is due.
  ///   - isReversed: whether the last of the order comes first.
  ///   - limit: the most to return.
  public init(
    tags: [String] = [], category: String = "", text: String = "", onlyDue: Bool = false,
    order: Order = .added, reversed isReversed: Bool = false, limit: Int = .max
  ) {
    self.init(now: .epoch, zone: .utc)
    self.tags = tags.map { NameKey($0) }
    self.category = category.isEmpty ? nil : NameKey(category)
    self.text = SearchText(asked: text)
    self.onlyDue = onlyDue
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
  }

  func asked(at now: Instant) -> ItemQuery {
    var query = self
    query.now = now
    return query
  }
}

extension BeneficiaryQuery {
  /// Asks for people.
  ///
  /// - Parameters:
  ///   - text: only those with this text in any field; all where it is empty.
  ///   - isReversed: whether the last of the order comes first.
  ///   - limit: the most to return.
  public init(
    text: String = "", order: Order = .name, reversed isReversed: Bool = false, limit: Int = .max
  ) {
    self.init()
    self.text = SearchText(asked: text)
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
  }
}

extension BequestQuery {
  /// Asks for bequests.
  ///
  /// - Parameters:
  ///   - person: only those that are left to this person; all where it is `nil`.
  ///   - states: only those in one of these states; all where it is empty.
  ///   - text: only those with this text in the title of the thing or the name of the person; all where it
  ///     is empty.
  ///   - onlyAccessible: whether only what may be had now is in the answer.
  ///   - isReversed: whether the last of the order comes first.
  ///   - limit: the most to return.
  public init(
    to person: RecordID? = nil, states: Set<DeliveryState> = [], text: String = "",
    onlyAccessible: Bool = false, order: Order = .created, reversed isReversed: Bool = false,
    limit: Int = .max
  ) {
    self.init(passing: nil, now: .epoch)
    references = person.map { [RecordReference(.beneficiary, $0)] } ?? []
    self.states = states
    self.text = SearchText(asked: text)
    self.onlyAccessible = onlyAccessible
    self.order = order
    self.isReversed = isReversed
    self.limit = limit
  }

  func asked(of store: Store, at now: Instant) -> BequestQuery {
    var query = self
    query.passing = (try? store.settings.intact())?.passing
    query.now = now
    return query
  }
}

extension NamedQuery {
  init(text: String, limit: Int) {
    self.init()
    self.text = SearchText(asked: text)
    self.limit = limit
  }
}

extension SearchText {
  /// Returns `nil` for an empty text, which everything holds.
  fileprivate init?(asked text: String) {
    if text.isEmpty { return nil }
    self.init(text)
  }
}
