import CapsuleCore

/// `capsule event image`.
enum EventImageCommand {
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
    operands: [EventKind.kind.reference], options: [output, force, ViewCommand.desktop],
    examples: [
      Example("capsule event image \"Mia's birthday\" --output mia.jpg", "Save an image in a file"),
      Example(
        "capsule event image \"Mia's birthday\" > mia.jpg", "Send an image to standard output"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[EventKind.kind.reference]
    let (store, record) = try session.records.required(Event.self, reference)
    let event = record.model
    guard let image = event.image else {
      throw Fault(
        .notFound, "'\(event.title)' has no image",
        hint: "add an image: capsule event edit REF --image FILE")
    }
    let extraction = AttachmentExtraction(session: session, store: store)
    if let path = invocation[output], path != FilePath("-") {
      try session.host.files.requireOutsideStores(path, and: store.layout.root)
      try extraction.write(image, to: path, overwriting: invocation[force])
      session.console.note("Wrote '\(path.text)'.")
      return .done
    }
    guard session.console.out.isTerminal, invocation[output] == nil else {
      try extraction.send(image)
      return .done
    }
    try session.viewer.view(
      extraction.shown(image), of: store, isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "'--output FILE' writes it to a file, for a program of your choice")
    return .done
  }
}
