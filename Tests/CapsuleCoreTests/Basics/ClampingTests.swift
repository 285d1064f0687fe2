import CapsuleBytes
import TestSupport
import Testing

@Suite struct ClampingTests {
  @Test func `of every pair of small numbers the result is the exact one, or the nearest`() {
    var wrong = 0
    for left in Int8.min...Int8.max {
      for right in Int8.min...Int8.max {
        let (a, b) = (Int(left), Int(right))
        if left.addingClamped(right) != Int8(clamping: a + b)
          || left.subtractingClamped(right) != Int8(clamping: a - b)
          || left.multipliedClamped(by: right) != Int8(clamping: a * b)
        {
          wrong += 1
        }
      }
    }
    expect(wrong, is: 0)
    expect(UInt8(3).subtractingClamped(5), is: 0)
    expect(UInt8(255).addingClamped(1), is: 255)
    expect(UInt8(16).multipliedClamped(by: 16), is: 255)
  }
}
