/// The files of records that are looked at in turn: how many, and the row from which on.
struct IndexTurn {
  /// The most files for each minute that has passed, of those that are looked at once a minute.
  private static let most = 16
  /// The part of them that is looked at however little time has passed.
  private static let least = 4

  let first: Int
  let count: Int

  /// Takes the turn that is next in a round of rows, and keeps where the one behind it begins, so that
  /// each row has its turn.
  ///
  /// A place that cannot be kept would come again: then it is one that the time gives.
  ///
  /// - Parameters:
  ///   - perMinute: the number of files for each minute since the last turn; not fewer than a quarter of
  ///     it, nor more than 16 times as many.
  ///   - rows: the number of rows, at least one.
  static func take(
    _ perMinute: Int, of rows: Int, now: Instant, _ setup: IndexSetup
  ) -> IndexTurn {
    let hash = IndexHash.hash(withUnsafeBytes(of: now.seconds.littleEndian) { Array($0) })
    let any = IndexTurn(first: Int(hash % UInt64(rows)), count: perMinute)
    guard let path = setup.turn else { return any }
    let turn = try? setup.files.withFile(
      path, .readWriteCreate(mode: IndexPersistence.mode)
    ) { file throws(FileSystemError) in
      var words: (place: UInt64, seconds: Int64) = (0, 0)
      let size = try withUnsafeMutableBytes(of: &words) { bytes throws(FileSystemError) in
        try setup.files.read(file, at: 0, into: bytes)
      }
      let last = Kept(
        place: UInt64(littleEndian: words.place),
        at: Instant(seconds: Int64(littleEndian: words.seconds)))
      let turn = size == Kept.byteCount ? last.next(perMinute, of: rows, now) : any
      let kept = Kept(place: UInt64((turn.first + turn.count) % rows), at: now)
      try setup.files.writeAll(file, kept.bytes, at: 0)
      return turn
    }
    return turn ?? any
  }

  /// What is kept of a turn: the place behind it, and its time.
  private struct Kept {
    static let byteCount = 16

    let place: UInt64
    let at: Instant

    var bytes: [UInt8] {
      var encoder = IndexEncoder()
      encoder.put(place)
      encoder.put(at.seconds)
      return encoder.bytes
    }

    func next(_ perMinute: Int, of rows: Int, _ now: Instant) -> IndexTurn {
      let first = Int(place % UInt64(rows))
      let passed = now.seconds.subtractingClamped(at.seconds)
      // Of a clock that was turned back it is not known how much time has passed.
      guard passed >= 0 else { return IndexTurn(first: first, count: perMinute) }
      let due = Int(min(passed, 60 * Int64(IndexTurn.most))) * perMinute / 60
      return IndexTurn(first: first, count: max(due, perMinute / IndexTurn.least))
    }
  }
}
