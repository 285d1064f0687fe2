/// A record of a store: ``Capsule``, ``Event``, ``Item``, ``Beneficiary``, ``Bequest`` or
/// ``TrusteeGroup``.
public protocol Record: Hashable, Identifiable, Sendable where ID == RecordID {
  /// The operations of a store on records of this kind.
  static var access: RecordAccess<Self> { get }
  /// The time at which a store got it.
  var createdAt: Instant { get }
  /// The time of its last change.
  var updatedAt: Instant { get }
  /// The number of times that it was written: 1 when new.
  var revision: Int64 { get }
}

/// A record that is made of its values alone. A capsule is made by ``Store/seal(_:)``, which seals its
/// contents.
public protocol NewRecord: Record {}

/// The operations of a store on records of one kind.
public struct RecordAccess<Model: Hashable & Sendable>: Sendable {
  let kind: RecordKind
  let read: @Sendable (Store, RecordID) throws(StoreError) -> Model
  let add: @Sendable (Store, Model, Instant) throws(StoreError) -> Model
  let change:
    @Sendable (Store, RecordID, Instant, (inout Model) -> Void) throws(StoreError) -> Model
}

extension RecordAccess where Model: RecordModel {
  /// - Parameter settle: completes a record whose fields were set, given the one before; `nil` for a
  ///   new one.
  fileprivate init(
    settling settle: @escaping @Sendable (inout Model, _ before: Model?, Store) -> Void = {
      _, _, _ in
    }
  ) {
    kind = Model.kind
    read = { store, id throws(StoreError) in try store.readIntact(Model.self, id).model }
    add = { store, model, now throws(StoreError) in
      var model = model
      settle(&model, nil, store)
      model.header = try store.newHeader(now: now)
      return try store.insert(model)
    }
    change = { store, id, now, body throws(StoreError) in
      var record = try store.readIntact(Model.self, id)
      let (before, header) = (record.model, record.model.header)
      body(&record.model)
      record.model.header = header
      if record.model == before { return before }
      settle(&record.model, before, store)
      return try store.update(record, now: now).model
    }
  }
}

extension Capsule: Record {
  public static var access: RecordAccess<Capsule> { RecordAccess() }
}

extension TrusteeGroup: Record {
  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  public var revision: Int64 { header.revision }
  public static var access: RecordAccess<TrusteeGroup> { RecordAccess() }
}

extension Event: NewRecord {
  /// A repeated event begins on the first day of its rule.
  public static var access: RecordAccess<Event> {
    RecordAccess { event, before, store in
      let isSame =
        event.moment == before?.moment && event.recurrence == before?.recurrence
        && event.zone == before?.zone
      if !isSame { event.settle(store.calendar(in: .utc, named: "UTC")) }
    }
  }

  /// Makes an event that no store has yet.
  ///
  /// - Parameters:
  ///   - moment: a whole day, or an instant: the first time of what is repeated.
  ///   - zone: the IANA zone that an instant is repeated in; a whole day has none.
  public init(title: String, on moment: Moment, zone: String = "UTC") {
    self.init(header: RecordHeader(), title: title, moment: moment, zone: zone)
  }
}

extension Item: NewRecord {
  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  public var revision: Int64 { header.revision }
  public static var access: RecordAccess<Item> { RecordAccess() }

  /// Makes an item that no store has yet.
  public init(name: String) {
    self.init(header: RecordHeader(), name: name)
  }
}

extension Beneficiary: NewRecord {
  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  public var revision: Int64 { header.revision }
  public static var access: RecordAccess<Beneficiary> { RecordAccess() }

  /// Makes a person that no store has yet.
  public init(name: String) {
    self.init(header: RecordHeader(), name: name)
  }
}

extension Bequest: NewRecord {
  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  public var revision: Int64 { header.revision }
  public static var access: RecordAccess<Bequest> { RecordAccess() }

  /// Leaves an item to a person.
  public init(_ item: Item, to person: Beneficiary, _ access: AccessRule = .immediate) {
    self.init(
      header: RecordHeader(), subject: RecordReference(.item, item.id), beneficiary: person.id,
      access: access)
  }

  /// Leaves a capsule to a person.
  public init(_ capsule: Capsule, to person: Beneficiary, _ access: AccessRule = .immediate) {
    self.init(
      header: RecordHeader(), subject: RecordReference(.capsule, capsule.id),
      beneficiary: person.id, access: access)
  }
}
