import CapsuleCore

/// `capsule trustees combine`.
enum TrusteesCombineCommand {
  static let command = Command(
    "trustees", "combine", summary: "Combine the shares of trustees into their key",
    discussion: """
      The command reads one share after another, from files or as you type them, unseen. It \
      reports how many are still missing. The key, an age identity, is written to a new file that \
      only its owner can read. Open files with `age -d -i key.txt` or `--identity key.txt`, and \
      destroy the key file when everything is open.

      - `capsule open REF --shares` opens a capsule without ever writing the key.
      - No store is needed. If no store knows the group, the file has two identities, of which one \
      fits.
      """,
    options: [ShareOptions.share, FilterArguments.output],
    examples: [
      Example("capsule trustees combine -o key.txt", "Type the shares, and write the key"),
      Example(
        "capsule trustees combine --share '1 Zoe.txt' --share '2 Lena.txt' -o key.txt",
        "Read the shares from pages as plain text"),
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
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
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
