import CapsulePlatform

// In the copy that Scripts/mutants builds alone, once in each target. Files tell the number,
// and not the environment: programs that tests start find them too.

private let runFolder = "RUN_FOLDER"

/// The number of the change that is switched on; 0 for none, and -1 where what is reached is written down.
private let activeMutant: Int = {
  guard let file = fopen(runFolder + "/active", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 32)
  return fgets(&line, 32, file) == nil ? 0 : atol(line)
}()

/// A byte for each change that was reached: two threads at once write a number twice, and no harm.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8> = {
  let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
  bytes.initialize(repeating: 0, count: 1 << 16)
  return bytes
}()

/// Whether the change of this number is switched on.
@inline(never)
@usableFromInline func mutantIsActive(_ number: Int) -> Bool {
  if activeMutant == -1, reached[number] == 0 {
    reached[number] = 1
    if let file = fopen(runFolder + "/reached", "a") {
      fputs("\(number)\n", file)
      fclose(file)
    }
  }
  return number == activeMutant
}
