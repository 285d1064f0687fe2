import CapsuleCore

func example(directory: String) throws -> String {
  let now = Instant(seconds: 1_800_000_000)
  let store = try Store.open(directory: directory, now: now)
  let capsule = try store.createCapsule(
    title: "To Mia at 18", unlockAt: Instant(seconds: 2_000_000_000), texts: ["Hello, Mia."],
    now: now)

  // Before its time the gate is closed, whatever the keys.
  var remaining: Int64 = 0
  do throws(OpeningError) {
    _ = try store.open(capsule.id, now: now)
  } catch {
    guard case .locked(_, let seconds) = error else { throw error }
    remaining = seconds
  }

  // After it, the lock opens with the keys that it asks for: an honor lock asks for none.
  let opened = try store.open(capsule.id, now: Instant(seconds: 2_000_000_001))
  let titles = store.capsules(now: now).map(\.title)
  return "\(titles) \(remaining) \(opened.details[0].text ?? "")"
}
