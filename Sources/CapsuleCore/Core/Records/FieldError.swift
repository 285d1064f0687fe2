/// A fault of one field of a record, and the place of the field.
public struct FieldError: Error, Hashable, Sendable {
  /// The kinds of fault.
  public enum Problem: Hashable, Sendable {
    case missing
    /// The value is of another JSON type than the one named.
    case notA(String)
    /// The value is of the right type, but not one that can stand here.
    case invalid(String)
  }

  /// The field's place, as `contents[2].kind`.
  public let path: String
  public let problem: Problem
}

extension FieldError {
  /// A fault of a value that does not know where it stands.
  init(_ problem: Problem) {
    self.init(path: "", problem: problem)
  }

  /// Returns the same fault with a key, an index in brackets, or a point in front of its place.
  func inside(_ place: String) -> FieldError {
    FieldError(path: place + path, problem: problem)
  }
}
