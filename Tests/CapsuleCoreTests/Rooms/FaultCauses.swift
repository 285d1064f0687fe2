package import CapsuleAge
import TestSupport
package import Testing

/// Notes a failure unless `body` ends with a fault that has a cause of a type.
@discardableResult
package func expect<Cause: FaultCause, Value>(
  throws type: Cause.Type, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line,
  _ body: () throws -> Value
) -> Cause? {
  let fault = expect(
    throws: Fault.self, comment(), sourceLocation: sourceLocation, file: file, line: line, body)
  guard let fault else { return nil }
  let cause = fault.cause as? Cause
  expect(
    cause != nil, comment(), sourceLocation: sourceLocation, file: file, line: line)
  return cause
}

/// Notes a failure unless `body` ends with a fault of this cause.
package func expect<Cause: FaultCause & Equatable, Value>(
  throws expected: Cause, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation? = nil, file: String = #filePath, line: Int = #line,
  _ body: () throws -> Value
) {
  let cause = expect(
    throws: Cause.self, comment(), sourceLocation: sourceLocation, file: file, line: line, body)
  if let cause {
    expect(
      cause, is: expected, comment(), sourceLocation: sourceLocation, file: file, line: line)
  }
}

/// The cause of the fault that `body` ends with; `nil` where it has another, or there is none.
package func cause<Cause: FaultCause, Value>(
  _ type: Cause.Type = Cause.self, of body: () throws(Fault) -> Value
) -> Cause? {
  do {
    _ = try body()
    return nil
  } catch {
    return error.cause as? Cause
  }
}
