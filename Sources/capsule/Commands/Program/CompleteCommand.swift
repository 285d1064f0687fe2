import CapsuleCore

/// `capsule __complete`, which the completion scripts of the shells call.
///
/// The first line names the kind of the words: `words`, `paths` or `directories`; each line after it
/// is a word, a tab, and the word's meaning.
enum CompleteCommand {
  static let words = Parameter.operands("WORD", .bytes, "The command line so far")

  static let command = Command(
    "__complete", summary: "Offer words to a shell",
    operands: [words],
    isHidden: true,
    run: { invocation, session in
      let line = invocation[words]
      let lines = offer(line, invocation.table, session)
      return try session.console.render { out in
        for line in lines { out.row(line) }
      }
    })

  private static func offer(_ words: [[UInt8]], _ table: CommandTable, _ session: Session)
    -> [StyledText]
  {
    let completer = Completer(table, words)
    switch completer.offer {
    case .paths: return ["paths"]
    case .directories: return ["directories"]
    case .candidates(let candidates): return lines(candidates)
    case .dynamic(let source, let prefix, let lead):
      var options = session.options
      options.takesInput = false
      options.store = completer.store ?? options.store
      var host = session.host
      host.errorOutput.write = { _ throws(SystemError) in }
      let inner = Session(host: host, options: options)
      let found = try? inner.existingStore().map {
        StoreWords(store: $0, prefix: prefix, session: inner).candidates(source)
      }
      return lines((found ?? []).map { Completer.Candidate(lead + $0.value, $0.meaning) })
    }
  }

  private static func lines(_ candidates: [Completer.Candidate]) -> [StyledText] {
    ["words"] + candidates.map { "\($0.value)\t\($0.meaning)" }
  }
}
