import CapsuleCore

extension Session {
  /// Writes the answer: one value in JSON, or text.
  ///
  /// - Parameters:
  ///   - code: the exit code of the command.
  ///   - json: the whole answer; with `--ndjson` an array of it is one line an element.
  ///   - text: the same for people.
  func render(
    ending code: ExitCode = .ok, json: @autoclosure () -> JSON, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    switch options.form {
    case .text: text(console.out)
    case .json: console.out.json(json())
    case .ndjson:
      if case .array(let values) = json() {
        for value in values { console.out.jsonLine(value) }
      } else {
        console.out.jsonLine(json())
      }
    }
    try console.out.flush()
    return code
  }

  /// Writes a list: an array in JSON, one object a line with `--ndjson`, or text.
  func render<Item>(
    ending code: ExitCode = .ok, list: some Sequence<Item>, json: @escaping (Item) -> JSON,
    text: (TextOutput) -> Void
  ) throws -> ExitCode {
    try render(
      ending: code, list: list, writingJSON: { $1.value(json($0)) }, text: text)
  }

  /// Writes a long list, each of whose items writes its own JSON value.
  func render<Item>(
    ending code: ExitCode = .ok, list: some Sequence<Item>,
    writingJSON write: @escaping (Item, inout JSONTextWriter) -> Void, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    try render(
      ending: code,
      each: { body in
        for item in list where !body(item) { break }
      }, writingJSON: write, text: text)
  }

  /// Writes a list that is nowhere held whole.
  ///
  /// - Parameters:
  ///   - code: the exit code, asked for when all is written.
  ///   - each: hands over the items in order, until its argument gives `false`.
  func render<Item>(
    ending code: @autoclosure () -> ExitCode, each: ((Item) -> Bool) -> Void,
    writingJSON write: @escaping (Item, inout JSONTextWriter) -> Void, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    let out = console.out
    var writer = JSONTextWriter(options.form == .json && out.isTerminal ? .pretty : .compact)
    func spill() {
      if writer.byteCount >= 32_768 { out.json(writer.takeBytes()) }
    }
    switch options.form {
    case .text: text(out)
    case .json:
      writer.beginArray()
      each { item in
        write(item, &writer)
        spill()
        return !out.isBroken
      }
      writer.endArray()
      writer.endLine()
    case .ndjson:
      each { item in
        write(item, &writer)
        writer.endLine()
        spill()
        return !out.isBroken
      }
    }
    out.json(writer.takeBytes())
    try out.flush()
    return code()
  }

  /// Writes an answer that has no form in JSON.
  func render(
    ending code: ExitCode = .ok, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    text(console.out)
    try console.out.flush()
    return code
  }
}
