import CapsulePlatform

/// How much of a long test is run: all of it in release builds and where `CAPSULE_TEST_SCALE` is
/// `full`, a share of it otherwise.
package enum TestScale {
  package static var isFull: Bool {
    #if DEBUG
      guard let value = getenv("CAPSULE_TEST_SCALE") else { return false }
      return strcmp(value, "full") == 0
    #else
      return true
    #endif
  }

  package static func count(full: Int, debug: Int) -> Int {
    isFull ? full : debug
  }
}
