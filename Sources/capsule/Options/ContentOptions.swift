import CapsuleCore

/// The options and operands by which contents are named, in `create` and `add`.
enum ContentOptions {
  static let operand = RepeatableOperand(
    "CONTENT", .path, "A file to put in, or `-` for standard input")
  static let file = RepeatableOption(
    "file", short: "f", value: "PATH", .path, "Put in a file; as a CONTENT operand does")
  static let text = RepeatableOption(
    "text", short: "t", value: "TEXT", .text,
    "Put in a text; it shows in `ps` and in the shell's history")
  static let edit = Flag("edit", short: "e", "Write a text in `$VISUAL` or `$EDITOR`")
  static let noProof = Flag(
    "no-proof", "Do not read each sealed file back to see that it opens as what was read")

  static let options: [any OptionDeclaration] = [file, text, edit, noProof]

  /// Whether anything is named.
  static func isEmpty(_ invocation: Invocation) -> Bool {
    invocation[operand].isEmpty && invocation[file].isEmpty && invocation[text].isEmpty
      && !invocation[edit]
  }

  /// Returns the files that are named, to be looked at before anything is made.
  static func files(_ invocation: Invocation) -> [ContentSource] {
    (invocation[operand].filter { $0.bytes != Array("-".utf8) } + invocation[file])
      .map { ContentSource(.file($0)) }
  }

  /// Returns the sources in the order in which they were given.
  static func sources(
    _ invocation: Invocation, _ session: Session, store: Store
  ) throws -> (sources: [ContentSource], draft: EditorText?) {
    var sources: [ContentSource] = []
    var draft: EditorText?
    var usesInput = false
    // The words after the title, which is the first operand.
    var operands = 0
    for argument in invocation.arguments {
      switch argument {
      case .operand(let bytes):
        operands += 1
        if operands == 1 { continue }
        if bytes == Array("-".utf8) {
          if usesInput { throw Failure.usage("standard input can be put in once only") }
          usesInput = true
          sources.append(
            ContentSource(.stream(InputSource(port: session.host.input), name: [])))
        } else {
          sources.append(ContentSource(.file(FilePath(bytes: bytes))))
        }
      case .option(file.spec.name, let bytes):
        sources.append(ContentSource(.file(FilePath(bytes: bytes))))
      case .option(text.spec.name, let bytes):
        sources.append(ContentSource(.text(String(decoding: bytes, as: UTF8.self))))
      case .flag(edit.spec.name):
        let written = try EditorText.write(session, store: store)
        draft = written
        sources.append(ContentSource(.text(written.text)))
      default: continue
      }
    }
    return (sources, draft)
  }
}
