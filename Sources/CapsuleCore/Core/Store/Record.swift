/// A record of a store: ``Capsule``, ``Event``, ``Item``, ``Beneficiary``, ``Bequest`` or
/// ``TrusteeGroup``.
public protocol Record: Hashable, Identifiable, Sendable where ID == RecordID {
  var createdAt: Instant { get }
  /// When it was last written.
  var updatedAt: Instant { get }
  /// How often it was written: 1 when new.
  var revision: Int64 { get }
  /// The operations of a store on records of this kind.
  static var access: RecordAccess<Self> { get }
}

/// A record that is made of its values alone. A capsule is made by ``Store/seal(_:)``, which seals its
/// contents.
public protocol NewRecord: Record {}

/// The operations of a store on records of one kind.
public struct RecordAccess<Model: Hashable & Sendable>: Sendable {
  let kind: RecordKind
  let read: @Sendable (Store, RecordID) throws(Fault) -> Model
  let add: @Sendable (Store, Model, Instant) throws(Fault) -> Model
  let change: @Sendable (Store, RecordID, Instant, (inout Model) -> Void) throws(Fault) -> Model
}

extension RecordAccess where Model: RecordModel {
  /// - Parameter prepare: brings a record into the form in which it is kept; it is given the record as it
  ///   was before, which is `nil` for a new one.
  fileprivate init(
    preparing prepare: @escaping @Sendable (inout Model, Model?, Store) -> Void = { _, _, _ in }
  ) {
    kind = Model.kind
    read = { store, id throws(Fault) in try store.readIntact(Model.self, id).model }
    add = { store, model, now throws(Fault) in
      var model = model
      prepare(&model, nil, store)
      return try store.add(model, now: now)
    }
    change = { store, id, now, body throws(Fault) in
      do {
        return try store.change(Model.self, id, now: now) { model in
          let before = model
          body(&model)
          model.header = before.header
          prepare(&model, before, store)
        }.after
      } catch let fault as Fault {
        throw fault
      } catch {
        preconditionFailure("the body throws nothing: \(error)")
      }
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
  public static var access: RecordAccess<Event> {
    RecordAccess { event, before, store in event.arrange(after: before, in: store) }
  }
}

extension Item: NewRecord {
  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  public var revision: Int64 { header.revision }
  public static var access: RecordAccess<Item> { RecordAccess() }
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
