extension OpenedCapsule {
  /// Returns the place of the content that a word means: a number from 1, else an id or the start of one,
  /// else a name, whatever its case.
  ///
  /// - Throws: `.unknownContent`, and `.ambiguousContent` for a word that means several.
  package func place(of word: String) throws(CapsuleError) -> Int {
    let contents = capsule.contents
    if let number = Int(word), (1...max(1, contents.count)).contains(number), !contents.isEmpty {
      return number - 1
    }
    let id = word.lowercased()
    var places = contents.indices.filter {
      let known = contents[$0].id.description
      return known == id
        || (word.utf8.count >= RecordID.shortestPrefix && known.utf8.starts(with: id.utf8))
    }
    if places.isEmpty {
      let key = NameKey(word)
      places = details.indices.filter {
        !details[$0].name.isEmpty && NameKey(details[$0].nameText) == key
      }
    }
    guard let place = places.first else {
      throw .unknownContent(word, title: capsule.title, count: contents.count)
    }
    if places.count > 1 { throw .ambiguousContent(word, numbers: places.map { $0 + 1 }) }
    return place
  }
}
