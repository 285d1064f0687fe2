import CapsuleCore

/// `capsule passing …`: what `upon-passing` means.
enum PassingCommands {
  static let on = Parameter.option(
    "on", value: "WHEN", .text, otherwise: "now", "When the owner died")
  static let owner = Parameter.option(
    "owner", value: "NAME", .text, "The owner's name; asked for at a terminal if omitted")

  static let group = CommandGroup(
    "After your death", noun: "passing",
    summary: "Declare the owner's death, or withdraw the declaration",
    default: "show", [show, declare, withdraw])

  static let show = Command(
    "passing", "show", summary: "Show whether the owner's death was declared",
    outputs: .json,
    examples: [
      Example("capsule passing show", "See whether a death was declared")
    ],
    exitCodes: [.damaged]
  ) { _, session in
    let settings = try session.stores.expected()?.settings.intact() ?? StoreSettings()
    return answer(settings, session, quiet: .same) { out in
      out.line("\(words(settings, session) ?? "No passing was declared.")")
    }
  }

  static let declare = Command(
    "passing", "declare", summary: "Declare the owner's death",
    discussion: """
      Bequests with the rule `upon-passing` are then released, and the next `capsule deliver` \
      hands them over. The declaration itself sends nothing. To prevent mistakes, the owner's name \
      must be typed exactly as in the setting `owner`. `capsule passing withdraw` takes the \
      declaration back.
      """,
    options: [on, owner], outputs: .json,
    examples: [
      Example("capsule settings set owner 'Ada Berg'", "Set the owner's name during your lifetime"),
      Example("capsule passing declare --on 2061-03-02", "Declare the death of the owner"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    // Nothing is asked before a declaration that would be refused.
    guard let store = try session.stores.existing(), case let known = try store.settings.intact(),
      !known.owner.isEmpty
    else { throw Fault.passing(.ownerUnknown) }
    if let passing = known.passing {
      throw Fault(
        .refused, "a death has already been declared, as of \(session.dates.text(passing.at))",
        hint: "withdraw the declaration first: capsule passing withdraw")
    }
    let at = try session.dates.readPast(on, invocation)
    let typed = try name(invocation, session)
    let settings = try store.settings.declarePassing(at: at, owner: typed, now: session.now)
    func waiting() -> StyledText? {
      let count = store.handover.countDeliverableBequests(
        passing: settings.passing?.at, now: session.now)
      guard count > 0 else { return nil }
      return
        "\(String.counting(count, "bequest")) can be delivered now: capsule deliver --output handover"
    }
    return answer(settings, session) { out in
      out.line("Declared: \(words(settings, session) ?? "")")
    }
    .noting(waiting())
  }

  static let withdraw = Command(
    "passing", "withdraw", summary: "Withdraw the declaration of the owner's death",
    discussion: "Bequests that were sent in the meantime stay marked as sent.",
    options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule passing withdraw --yes", "Correct a declaration made by mistake")
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let store = try session.stores.existing(), case let known = try store.settings.intact(),
      let words = words(known, session)
    else {
      throw Fault.passing(.notDeclared)
    }
    try session.ask.confirm(
      "Withdraw this declaration: \(words)", unless: invocation[DeleteCommand.yes])
    let settings = try store.settings.withdrawPassing()
    return answer(settings, session) { $0.line("Withdrawn: no passing is declared.") }
  }

  private static func name(
    _ invocation: Invocation, _ session: Session
  ) throws -> String {
    if let name = invocation[owner] { return name }
    let answer = try session.ask.line(
      "Type the owner's name to declare it: ",
      unanswered: Fault(
        .refused, "the owner's name was not given",
        hint: "add the name: --owner NAME"))
    return String(decoding: answer, as: UTF8.self)
  }

  /// The declaration in words; `nil` where there is none.
  private static func words(_ settings: StoreSettings, _ session: Session) -> String? {
    let name = settings.owner.isEmpty ? "The owner" : settings.owner
    return settings.passing.map { "\(name) passed away on \(session.dates.text($0.at))." }
  }

  private static func answer(
    _ settings: StoreSettings, _ session: Session, quiet: Answer.Quiet = .nothing,
    text: @escaping Answer.Text
  ) -> Answer {
    let members = session.object(
      [
        "isDeclared": (settings.passing != nil).json, "owner": settings.owner.jsonIfAny,
      ], at: ["at": settings.passing?.at, "declaredAt": settings.passing?.declaredAt])
    return Answer(members, quiet: quiet, text: text)
  }
}
