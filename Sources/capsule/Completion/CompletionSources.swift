/// What only a run of the program can offer a shell: what is in the store.
enum CompletionSources {
  /// Everything of the source that begins with the prefix, in capitals or not.
  ///
  /// What fails here is not told: a shell shows no errors.
  static func candidates(
    _ source: Completion.Source, prefix: String, _ session: Session
  ) throws(Failure) -> [Completer.Candidate] {
    switch source {
    case .topic: topics(prefix, session.table)
    case .capsule, .event, .item, .beneficiary, .bequest, .record, .trash, .tag, .setting: []
    }
  }

  private static func topics(_ prefix: String, _ table: CommandTable) -> [Completer.Candidate] {
    let words = table.firstWords.map { word in
      Completer.Candidate(
        word, table.command([word])?.summary ?? table.noun(word)?.summary ?? "")
    }
    let topics = table.topics.map { Completer.Candidate($0.name, $0.summary) }
    return (words + topics).filter { $0.value.hasPrefix(prefix) }
  }
}
