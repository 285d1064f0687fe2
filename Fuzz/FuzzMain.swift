import CapsuleCore
import CapsulePlatform

/// What is fuzzed: one reader each. `Scripts/fuzz` builds this folder with libFuzzer, whose entry point it has;
/// `CAPSULE_FUZZ_TARGET` says which target it runs.
///
/// A target stops the program when a promise is broken: no crash, no hang and no unbounded memory
/// is libFuzzer's to see; that what was read is written the same is the target's own to check.
enum FuzzTarget: String, CaseIterable {
  case header
  case hybrid
  case armor
  case bech32
  case identity
  case stream
  case reader
  case lock
  case point
  case tlock
  case beacon
  case chain
  case timelock
  case media
  case card
  case calendar
  case recurrence
  case table
  case share
  case archive
  case lines
  case segment
  case store

  func run(_ input: [UInt8]) {
    switch self {
    case .header: fuzzHeader(input)
    case .hybrid: fuzzHybrid(input)
    case .armor: fuzzArmor(input)
    case .bech32: fuzzBech32(input)
    case .identity: fuzzIdentityFile(input)
    case .stream: fuzzStream(input)
    case .reader: fuzzReader(input)
    case .lock: fuzzKeyFile(input)
    case .point: fuzzPoint(input)
    case .tlock: fuzzTlock(input)
    case .beacon: fuzzBeacon(input)
    case .chain: fuzzChain(input)
    case .timelock: fuzzTimelock(input)
    case .media: fuzzMedia(input)
    case .card: fuzzCards(input)
    case .calendar: fuzzCalendars(input)
    case .recurrence: fuzzRecurrence(input)
    case .table: fuzzTables(input)
    case .share: fuzzShare(input)
    case .archive: fuzzArchive(input)
    case .lines: fuzzIdentityLines(input)
    case .segment: fuzzSegment(input)
    case .store: fuzzStoreHeader(input)
    }
  }

  static let chosen: FuzzTarget = {
    let name = getenv("CAPSULE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let names = allCases.map(\.rawValue).joined(separator: " ")
      fatalError("CAPSULE_FUZZ_TARGET must be one of: \(names)")
    }
    return target
  }()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  FuzzTarget.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Stops the program, so that libFuzzer keeps the input.
func require(_ condition: Bool, _ promise: String) {
  if !condition { fatalError("broken promise: \(promise)") }
}
