/// A text with the places at which words were found in it.
struct SearchedText {
  private let scalars: [Unicode.Scalar]
  /// The places of the words, in scalars from the beginning, in order; none touches another.
  let marks: [Range<Int>]

  /// - Parameter words: folded.
  init(_ text: String, _ words: [[UInt8]], _ folding: TextFolding) {
    let scalars = Array(text.unicodeScalars)
    var bytes: [UInt8] = []
    /// The scalar that each folded byte comes from.
    var origins: [Int] = []
    for (place, scalar) in scalars.enumerated() {
      folding.fold(scalar, to: &bytes)
      while origins.count < bytes.count { origins.append(place) }
    }
    var found: [Range<Int>] = []
    for word in words {
      guard let first = word.first, word.count <= bytes.count else { continue }
      var start = 0
      while start + word.count <= bytes.count {
        guard bytes[start] == first, bytes[start..<start + word.count].elementsEqual(word) else {
          start += 1
          continue
        }
        // Marks behind a letter go with it.
        let end =
          start + word.count < bytes.count ? origins[start + word.count] : scalars.count
        let last = max(origins[start + word.count - 1] + 1, end)
        found.append(origins[start]..<last)
        start += word.count
      }
    }
    self.scalars = scalars
    marks = Self.joined(found)
  }

  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: {
      ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
    }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }

  /// Returns the part around the first place, with so many scalars on either side.
  func match(_ field: SearchField, context: Int) -> SearchMatch? {
    guard let first = marks.first else { return nil }
    let start = beginning(first.lowerBound - context, before: first.lowerBound)
    let end = min(scalars.count, max(first.upperBound, start + 2 * context + first.count))
    let blank: Unicode.Scalar = " "
    let part = scalars[start..<end].map { $0.properties.isWhitespace ? blank : $0 }
    return SearchMatch(
      field: field, text: String(String.UnicodeScalarView(part)), isCutBefore: start > 0,
      isCutAfter: end < scalars.count,
      marks: marks.filter { $0.lowerBound < end }.map { mark in
        mark.lowerBound - start..<min(mark.upperBound, end) - start
      })
  }

  /// Returns where a word begins near a place; the place itself where none does.
  private func beginning(_ place: Int, before limit: Int) -> Int {
    if place <= 0 { return 0 }
    let part = scalars[place..<min(limit, place + 20)]
    return part.firstIndex { $0.properties.isWhitespace }.map { $0 + 1 } ?? place
  }
}
