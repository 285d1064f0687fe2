import CapsuleCore

/// `capsule trustees combine`.
enum TrusteesCombineCommand {
  static let command = Command(
    "trustees", "combine", summary: "Join shares to the key that they hold",
    discussion: """
      It takes one share after another, from files or typed unseen, says how many are still missing, \
      and writes the identity into a new file that only its owner can read; `age -d -i key.txt` and \
      `--identity key.txt` open with it. It needs no store: where none knows the group the file has two \
      identities, of which one fits. Destroy the file when all is open.

      `capsule open REF --shares` opens a capsule without the key ever being written.
      """,
    options: [ShareOptions.share, FilterArguments.output],
    examples: [
      Example("capsule trustees combine -o key.txt", "Type the shares, and write the key"),
      Example(
        "capsule trustees combine --share '1 Mia.txt' --share '2 Ben.txt' -o key.txt",
        "Read them from the pages in plain text"),
    ],
    exitCodes: [.key, .damaged, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    if let output = invocation[FilterArguments.output], output.bytes != Array("-".utf8),
      try session.host.files.statusIfPresent(output) != nil
    {
      // It is refused before anybody types 66 words.
      throw Failure(
        .refused, "'\(output.text)' exists already", hint: "name a file that is not there yet",
        details: ["path": .string(output.text)])
    }
    let groups = session.trusteeKeys(in: try session.existingStoreQuietly())
    let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
    let (identities, group) = try TrusteeGroup.identities(joining: set, of: groups)
    let filter = StreamFilter(session: session, invocation: invocation, canReplace: false)
    KeygenCommand.warnOfReaders(invocation, session)
    var text: [UInt8] = []
    for identity in identities {
      var comments = ["public key: \(identity.recipient)"]
      if let group { comments.insert("trustees: \(group.name.onOneLine)", at: 0) }
      text += IdentityFile.text(identity, comments: comments)
    }
    defer { wipe(&text) }
    return try filter.write(isBinary: false) { sink in
      try text.withUnsafeBytes { try sink.write($0) }
    }
  }
}
