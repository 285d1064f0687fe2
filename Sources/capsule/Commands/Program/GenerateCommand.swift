/// `capsule __generate`, for `Scripts/generate`: the files of the repository that are made from the
/// table; their paths without an operand, the content of one with its path.
enum GenerateCommand {
  static let path = Parameter.optionalOperand("PATH", .text, "One of the files")

  static let command = Command(
    "__generate", summary: "Print the repository's generated files",
    operands: [path],
    isHidden: true,
    run: { invocation, session in
      let files = GeneratedFiles(invocation.table)
      guard let path = invocation[path] else {
        return try session.console.render { out in
          for path in files.paths { out.row("\(path)") }
        }
      }
      guard let content = files.content(path) else {
        throw Failure(.notFound, "no file '\(path)' is made from the table")
      }
      return try session.console.render { $0.bytes(content.utf8) }
    })
}
