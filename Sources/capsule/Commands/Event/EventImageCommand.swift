import CapsuleCore

/// `capsule event image`.
enum EventImageCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, "Save the image in a file; `-` is standard output")
  static let force = Parameter.flag("force", "Replace an existing file")

  static let command = Command(
    "event", "image", summary: "Show an event's image, or save it in a file",
    discussion: """
      \(ViewCommand.onTerminal)

      If the terminal cannot show the image, `xdg-open`, or `open` on macOS, shows a copy. Elsewhere \
      than on a terminal, the bytes go to standard output.
      """,
    operands: [reference], options: [output, force, ViewCommand.desktop],
    examples: [
      Example("capsule event image \"Mia's birthday\" --output mia.jpg", "Save an image in a file"),
      Example(
        "capsule event image \"Mia's birthday\" > mia.jpg", "Send an image to standard output"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[reference]
    let (store, record) = try session.records.required(Event.self, reference)
    let event = record.model
    guard let image = event.image else {
      throw Failure(
        .notFound, "'\(event.title)' has no image",
        hint: "'capsule event edit REF --image FILE' gives it one")
    }
    let extraction = AttachmentExtraction(session: session, store: store)
    if let path = invocation[output], path != FilePath("-") {
      try session.host.files.requireOutsideStores(path, and: store.layout.root)
      try extraction.write(image, to: path, overwriting: invocation[force])
      if !session.isQuiet { session.console.note("Wrote '\(path.text)'.") }
      return .ok
    }
    guard session.console.out.isTerminal, invocation[output] == nil else {
      try extraction.send(image)
      return .ok
    }
    return try session.viewer.view(
      extraction.shown(image), of: store, isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "'--output FILE' writes it to a file, for a program of your choice")
  }
}
