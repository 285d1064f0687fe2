import CapsuleCore

/// A kind of value: the words that can be given for it, and the value that they become.
struct ValueType<Value: Sendable>: Sendable {
  /// Turns the bytes of one word into the value.
  let parse: @Sendable ([UInt8]) throws(ValueProblem) -> Value
  /// The words that a shell may offer for it.
  let completion: Completion

  init(
    completion: Completion = .nothing,
    parse: @escaping @Sendable ([UInt8]) throws(ValueProblem) -> Value
  ) {
    self.parse = parse
    self.completion = completion
  }
}

extension ValueType<String> {
  /// Text in UTF-8.
  static let text = ValueType { bytes throws(ValueProblem) in
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return text
  }

  /// Returns the type of text in UTF-8 that names a record: an id, the start of one, a title or a
  /// name.
  static func reference(_ kind: Completion.Source) -> ValueType {
    ValueType(completion: .dynamic(kind)) { bytes throws(ValueProblem) in
      let text = try ValueType.text.parse(bytes)
      guard !text.isEmpty else { throw .empty }
      return text
    }
  }

  /// Returns the type of text in UTF-8 for which a shell offers words of the store.
  static func text(completing source: Completion.Source) -> ValueType {
    ValueType(completion: .dynamic(source), parse: text.parse)
  }
}

extension ValueType<[UInt8]> {
  /// Bytes in no particular encoding.
  static let bytes = ValueType { bytes throws(ValueProblem) in bytes }
}

extension ValueType<FilePath> {
  /// A path, of whatever bytes.
  static let path = path(.path)
  /// A path of a directory, or a hyphen for standard output.
  static let directoryOrOutput = path(.directory)
  /// A path of a directory. One that is called as standard output is elsewhere is meant by nobody.
  static let directory = path(.directory, takesHyphen: false)

  private static func path(_ completion: Completion, takesHyphen: Bool = true) -> ValueType {
    ValueType(completion: completion) { bytes throws(ValueProblem) in
      guard !bytes.isEmpty else { throw .empty }
      guard takesHyphen || bytes != Array("-".utf8) else { throw .hyphen }
      return FilePath(bytes: bytes)
    }
  }
}

extension ValueType<Int> {
  /// Returns the type of a whole number of the range, in ASCII digits, without a plus sign.
  static func integer(_ range: ClosedRange<Int>) -> ValueType {
    integer(minimum: range.lowerBound, maximum: range.upperBound)
  }

  /// Returns the type of a whole number from the bound on.
  static func integer(_ range: PartialRangeFrom<Int>) -> ValueType {
    integer(minimum: range.lowerBound, maximum: nil)
  }

  private static func integer(minimum: Int?, maximum: Int?) -> ValueType {
    ValueType { bytes throws(ValueProblem) in
      guard let first = bytes.first, first != UInt8(ascii: "+"),
        let text = String(validating: bytes, as: UTF8.self), let number = Int(text),
        minimum.map({ number >= $0 }) ?? true, maximum.map({ number <= $0 }) ?? true
      else { throw .notInteger(minimum: minimum, maximum: maximum) }
      return number
    }
  }
}

extension ValueType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the cases, by its raw value.
  static var choice: ValueType { choice(among: Array(Value.allCases)) }

  /// One of some cases, by its raw value.
  static func choice(among values: [Value]) -> ValueType {
    let choices = values.map(\.rawValue)
    return ValueType(completion: .choices(choices)) { bytes throws(ValueProblem) in
      let word = String(decoding: bytes, as: UTF8.self)
      guard choices.contains(word), let value = Value(rawValue: word) else {
        throw .notAChoice(choices)
      }
      return value
    }
  }
}
