package import Testing

// What the tests assert with. Macros would show the parts of an expression as well, but to compile them takes
// twice as long as the tests themselves (decision 42).

/// Notes a failure at the line of the call, or at `sourceLocation`, unless `condition` holds.
package func expect(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line
) {
  guard !condition else { return }
  note("is not so", comment(), sourceLocation ?? SourceLocation(file, line))
}

/// Notes a failure with both values unless `value` is equal to `expected`.
package func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line
) {
  guard value != expected else { return }
  note(
    difference(String(reflecting: value), String(reflecting: expected)), comment(),
    sourceLocation ?? SourceLocation(file, line))
}

/// Two descriptions in a sentence; of long ones what stands around their first difference.
private func difference(_ value: String, _ expected: String) -> String {
  let (value, expected) = (Array(value.unicodeScalars), Array(expected.unicodeScalars))
  let same = zip(value, expected).prefix { $0 == $1 }.count
  func part(_ text: [Unicode.Scalar]) -> String {
    guard max(value.count, expected.count) > 500 else { return String(text) }
    let shown = text[max(0, min(same, text.count) - 60)...].prefix(200)
    return "…\(String(shown))…"
  }
  return "is \(part(value)) and not \(part(expected))"
}

extension String {
  fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
    self.init()
    unicodeScalars.append(contentsOf: scalars)
  }
}

/// Notes a failure unless `body` ends with an error of the type; an error of another type is noted too.
///
/// - Returns: The error, nil where there was none of the type.
@discardableResult
package func expect<Fault: Error, Value>(
  throws type: Fault.Type, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line,
  _ body: () throws -> Value
) -> Fault? {
  do {
    _ = try body()
  } catch let error as Fault {
    return error
  } catch {
    note(
      "ends with \(String(reflecting: error)) and not with \(type)", comment(),
      sourceLocation ?? SourceLocation(file, line))
    return nil
  }
  if type != Never.self {
    note("ends without \(type)", comment(), sourceLocation ?? SourceLocation(file, line))
  }
  return nil
}

/// Notes a failure unless `body` ends with an error that is equal to `expected`.
package func expect<Fault: Error & Equatable, Value>(
  throws expected: Fault, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line,
  _ body: () throws -> Value
) {
  let error = expect(
    throws: Fault.self, comment(), sourceLocation: sourceLocation, file: file, line: line, body)
  if let error {
    expect(
      error, is: expected, comment(), sourceLocation: sourceLocation, file: file, line: line)
  }
}

/// Notes a failure unless `body` ends with an error of which `isExpected` holds.
package func expect<Value>(
  _ body: () throws -> Value, throws isExpected: (any Error) -> Bool,
  file: String = #filePath, line: Int = #line
) {
  do {
    _ = try body()
  } catch {
    guard !isExpected(error) else { return }
    note("ends with \(String(reflecting: error))", nil, SourceLocation(file, line))
    return
  }
  note("ends without an error", nil, SourceLocation(file, line))
}

/// The value, where there is one.
///
/// - Throws: ``Missing`` after a failure was noted, which ends the test.
package func require<Value>(
  _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line
) throws -> Value {
  guard let value else {
    note("is nothing", comment(), sourceLocation ?? SourceLocation(file, line))
    throw Missing()
  }
  return value
}

/// - Throws: ``Missing`` after a failure was noted unless `condition` holds, which ends the test.
package func require(
  _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line
) throws {
  guard !condition else { return }
  note("is not so", comment(), sourceLocation ?? SourceLocation(file, line))
  throw Missing()
}

/// A test cannot go on without what it required, which is noted already.
package struct Missing: Error {}

private func note(_ what: String, _ comment: Comment?, _ place: SourceLocation) {
  Issue.record(comment.map { "\(what): \($0)" } ?? "\(what)", sourceLocation: place)
}

/// Something that a test needs and cannot have.
package struct TestFault: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
