/// The library's own door to whose store it is, and to how far the handing over came
/// (`docs/library.md`).
extension Store {
  /// Returns whose store it is; empty where nobody said so.
  ///
  /// - Throws: ``StoreError``: `.damaged`, `.io`.
  public func owner() throws(StoreError) -> String {
    try intactSettings().owner
  }

  /// Says whose store it is.
  ///
  /// - Parameter name: the owner's name, as people and pages say it.
  /// - Throws: ``StoreError``: `.passing` once a passing is declared, `.damaged`, `.busy`, `.io`.
  public func setOwner(_ name: String) throws(StoreError) {
    try set(.owner, to: .string(name))
  }

  /// Declares that the owner passed away: what was left upon passing is accessible from then on.
  ///
  /// - Parameters:
  ///   - time: the time of the passing; one that lies ahead counts from then.
  ///   - name: the owner's name, typed out: ``owner()``.
  /// - Throws: ``StoreError``: `.passing` where the name is another, no owner is set, or a passing is
  ///   declared already; `.damaged`, `.busy`, `.io`.
  public func declarePassing(at time: Instant, owner name: String) throws(StoreError) {
    _ = try declarePassing(at: time.clamped, owner: name, now: now)
  }

  /// Takes the declaration of a passing back.
  ///
  /// - Throws: ``StoreError``: `.passing` where none is declared; `.damaged`, `.busy`, `.io`.
  public func takeBackPassing() throws(StoreError) {
    _ = try withdrawPassing()
  }

  /// Keeps how far the handing over of a bequest came.
  ///
  /// - Parameter notes: remarks on it, such as who took it.
  /// - Returns: the bequest as it is then.
  /// - Throws: ``BequestMarkError``: `.problem` for a state that cannot follow the present one, `.gone`
  ///   where the thing or the person is not there any more, `.store`.
  public func mark(
    _ id: RecordID, as state: DeliveryState, notes: String = ""
  ) throws(BequestMarkError) -> Bequest {
    let now = now
    let record: StoredRecord<Bequest>
    do throws(StoreError) { record = try readIntact(Bequest.self, id) } catch {
      throw .store(error)
    }
    return try mark(record, DeliveryChange(state, at: now, notes: notes), now: now).model
  }
}
