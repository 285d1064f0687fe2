import CapsuleBytes
import TestSupport
import Testing

@Suite struct JSONNumberTests {
  @Test(arguments: ["0", "-0", "1.50", "1e400", "-12.5E+3", "123456789012345678901234567890"])
  func `a number keeps its text`(text: String) throws {
    let number = try require(JSONNumber(text))
    expect(number.text, is: text)
    expect(JSON.number(number).encoded(.compact), is: Array(text.utf8))
  }

  @Test(arguments: ["", " 1", "1 ", "01", "+1", "NaN", "1.", "\"1\"", "null", "[1]", "1e", "0x1"])
  func `text that is not a number is refused`(text: String) {
    expect(JSONNumber(text) == nil)
  }
}
