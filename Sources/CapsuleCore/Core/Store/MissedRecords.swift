/// The times since which this machine misses records that only others' journals name.
struct MissedRecords {
  private let file: StateFile?

  init(_ store: Store) {
    file = StateFile(store, "missed")
  }

  func read() -> [RecordID: Instant] {
    var times: [RecordID: Instant] = [:]
    for line in file?.read()?.split(separator: UInt8(ascii: "\n")) ?? [] {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 2, let id = RecordID(words[0]), let seconds = Int64(words[1]) else {
        continue
      }
      times[id] = Instant(seconds: seconds)
    }
    return times
  }

  /// Keeps the times; where that fails, the week begins anew with the next verification.
  func write(_ times: [RecordID: Instant]) {
    guard times != read() else { return }
    let lines = times.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.seconds)\n" }
    file?.write(Array(lines.joined().utf8))
  }
}
