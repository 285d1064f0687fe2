import CapsuleCore

/// `capsule trustees verify`.
enum TrusteesCheckCommand {
  static let share = Parameter.option(
    "share", value: "FILE", .path,
    "Read the share from a file, such as a page as plain text; `-` for standard input")

  static let command = Command(
    "trustees", "verify", summary: "Verify one share, without the others",
    discussion: """
      Type the words of the share. They are not shown and not stored. The answer says whether the \
      share is complete and, if the store knows the group, whose share it is.

      - Capitals, commas and line numbers do not matter. You can also type the numbers of the \
      words, from 0 to 1023.
      - If a word is not in the list, or the checksum does not match, the command reports the \
      place. It never shows the right word.
      """,
    options: [share], outputs: .json,
    examples: [
      Example("capsule trustees verify", "Verify the words on your sheet")
    ],
    exitCodes: [.key, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let share = try ShareOptions.one(invocation[share], session)
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
    let owner = groups.first { $0.place(of: share) != nil }
    let named = owner ?? groups.first { $0.isNamed(by: share) }
    if owner == nil, let named, named.identifier == Int(share.common.identifier) {
      throw Failure(
        .damaged, "the share is whole, and is none of those that were made for '\(named.name)'",
        hint: "it has the number of the group's set; it may be made up")
    }
    var members: JSONObject = [
      "exponent": .integer(Int64(share.common.exponent)),
      "group": .integer(Int64(share.group + 1)),
      "groupCount": .integer(Int64(share.common.groupCount)),
      "groupThreshold": .integer(Int64(share.common.groupThreshold)),
      "identifier": .integer(Int64(share.common.identifier)),
      "isEarlier": .bool(owner == nil && named != nil),
      "number": .integer(Int64(share.member + 1)),
      "threshold": .integer(Int64(share.threshold)),
    ]
    let holder = owner.flatMap { group in group.place(of: share).map { group.shares[$0].holder } }
    members.member("holder", holder)
    InstantFields(zone: session.zone).add(named?.replacedAt, as: "replacedAt", to: &members)
    members.member("trustees", named?.name)
    return try session.console.render(json: .object(members)) { out in
      guard !session.isQuiet else { return }
      out.line(
        "The share is whole: number \(share.member + 1) of the set "
          + "\(Int(share.common.identifier)), of which \(share.threshold) are needed")
      if let owner, let holder {
        out.line("It is \(holder, .bold)'s of '\(owner.name, .bold)'")
      } else if let named {
        out.line("It is of an earlier set of '\(named.name, .bold)', which still opens everything")
      } else {
        session.console.note("No group here knows it.")
      }
      if let replaced = named?.replacedAt {
        session.console.note(
          StyledText(
            "The key of the group was replaced \(session.dates.relative(replaced)): this share opens only "
              + "what was sealed before."))
      }
    }
  }
}
