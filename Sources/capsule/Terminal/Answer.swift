import CapsuleCore

/// The answer of a command. ``Console/write(_:)`` gives it the form that the options ask for: text, what
/// `--quiet` leaves of the text, JSON or NDJSON.
///
/// Its parts are closures, so that no more of it is made than is written.
struct Answer {
  /// The parts of an answer that a program can read.
  enum Value {
    /// One object.
    case object(() -> JSONObject)
    /// A list: an array in JSON, one object a line in NDJSON.
    case rows(Rows)
    /// The answer has no form in JSON.
    case none
    /// The command has written everything: nothing is left but its code.
    case written
  }

  /// Hands over the rows in order, each as what writes its value, until its argument gives `false`.
  typealias Rows = ((_ write: (inout JSONTextWriter) -> Void) -> Bool) -> Void

  typealias Text = (TextOutput) -> Void

  /// What `--quiet` leaves of the text.
  enum Quiet {
    case same, nothing
    case only(Text)

    /// The id alone.
    static func id(_ id: RecordID) -> Quiet { .only { $0.line("\(id.description)") } }
    /// The path alone.
    static func path(_ path: FilePath) -> Quiet { .only { $0.row("\(path.text)") } }
  }

  let value: Value
  private(set) var text: Text
  private(set) var quiet: Quiet
  /// The exit code, asked for when all is written.
  let code: () -> ExitCode
  /// Whether text that is longer than the screen goes through the pager.
  private(set) var isPaged = false
  /// Remarks on the text, which are said before the text is sent.
  private(set) var notes: [() -> StyledText?] = []
  /// What is done when the output has arrived; it is given the exit code, and may give another.
  private(set) var then: (ExitCode) throws -> ExitCode = { $0 }

  private init(
    _ value: Value, _ code: @escaping () -> ExitCode, _ quiet: Quiet, _ text: @escaping Text
  ) {
    (self.value, self.text, self.quiet, self.code) = (value, text, quiet, code)
  }

  /// One object, or text.
  init(
    _ object: @autoclosure @escaping () -> JSONObject, ending code: ExitCode = .ok,
    quiet: Quiet = .same, text: @escaping Text = { _ in }
  ) {
    self.init(.object(object), { code }, quiet, text)
  }

  /// A list, or text.
  init<Row>(
    rows: some Sequence<Row>, ending code: ExitCode = .ok, quiet: Quiet = .same,
    json: @escaping (Row) -> JSONObject, text: @escaping Text = { _ in }
  ) {
    self.init(
      each: { body in
        for row in rows where !body(row) { break }
      }, ending: code, quiet: quiet, writingJSON: { $1.value(.object(json($0))) }, text: text)
  }

  /// A list, or a table.
  ///
  /// - Parameters:
  ///   - columns: the columns of the table; asked for when it is written.
  ///   - isPlain: whether the table is for a program; see ``ListOptions/plain``.
  init<Row>(
    rows: some Sequence<Row>, ending code: ExitCode = .ok,
    columns: @autoclosure @escaping () -> [RowColumn<Row>], isPlain: Bool = false,
    json: @escaping (Row) -> JSONObject
  ) {
    self.init(rows: rows, ending: code, json: json) {
      $0.table(Table(columns(), rows), plain: isPlain)
    }
    isPaged = !isPlain
  }

  /// A list that is nowhere held whole, or text.
  ///
  /// - Parameters:
  ///   - each: hands over the rows in order, until its argument gives `false`.
  ///   - code: asked for when all is written.
  init<Row>(
    each: @escaping ((Row) -> Bool) -> Void, ending code: @autoclosure @escaping () -> ExitCode,
    quiet: Quiet = .same, writingJSON write: @escaping (Row, inout JSONTextWriter) -> Void,
    text: @escaping Text
  ) {
    self.init(.rows { body in each { row in body { write(row, &$0) } } }, code, quiet, text)
  }

