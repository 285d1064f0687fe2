import CapsuleCore

/// `capsule seal`.
enum SealCommand {
  static let armor = Flag("armor", short: "a", "Write text (PEM) instead of binary")

  static let command = Command(
    "seal", summary: "Seal any bytes in the age format, without the store",
    discussion: """
      A filter, interchangeable with `age`: it reads a file or standard input and writes an age file. \
      An output file appears only when it is whole.
      """,
    operands: [FilterArguments.input],
    options: [KeyArguments.recipient, KeyArguments.recipientsFile] + PassphraseArguments.options
      + [armor, FilterArguments.output, FilterArguments.force],
    examples: [
      Example(
        "capsule seal -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p -o out.age in",
        "Seal a file to a recipient"),
      Example("tar -c photos | capsule seal --passphrase > photos.tar.age", "Seal a pipe"),
    ],
    exitCodes: [.key, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    var recipients = try KeyArguments.recipients(invocation, session)
    if PassphraseArguments.isGiven(invocation) {
      guard recipients.isEmpty else {
        throw Failure(AgeFailure.recipients(.passphraseNotAlone), subject: "")
      }
      recipients = [ScryptRecipient(try PassphraseArguments.new(invocation, session))]
    }
    guard !recipients.isEmpty else {
      throw .usage(
        "nobody is named to seal to",
        hint: "give '--recipient age1…', '--recipients-file FILE' or '--passphrase'")
    }
    let filter = Filter(session: session, invocation: invocation)
    let isArmored = invocation[armor]
    return try filter.run(isBinary: !isArmored) { source, sink in
      let writer = try AgeWriter(to: recipients, random: session.host.random)
      if isArmored {
        var armored = try ArmorSink(sink)
        _ = try writer.seal(from: &source, to: &armored)
        try armored.finish()
        sink = armored.target
      } else {
        _ = try writer.seal(from: &source, to: &sink)
      }
    }
  }
}
