/// The reason why words are not a share. Places count from 0.
package enum ShareFault: Error, Hashable {
  /// There is nothing that could be a word.
  case empty
  /// There is more text than any share has.
  case tooLong
  /// The word at the place is not in the list; `nearest` are those that could be meant.
  case word(String, place: Int, nearest: [String])
  /// The number at the place is not from 0 to 1023.
  case number(String, place: Int)
  /// No share has so many words, or none of an identity has and their checksum does not fit.
  case count(Int)
  /// The checksum does not fit.
  case checksum(ShareDiagnosis)
  /// It asks for more groups than there are.
  case groups
  /// The bits before the piece are not 0.
  case padding
}

/// A guess at what is wrong with words whose checksum does not fit.
///
/// It is a place and never the right word: whoever is shown a correction stops to look at the paper
/// (SLIP-0039, "Checksum").
package enum ShareDiagnosis: Hashable, Sendable {
  /// The word at the place is likely another.
  case word(place: Int)
  /// The word at the place and the one behind it are likely swapped.
  case swapped(place: Int)
  /// More than one word is wrong.
  case unknown

  /// The guess for words that end in a wrong checksum.
  init(_ numbers: [UInt16]) {
    // The flag in the second word decides which code it is, and may be the error itself.
    let flag: (place: Int, bit: UInt16) = (1, 0x10)
    let isExtendable = numbers[flag.place] & flag.bit != 0
    func changesFlag(_ place: Int, _ difference: UInt16) -> Bool {
      place == flag.place && difference & flag.bit != 0
    }
    let places =
      ShareChecksum(isExtendable: isExtendable)
      .places(ofErrorIn: numbers) { !changesFlag($0, $1) }
      + ShareChecksum(isExtendable: !isExtendable)
      .places(ofErrorIn: numbers) { changesFlag($0, $1) }
    if places.count == 1 {
      self = .word(place: places[0])
      return
    }
    let swaps = numbers.indices.dropLast().filter { place in
      var swapped = numbers
      defer { swapped.withUnsafeMutableBytes { wipe($0) } }
      swapped.swapAt(place, place + 1)
      return ShareChecksum(isExtendable: swapped[flag.place] & flag.bit != 0).residue(swapped) == 0
    }
    self = places.isEmpty && swaps.count == 1 ? .swapped(place: swaps[0]) : .unknown
  }
}
