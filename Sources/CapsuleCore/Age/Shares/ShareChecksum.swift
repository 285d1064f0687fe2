/// The checksum of a share: three words of a Reed–Solomon code over the field of 1024 elements, RS1024
/// (SLIP-0039, "Checksum"). It finds every error in up to three words.
struct ShareChecksum: Sendable {
  /// The words of a checksum.
  static let wordCount = 3

  // The text before the words, taken as the first of them.
  private let customization: [UInt16]

  /// The code of shares that are bound to the identifier or, with the extendable flag, are not.
  init(isExtendable: Bool) {
    customization = (isExtendable ? "shamir_extendable" : "shamir").utf8.map(UInt16.init)
  }

  /// Returns the three words behind the others.
  func words(behind numbers: [UInt16]) -> [UInt16] {
    let residue = residue(numbers + [0, 0, 0])
    return [20, 10, 0].map { UInt16((residue &>> $0) & 0x3ff) }
  }

  /// Returns 0 for words that end in their checksum, and else the trace of the errors in them.
  func residue(_ numbers: [UInt16]) -> UInt32 {
    var residue: UInt32 = 1
    for number in customization { residue = Self.step(residue) ^ UInt32(number) }
    for number in numbers { residue = Self.step(residue) ^ UInt32(number) }
    return residue ^ 1
  }

  private static let generators: [UInt32] = [
    0x00e0_e040, 0x01c1_c080, 0x0383_8100, 0x0707_0200, 0x0e0e_0009,
    0x1c0c_2412, 0x3808_6c24, 0x3090_fc48, 0x21b1_f890, 0x03f3_f120,
  ]

  /// Returns the residue after one more word, 0.
  private static func step(_ residue: UInt32) -> UInt32 {
    let top = residue &>> 20
    var result = (residue & 0xf_ffff) &<< 10
    for bit in generators.indices {
      // A mask in the place of a branch: a share's words are secret.
      result ^= generators[bit] & (0 &- ((top &>> UInt32(bit)) & 1))
    }
    return result
  }

  /// Finds the word that would have to be another for the checksum to fit, if one is enough.
  ///
  /// - Parameter isAllowed: whether the word at a place may differ by these bits.
  /// - Returns: the places, counted from 0; at most one where all differences are allowed.
  func places(
    ofErrorIn numbers: [UInt16], where isAllowed: (_ place: Int, _ difference: UInt16) -> Bool
  ) -> [Int] {
    let residue = residue(numbers)
    // The trace of a single bit in the last word, then of one in the word before it, and so on.
    var traces = (0..<10).map { UInt32(1) &<< UInt32($0) }
    var places: [Int] = []
    for place in numbers.indices.reversed() {
      var trace: UInt32 = 0
      for step in 1..<UInt16(1024) {
        // In the order of Gray's code one bit changes from each difference to the next.
        trace ^= traces[step.trailingZeroBitCount]
        if trace == residue, isAllowed(place, step ^ (step &>> 1)) { places.append(place) }
      }
      for bit in traces.indices { traces[bit] = Self.step(traces[bit]) }
    }
    return places.reversed()
  }
}
