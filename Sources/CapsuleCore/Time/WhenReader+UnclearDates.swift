// Dates that people write and that mean different days in different countries. They are never
// read, but the error names each day that they may mean.
extension WhenReader {
  /// Returns the error about a hyphen behind a number that is no four-digit year.
  mutating func hyphenError(_ number: WhenNumber, start: Int) -> WhenError {
    if number.count >= 5 { return scanner.error(.yearOutOfRange, in: number.range) }
    return separatedDateError(start: start)
  }

  /// Returns the error about a date of numbers between slashes, dots or hyphens at `start`.
  mutating func separatedDateError(start: Int) -> WhenError {
    scanner.index = start
    var numbers: [WhenNumber] = [scanner.takeNumber()]
    let separator = scanner.peek()
    while numbers.count < 3, scanner.peek() == separator, isDigit(at: 1) {
      scanner.index += 1
      numbers.append(scanner.takeNumber())
    }
    let range = start..<scanner.index
    let dates = scanner.peek() == separator ? [] : readings(of: numbers)
    guard !dates.isEmpty else { return scanner.error(.unexpected, in: range) }
    return scanner.ambiguous(range, dates.map(\.description))
  }

  private func isDigit(at distance: Int) -> Bool {
    scanner.peek(distance)?.isASCIIDigit ?? false
  }

  private func readings(of numbers: [WhenNumber]) -> [CivilDate] {
    guard numbers.count >= 2, numbers.allSatisfy({ $0.count <= 4 }) else { return [] }
    let values = numbers.map(\.value)
    var dates: [CivilDate?] = []
    if numbers.count == 2 {
      dates.append(nearestDate(month: values[1], day: values[0]))
      dates.append(nearestDate(month: values[0], day: values[1]))
      dates.sort { $0?.daysSinceEpoch ?? 0 < $1?.daysSinceEpoch ?? 0 }
    } else if numbers[0].count >= 3 {
      dates.append(CivilDate(year: values[0], month: values[1], day: values[2]))
      dates.append(CivilDate(year: values[0], month: values[2], day: values[1]))
    } else {
      let years = numbers[2].count >= 3 ? [values[2]] : centuries(of: values[2])
      for year in years {
        dates.append(CivilDate(year: year, month: values[1], day: values[0]))
        dates.append(CivilDate(year: year, month: values[0], day: values[1]))
      }
      if numbers[2].count <= 2 {
        for year in centuries(of: values[0]) {
          dates.append(CivilDate(year: year, month: values[1], day: values[2]))
        }
      }
    }
    return dates.compactMap { $0 }.unique
  }
}
