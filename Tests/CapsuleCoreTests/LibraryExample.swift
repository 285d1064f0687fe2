import CapsuleCore

func example(directory: String) throws -> String {
  let now = Instant(seconds: 1_800_000_000)
  let store = try Store.open(directory: directory, now: now)
  let capsule = try store.createCapsule(
    title: "To Mia at 18", unlockAt: Instant(seconds: 2_000_000_000), texts: ["Hello, Mia."],
    now: now)

  // Before its time the gate is closed, and without its pass nothing opens.
  guard case .locked(_, let remaining) = UnlockGate.decide(unlock: capsule.unlockAt, now: now)
  else { return "not locked" }

  // After it, the gate gives the pass that every opening asks for.
  guard
    case .unlocked(let pass, _) = UnlockGate.decide(
      unlock: capsule.unlockAt, now: Instant(seconds: 2_000_000_001))
  else { return "still locked" }
  let contents = try store.contents(of: store.capsule(capsule.id), pass: pass)
  let titles = store.capsules(now: now).map(\.title)
  return "\(titles) \(remaining) \(contents[0].details.text ?? "")"
}
