import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct SpreadsheetTextTests {
  @Test(arguments: [
    "=1+1", "+49 30", "-5", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\u{ff1d}1", "\u{ff20}x",
    "'=1", "''-5", "' +x", "=", "- one\n- two", "=\u{301}x",
  ])
  func `a text that may be a formula has an apostrophe before it, and comes back`(text: String) {
    let cell = SpreadsheetText.guarded(text)
    expect(cell.utf8.elementsEqual(("'" + text).utf8))
    expect(SpreadsheetText.bare(cell).utf8.elementsEqual(text.utf8))
  }

  @Test(arguments: ["", "x", "x=1", "a@b", "'", "''", "'x", " ", "' '", "'Zoë'", "1-5", "(=1)"])
  func `another text is written and read as it is`(text: String) {
    expect(SpreadsheetText.guarded(text), is: text)
    expect(SpreadsheetText.bare(text), is: text)
  }
}
