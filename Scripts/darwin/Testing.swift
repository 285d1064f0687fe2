// What the tests' support uses of the module of this name, for `Scripts/check-darwin`.

public struct Comment: ExpressibleByStringInterpolation, Sendable {
  public init(stringLiteral value: String) {}
}

public struct SourceLocation: Sendable {
  public init(fileID: String, filePath: String, line: Int, column: Int) {}
}

public struct Issue: Sendable {
  @discardableResult
  public static func record(_ comment: Comment?, sourceLocation: SourceLocation) -> Issue {
    Issue()
  }
}
