import CapsuleCore

extension Session {
  /// Commands that somebody else than the owner may run at the owner's terminal: after a passing, or to
  /// see whether there is reason to worry.
  private static let commandsOfOthers: Set<String> = [
    "passing declare", "passing show", "passing withdraw", "switch show", "trustees verify",
    "trustees combine",
  ]

  /// Takes the command for a check-in where the switch says so: at a terminal, once a day.
  func checkInByUse(of command: String) {
    guard console.out.isTerminal, host.input.isTerminal(),
      !Self.commandsOfOthers.contains(command), let path = places.store
    else { return }
    do throws(StoreError) {
      guard let store = try Store.open(at: path, environment: storeEnvironment) else { return }
      try store.checkInByUse(now: now, zone: zone)
    } catch {
      let failure = Failure(error)
      console.warning(
        "this use of the program could not be kept as a check-in: \(failure.message)",
        hint: failure.hint)
    }
  }
}
