extension Session {
  /// Tells the answer: one value in JSON, or text.
  ///
  /// - Parameters:
  ///   - code: what the command ends with.
  ///   - json: the whole answer; with `--ndjson` an array of it is one line an element.
  ///   - text: the same for people.
  package func render(
    ending code: ExitCode = .ok, json: @autoclosure () -> JSON, text: (TextOutput) -> Void
  ) throws(Failure) -> ExitCode {
    switch settings.form {
    case .text: text(console.out)
    case .json: console.out.json(json())
    case .ndjson:
      if case .array(let values) = json() {
        for value in values { console.out.json(value) }
      } else {
        console.out.json(json())
      }
    }
    try console.out.flush()
    return code
  }

  /// Tells a list: an array in JSON, one object a line with `--ndjson`, or text.
  package func render<Item>(
    ending code: ExitCode = .ok, list: some Sequence<Item>, json: (Item) -> JSON,
    text: (TextOutput) -> Void
  ) throws(Failure) -> ExitCode {
    let out = console.out
    switch settings.form {
    case .text: text(out)
    case .json:
      var isFirst = true
      for item in list {
        out.raw(isFirst ? "[\n" : ",\n")
        out.jsonValue(json(item))
        isFirst = false
      }
      out.raw(isFirst ? "[]\n" : "\n]\n")
    case .ndjson:
      for item in list { out.json(json(item)) }
    }
    try out.flush()
    return code
  }

  /// Tells an answer that has no form in JSON.
  package func render(
    ending code: ExitCode = .ok, text: (TextOutput) -> Void
  ) throws(Failure) -> ExitCode {
    text(console.out)
    try console.out.flush()
    return code
  }
}
