import CapsuleBytes
import TestSupport
import Testing

@Suite struct EditDistanceTests {
  @Test(arguments: [
    ("lsit", "list", 1), ("versoin", "version", 1), ("", "abc", 3), ("a", "a", 0),
    ("ca", "abc", 3), ("kitten", "sitting", 3), ("é", "e", 1), ("e\u{301}", "e", 1),
  ])
  func `swaps of neighbours, insertions, deletions and changes count one each`(
    left: String, right: String, distance: Int
  ) {
    expect(EditDistance.between(left, right, limit: 5), is: distance)
    expect(EditDistance.between(right, left, limit: 2), is: min(distance, 3))
  }

  @Test func `a long word is near nothing`() {
    let long = String(repeating: "a", count: 65)
    expect(EditDistance.between(long, long, limit: 2), is: 3)
  }
}
