import CapsuleAge
import CapsulePlatform

/// Prints what the parts of a post-quantum stanza cost; or, with `decapsulate KIND NUMBER`, decapsulates
/// once, for `Scripts/bench-hybrid` to count the instructions.
@main enum HybridBench {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    if words.first == "decapsulate", words.count == 3, let number = UInt8(words.last ?? "") {
      decapsulate(kind: words.dropFirst().first ?? "", number)
    } else {
      bench()
    }
  }

  private static func key(_ d: [UInt8], _ z: [UInt8]) -> MLKEM768.DecapsulationKey {
    d.withUnsafeBytes { d in z.withUnsafeBytes { z in MLKEM768.DecapsulationKey(d: d, z: z) } }
  }

  /// One key and matrix throughout; what is varied is `message`, `rejection` (z), or a `damage`.
  @inline(never)
  private static func decapsulate(kind: String, _ number: UInt8) {
    let varied = SHA3.hash(.shake256, [number], count: 64)
    let fixed = [UInt8](repeating: 7, count: 32)
    let key = key(fixed, kind == "rejection" ? Array(varied[..<32]) : fixed)
    var (ciphertext, _) = key.encapsulationKey.encapsulate(SecretBytes(copying: varied[32...]))
    if kind == "damage" { ciphertext[Int(number) * 100] ^= 1 }
    let shared = key.decapsulate(ciphertext)
    print(Hex.encode((shared?.bytes ?? []).prefix(4)))
  }

  private static func bench() {
    let seed = [UInt8](repeating: 7, count: 32)
    let message = SecretBytes(copying: [UInt8](repeating: 3, count: 32))
    let mlkem = key(seed, seed)
    let (ciphertext, _) = mlkem.encapsulationKey.encapsulate(message)
    measure("ML-KEM-768, key generation") { _ = key(seed, seed) }
    measure("ML-KEM-768, encapsulation") { _ = mlkem.encapsulationKey.encapsulate(message) }
    measure("ML-KEM-768, decapsulation") { _ = mlkem.decapsulate(ciphertext) }
    guard let identity = try? AgeIdentity(isPostQuantum: true, random: .system),
      let classic = try? AgeIdentity(isPostQuantum: false, random: .system),
      let fileKey = try? FileKey(random: .system)
    else { return }
    let text = identity.secretText
    measure("reading a post-quantum identity") { _ = try? AgeIdentity(text) }
    for (name, identity) in [("post-quantum", identity), ("X25519", classic)] {
      let recipient = identity.recipient
      guard let stanzas = try? recipient.wrap(fileKey, random: .system) else { return }
      measure("\(name) stanza, sealing") { _ = try? recipient.wrap(fileKey, random: .system) }
      measure("\(name) stanza, opening") { _ = identity.unwrap(stanzas) }
    }
  }

  /// Prints the time of the fastest of 20 hundreds of runs, in milliseconds a run.
  private static func measure(_ name: String, _ body: () -> Void) {
    var best = Double.infinity
    for _ in 0..<20 {
      let start = now()
      for _ in 0..<100 { body() }
      best = min(best, (now() - start) / 100)
    }
    print("\(name)\t\(Double(Int(best * 10_000)) / 10_000)")
  }

  /// The processor time of the process, in milliseconds.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}
