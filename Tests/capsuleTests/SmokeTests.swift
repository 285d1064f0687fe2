import CapsuleCore
import Testing

@Suite struct SmokeTests {
  @Test func `the library is linked`() {
    #expect(Instant(seconds: 1) > Instant(seconds: 0))
  }
}
