import CapsuleCore

/// Whatever is given as a share is one, which gives back its words, or is refused at a place that
/// shares have.
func fuzzShare(_ input: [UInt8]) {
  do {
    let share = try Share(text: SecretBytes(copying: input))
    let again = try Share(text: share.text)
    require(again.digest == share.digest, "the words of a share are the share")
    require(share.numbers.count <= Share.mostWords, "no share is longer than the longest")
    var set = ShareSet()
    try? set.add(share)
    require(set.missing >= 0, "no share can be one too many alone")
  } catch {
    guard let problem = error.cause as? ShareProblem else {
      return require(false, "a fault of a share has its cause")
    }
    switch problem {
    case .word(_, let place, let nearest):
      require(place < Share.mostWords && nearest.count <= 3, "a word stands in the share")
    case .number(_, let place): require(place < 2 * Share.mostWords, "a number stands there")
    case .checksum(.word(let place)), .checksum(.swapped(let place)):
      require(place < Share.mostWords, "a place is one of the share's")
    default: break
    }
  }
}
