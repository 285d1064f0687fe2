package import Testing

extension SourceLocation {
  /// The line of a test that called a helper.
  ///
  /// - Parameters: `#fileID` and `#line` of the call. `#_sourceLocation` as a default would be a macro,
  ///   which the compiler expands anew for every call.
  package init(_ file: String, _ line: Int) {
    self.init(fileID: file, filePath: file, line: line, column: 1)
  }
}
