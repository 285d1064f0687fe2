import CapsuleCore

/// The fields of a record as lines of text, `name: value`, which are changed in an editor. What differs then is
/// given to the command of the record as its options.
///
/// A value goes on in lines that begin with two spaces, and lines that begin with `#` are passed over.
struct EditSheet {
  /// A field with what it holds, and the options that change it.
  struct Field {
    enum Form {
      /// A value; `none` is what the option is given where it is removed.
      case value(String, none: String = "")
      /// Words, each in a line; another option takes one away.
      case words([String], removing: any ParameterDeclaration)
      /// Values, each in a line; all are given again, behind a flag that removes them.
      case list([String], clearing: any ParameterDeclaration)
      case flag(Bool, clearing: any ParameterDeclaration)
    }

    let option: any ParameterDeclaration
    let form: Form

    init(_ option: any ParameterDeclaration, _ form: Form) {
      (self.option, self.form) = (option, form)
    }

    fileprivate var values: [String] {
      switch form {
      case .value(let text, _): [text]
      case .words(let words, _), .list(let words, _): words.isEmpty ? [""] : words
      case .flag(let isSet, _): [isSet ? "yes" : "no"]
      }
    }
  }

  let fields: [Field]

  /// How a command that takes it describes it in its help.
  static let help = """
    Without options, at a terminal, the fields open in your editor (`$VISUAL`, `$EDITOR`): change \
    them there, save the file and close the editor.
    """

  private static let head = """
    # Change what follows the names, then save the file and close the editor.
    # A text of several lines goes on in lines that begin with two spaces.
    # An empty value is removed. To change nothing, close the editor at once.

    """

  private var text: String {
    Self.head
      + fields.flatMap { field in
        field.values.map { value in
          let lines = value.parts(at: "\n").map { $0.isEmpty ? "" : "  " + $0 }
          return "\(field.option.name):\(lines.joined(separator: "\n").dropFirst())\n"
        }
      }.joined()
  }

  /// The values by the names of their fields.
  private typealias Values = [String: [String]]

  /// - Throws: the fault of a line that is none.
  private func values(of text: String) throws -> Values {
    var values: Values = [:]
    var (current, empty) = ("", 0)
    for line in text.parts(at: "\n") {
      let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
      let bytes = line.utf8
      if bytes.first == UInt8(ascii: "#") { continue }
      if line.trimmed.isEmpty {
        empty += 1
      } else if bytes.starts(with: "  ".utf8) || bytes.first == UInt8(ascii: "\t") {
        guard let last = values[current]?.popLast() else { throw Self.unknown(line, fields) }
        let more = String(Substring(bytes.dropFirst(bytes.first == UInt8(ascii: "\t") ? 1 : 2)))
        values[current]?.append(last + String(repeating: "\n", count: empty + 1) + more)
        empty = 0
      } else {
        current = line.parts(at: ":")[0].trimmed.lowercased()
        guard bytes.contains(UInt8(ascii: ":")),
          fields.contains(where: { $0.option.name == current })
        else { throw Self.unknown(line, fields) }
        let value = Substring(bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst())
        values[current, default: []].append(String(value).trimmed)
        empty = 0
      }
    }
    return values
  }

  private static func unknown(_ line: String, _ fields: [Field]) -> Fault {
    .usage(
      "'\(line.trimmed.shortened)' is not a field of it",
      hint: "write 'name: value'; the names are \(fields.map(\.option.name).listed)")
  }

  /// Returns the options that make one sheet of another.
  private func options(
    from old: Values, to new: Values
  ) throws -> [Invocation.Argument] {
    var options: [Invocation.Argument] = []
    for field in fields {
      let name = field.option.name
      func give(_ option: any ParameterDeclaration, _ text: String) throws {
        if let problem = option.check(Array(text.utf8)) {
          throw Fault(
            UsageProblem.wrongValue(option: option.term, value: text, problem: problem))
        }
        options.append(.option(option.name, Array(text.utf8)))
      }
      let (before, after) = (old[name] ?? [], new[name] ?? [])
      guard before != after else { continue }
      switch field.form {
      case .value(_, let none):
        let value = try Self.only(after, name)
        if value != before.first ?? "" { try give(field.option, value.isEmpty ? none : value) }
      case .words(_, let removing):
        for word in before where !word.isEmpty && !after.contains(word) { try give(removing, word) }
        for word in after where !word.isEmpty && !before.contains(word) {
          try give(field.option, word)
        }
      case .list(_, let clearing):
        options.append(.flag(clearing.name))
        for value in after where !value.isEmpty { try give(field.option, value) }
      case .flag(_, let clearing):
        switch try Self.only(after, name).lowercased() {
        case "yes": options.append(.flag(name))
        case "no", "": options.append(.flag(clearing.name))
        default: throw Fault.usage("--\(name): write yes or no")
        }
      }
    }
    return options
  }

