import Testing

@testable import capsule

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("lsit", "list", 1), ("versoin", "version", 1), ("", "abc", 3), ("a", "a", 0),
    ("ca", "abc", 3), ("kitten", "sitting", 3),
  ])
  func `swaps of neighbours, insertions, deletions and changes count one each`(
    left: String, right: String, distance: Int
  ) {
    #expect(Suggestion.distance(left, right) == distance)
  }
}