  /// An empty list; nothing in text.
  static func empty(ending code: ExitCode = .ok) -> Answer {
    Answer(.rows { _ in }, { code }, .same) { _ in }
  }

  /// Text or bytes alone.
  init(ending code: ExitCode = .ok, quiet: Quiet = .same, text: @escaping Text) {
    self.init(.none, { code }, quiet, text)
  }

  /// The end of a command that has written what there was to write.
  static func ended(_ code: ExitCode) -> Answer {
    Answer(.written, { code }, .same) { _ in }
  }

  /// The good end of a command that has written what there was to write.
  static var done: Answer { .ended(.ok) }

  /// Adds text that `--quiet` leaves out.
  func unlessQuiet(_ more: @escaping Text) -> Answer {
    var answer = self
    if case .same = quiet { answer.quiet = .only(text) }
    answer.text = { [text] out in
      text(out)
      more(out)
    }
    return answer
  }

  /// Sends text that is longer than the screen through the pager; it may be made twice for that.
  func paged() -> Answer {
    var answer = self
    answer.isPaged = true
    return answer
  }

  /// Adds a remark for people, such as a way on; `nil` is none. It is asked for when the text is made.
  func noting(_ note: @autoclosure @escaping () -> StyledText?) -> Answer {
    var answer = self
    answer.notes.append(note)
    return answer
  }

  /// Adds what is done when the output has arrived, and not where it could not be written.
  ///
  /// - Parameter body: is given the exit code, and returns it or another.
  func then(_ body: @escaping (ExitCode) throws -> ExitCode) -> Answer {
    var answer = self
    answer.then = { [then] code in try body(then(code)) }
    return answer
  }
}

extension Console {
  /// Writes an answer in the form that the options ask for.
  ///
  /// - Returns: the exit code of the command.
  func write(_ answer: Answer) throws -> ExitCode {
    switch (options.form, answer.value) {
    case (_, .written): return try answer.then(answer.code())
    case (.text, _), (_, .none): try writeText(of: answer)
    case (.json, .object(let object)): out.json(.object(object()))
    case (.ndjson, .object(let object)): out.jsonLine(.object(object()))
    case (_, .rows(let rows)): write(rows)
    }
    try out.flush()
    return try answer.then(answer.code())
  }

  private func writeText(of answer: Answer) throws {
    switch answer.quiet {
    case .nothing where options.isQuiet: break
    case .only(let text) where options.isQuiet: text(out)
    default:
      if answer.isPaged {
        try Pager(console: self).show(answer.text)
      } else {
        answer.text(out)
      }
    }
    guard showsNotes else { return }
    for note in answer.notes {
      if let note = note() { self.note(note) }
    }
  }

  /// Writes a list, and stops where nobody reads on.
  private func write(_ rows: Answer.Rows) {
    var writer = RowWriter(self)
    rows { write in
      writer.add(write)
      return !out.isBroken
    }
    writer.end()
  }
}

/// Rows on their way to standard output: an array in JSON, one value a line in NDJSON.
struct RowWriter {
  private let out: TextOutput
  private let isArray: Bool
  private var writer: JSONTextWriter

  init(_ console: Console) {
    out = console.out
    isArray = console.options.form == .json
    writer = JSONTextWriter(isArray && out.isTerminal ? .pretty : .compact)
    if isArray { writer.beginArray() }
  }

  /// Adds what `write` writes: one value.
  mutating func add(_ write: (inout JSONTextWriter) -> Void) {
    write(&writer)
    if !isArray { writer.endLine() }
    if writer.byteCount >= 32_768 { send() }
  }

  /// Hands over what was added.
  mutating func send() {
    out.json(writer.takeBytes())
  }

  /// Ends the array, and hands over the rest.
  mutating func end() {
    if isArray {
      writer.endArray()
      writer.endLine()
    }
    send()
  }
}