  private static func only(_ values: [String], _ name: String) throws -> String {
    guard values.count <= 1 else { throw Fault(UsageProblem.givenTwice(option: "--" + name)) }
    return values.first ?? ""
  }

  /// Opens the editor until what is written there can be done, or is left.
  ///
  /// - Parameter run: changes the record by the options of a command line.
  /// - Throws: the last fault where the sheet is left with it; the sheet is kept then.
  func edit(
    _ invocation: Invocation, in store: Store, _ session: Session,
    _ run: (Invocation) throws -> Answer
  ) throws -> Answer {
    var text = text
    let old = try values(of: text)
    var roundsLeft = Self.roundLimit
    while true {
      roundsLeft -= 1
      let written = try EditorText.write(
        session, beginning: text, in: store, otherwise: "nothing was changed",
        or: "use options")
      do {
        let options = try options(from: old, to: values(of: written.text))
        let answer: Answer
        if options.isEmpty {
          answer = Answer { _ in }.noting("Nothing changed.")
        } else {
          var invocation = invocation
          for option in options { invocation.append(option) }
          answer = try run(invocation)
        }
        written.draft.remove()
        return answer
      } catch {
        guard let fault = error as? Fault, Self.canBeMended(fault), written.text != text,
          roundsLeft > 0
        else {
          written.draft.nameKept(session)
          throw error
        }
        written.draft.remove()
        text = marked(written.text, fault.message(in: session.zone), fault.hint)
      }
    }
  }

  /// How often the editor is opened at most: one that is a script may never get it right.
  private static let roundLimit = 20

  private static func canBeMended(_ fault: Fault) -> Bool {
    fault.code != .canceled && [.usage, .refused].contains(fault.code.kind)
  }

  /// Returns the sheet with a fault above the line that it is about.
  private func marked(_ text: String, _ message: String, _ hint: String?) -> String {
    let marks = ["# error: ", "# hint: "]
    var lines = text.parts(at: "\n").filter { line in
      !marks.contains { line.utf8.starts(with: $0.utf8) }
    }
    func isAbout(_ line: String) -> Bool {
      let name = line.parts(at: ":")[0].lowercased()
      let value = String(Substring(line.utf8.dropFirst(name.utf8.count + 1))).trimmed
      guard fields.contains(where: { $0.option.name == name }) else {
        return message.utf8.contains(run: "'\(line.trimmed.shortened)'".utf8)
      }
      return message.utf8.contains(run: "--\(name)".utf8)
        || !value.isEmpty && message.utf8.contains(run: "'\(value)'".utf8)
    }
    let place =
      lines.firstIndex(where: isAbout) ?? lines.firstIndex { $0.utf8.first != UInt8(ascii: "#") }
      ?? 0
    let said = ([marks[0] + message] + (hint.map { [marks[1] + $0] } ?? []))
    lines.insert(
      contentsOf: said.map { $0.parts(at: "\n").joined(separator: " ") }, at: place)
    return lines.joined(separator: "\n")
  }
}

extension Invocation {
  /// Runs a change by the options that were given; where there are none, at a terminal by a sheet in the editor.
  ///
  /// - Parameters:
  ///   - options: the options that change something.
  ///   - sheet: returns the record's store, its id and its fields.
  func changing(
    _ reference: Parameter<String>, by options: Parameters, _ session: Session,
    sheet: () throws -> (store: Store, id: RecordID, fields: [EditSheet.Field]),
    _ run: (Invocation) throws -> Answer
  ) throws -> Answer {
    guard !options.contains(where: has), session.ask.isInteractive, session.options.form == .text,
      EditorText.editor(session) != nil
    else {
      try requireAny(of: options, session)
      return try run(self)
    }
    let (store, id, fields) = try sheet()
    var invocation = self
    invocation.operands[reference.name] = [Array(id.description.utf8)]
    return try EditSheet(fields: fields).edit(invocation, in: store, session, run)
  }
}
