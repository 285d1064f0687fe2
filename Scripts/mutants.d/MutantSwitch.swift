#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Stands in the copy that Scripts/mutants builds, and nowhere else.

private let activeMutant: Int = getenv("CAPSULE_MUTANT").map { atol($0) } ?? 0

/// The file to which the numbers of the mutants that are reached are written; -1 for none.
private let reachedFile: Int32 =
  getenv("CAPSULE_MUTANTS_REACHED").map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) } ?? -1

/// A byte for each mutant that was reached: two threads at once write a number twice, and no harm.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8> = {
  let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 20)
  bytes.initialize(repeating: 0, count: 1 << 20)
  return bytes
}()

/// Whether the mutant of this number is switched on; number -1 stops at the first that is reached.
@inline(never)
public func mutantIsActive(_ number: Int) -> Bool {
  if reachedFile >= 0, reached[number] == 0 {
    reached[number] = 1
    let line = Array("\(number)\n".utf8)
    _ = line.withUnsafeBytes { write(reachedFile, $0.baseAddress, $0.count) }
  }
  if activeMutant == -1 { fatalError("the switch of the mutants acts") }
  return number == activeMutant
}
