extension Share {
  /// The most bytes of text that are read as a share.
  package static let mostTextBytes = 256 << 10
  /// The line before the words in a page of plain text, and the one behind them. Where a text has the
  /// first, only what lies between them is read.
  package static let (firstLine, lastLine) = (
    "----- THE WORDS OF THE SHARE -----", "----- END OF THE WORDS -----"
  )

  /// A share out of its words, or out of their numbers, as people write them: in capitals, behind line
  /// numbers, between commas and dots, on as many lines as they like.
  ///
  /// - Throws: the first fault in it.
  package init(text: SecretBytes) throws(ShareFault) {
    guard text.count <= Self.mostTextBytes else { throw .tooLong }
    var bytes = text.withUnsafeBytes { Array(Self.between($0)) }
    defer { wipe(&bytes) }
    var numbers = try Self.numbers(bytes)
    defer { numbers.withUnsafeMutableBytes { wipe($0) } }
    self = try Share(numbers: numbers)
  }

  /// The part between the lines of a page; all of it where there is no such line.
  private static func between(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    func place(_ line: String, from start: Int) -> Int? {
      let line = Array(line.utf8)
      guard text.count - start >= line.count else { return nil }
      return (start...(text.count - line.count)).first {
        text[$0..<($0 + line.count)].elementsEqual(line)
      }
    }
    guard let first = place(firstLine, from: 0) else { return text[...] }
    let start = first + firstLine.utf8.count
    return text[start..<(place(lastLine, from: start) ?? text.count)]
  }

  /// The numbers of the words in a text.
  private static func numbers(_ text: [UInt8]) throws(ShareFault) -> [UInt16] {
    let runs = runs(text)
    let words = runs.filter { !$0.isNumber }
    guard !words.isEmpty else { return try numbers(alone: runs) }
    // Digits beside words number the lines, or repeat the words.
    guard words.count <= mostWords else { throw .count(words.count) }
    var numbers: [UInt16] = []
    numbers.reserveCapacity(mostWords)
    for (place, word) in words.enumerated() {
      guard let number = WordList.index(of: word.bytes) else {
        let text = String(decoding: word.bytes, as: UTF8.self)
        throw .word(
          String(String.UnicodeScalarView(text.unicodeScalars.prefix(32))), place: place,
          nearest: WordList.nearest(to: text))
      }
      numbers.append(UInt16(number))
    }
    return numbers
  }

  /// The numbers of a text that has no letters.
  private static func numbers(alone runs: [Run]) throws(ShareFault) -> [UInt16] {
    guard !runs.isEmpty else { throw .empty }
    guard runs.count <= 2 * mostWords else { throw .count(runs.count) }
    func value(_ run: Run) -> UInt16? {
      guard run.bytes.count <= 4 else { return nil }
      let value = run.bytes.reduce(UInt16(0)) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
      return value < 1024 ? value : nil
    }
    // 1, 2, 3, … before each of them are the numbers of the places.
    let isNumbered =
      runs.count.isMultiple(of: 2) && runs.count >= 2 * fewestWords
      && stride(from: 0, to: runs.count, by: 2).allSatisfy {
        value(runs[$0]) == UInt16($0 / 2 + 1)
      }
    let own =
      isNumbered ? stride(from: 1, to: runs.count, by: 2).map { runs[$0] } : runs
    var numbers: [UInt16] = []
    numbers.reserveCapacity(2 * mostWords)
    for (place, run) in own.enumerated() {
      guard let number = value(run) else {
        throw .number(String(decoding: run.bytes.prefix(32), as: UTF8.self), place: place)
      }
      numbers.append(number)
    }
    return numbers
  }

  /// A stretch of letters, with capitals of ASCII as small ones, or of digits.
  private struct Run {
    var isNumber: Bool
    var bytes: [UInt8]
  }

  /// The stretches of letters and of digits; all else stands between them.
  private static func runs(_ text: [UInt8]) -> [Run] {
    var runs: [Run] = []
    var isOpen = false
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let isNumber = scalar.value < 0x80 && UInt8(scalar.value).isASCIIDigit
      guard isNumber || scalar.properties.isAlphabetic else {
        isOpen = false
        continue
      }
      if !isOpen || runs.last?.isNumber != isNumber {
        runs.append(Run(isNumber: isNumber, bytes: []))
      }
      isOpen = true
      runs[runs.count - 1].bytes += UTF8.encode(scalar).map { Array($0) } ?? []
    }
    for index in runs.indices {
      runs[index].bytes = runs[index].bytes.map(\.asciiLowercased)
    }
    return runs
  }
}

extension WordList {
  /// The words that are nearest to another text: those that begin as it does, and else those that need
  /// the fewest changes; at most three.
  package static func nearest(to text: String) -> [String] {
    let start = text.utf8.prefix(4)
    if start.count >= 3 {
      let same = words.filter { $0.utf8.starts(with: start) }
      if !same.isEmpty { return Array(same.prefix(3)) }
    }
    return EditDistance.nearest(to: text, in: words)
  }
}
