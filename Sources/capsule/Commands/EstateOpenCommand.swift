import CapsuleCore

/// `capsule estate …`: everything in one file for trustees, and the way out of it.
enum EstateCommands {
  static let group = CommandGroup(
    "Estates", noun: "estate", summary: "Make one file of your whole estate, and open one",
    default: "make", [EstateCommand.command, EstateOpenCommand.command])
}

/// `capsule estate open`.
enum EstateOpenCommand {
  static let file = Parameter.operand("FILE", .path, "The estate file; `-` for standard input")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory,
    "The folder to make; by default the name of the file without its ending, here")
  static let show = Parameter.flag("show", "Show the first page with the desktop's browser")

  static let command = Command(
    "estate", "open", summary: "Open an estate file with the sheets of the trustees",
    discussion: """
      The command asks for the words of one sheet after another, unseen, until they are enough. \
      Then it opens the file into a new folder and prints the path of the page to read first. No \
      store is needed, and the key is never written.

      - Type the words all at once or a row at a time. The first four letters of a word are enough, \
      and capitals do not matter. You can also type the numbers beside the words.
      - If a word was misread, the command says which one is likely wrong, and asks for it again.
      - `--share FILE` reads a sheet from a file. `--identity FILE` uses the key that `capsule \
      trustees combine` writes.
      - The folder is readable by you alone, but not encrypted. It appears when everything is \
      complete, and it must not be in a store.
      """,
    operands: [file], options: [ShareOptions.share, KeyOptions.identity, output, show],
    outputs: .json,
    examples: [
      Example(
        "capsule estate open estate.age", "Type the words of the sheets, and open everything"),
      Example(
        "capsule estate open estate.age --share '1 Zoe.txt' --share '2 Lena.txt' -o opened",
        "Read the sheets from files"),
    ],
    exitCodes: [.key, .damaged, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let path = invocation[file]
    let folder = try folder(for: path, invocation, session)
    let files = session.host.files
    let descriptor = try files.open(session.files.input(path), .readFollowingLinks(streams: true))
    defer { try? files.close(descriptor) }
    let subject = path.inputSubject
    let count: Int
    do {
      let reader = try AgeReader(FileSource(files, descriptor))
      guard EstateOpening.isExpected(reader.header) else { throw Fault.notEstate }
      let key = try key(of: reader, subject, invocation, session)
      let status = try files.status(descriptor)
      let signals = WorkSignals(
        session, "Opening", total: status.kind == .regular ? status.size : nil)
      defer { signals.end() }
      do {
        count = try EstateOpening.open(
          reader, with: key, to: folder.path, in: files, random: session.host.random,
          watch: WorkWatch(signals.pass))
      } catch {
        throw signals.cause(of: error)
      }
    } catch let failure as AgeFailure {
      throw Fault.seal(failure, subject: subject)
    } catch let fault as Fault {
      throw fault.naming(subject)
    }
    let page = folder.path.appending(Estate.pageName)
    let members: JSONObject = [
      "directory": folder.path.json, "files": count.json, "page": page.json,
    ]
    return Answer(members, quiet: .path(folder.path)) { out in
      out.line(
        "Opened \(subject): \(String.counting(count, "file")) in '\(folder.path.text, .bold)'")
      out.line("Read this page first, in a browser: \(page.text)")
      out.line("The files are not encrypted. Destroy the folder when everything is handed over.")
    }
    .then { code in
      if invocation[show] { show(page, session) }
      return code
    }
  }

  /// Shows the page; where no program does, everything is opened all the same.
  private static func show(_ page: FilePath, _ session: Session) {
    do {
      _ = try session.viewer.runFirst(
        [("xdg-open", []), ("open", [])], with: page, to: "show the page", isQuiet: true)
    } catch {
      session.console.warning(
        Fault(error).message(in: session.zone), hint: "open it in a browser: \(page.text)")
    }
  }

  /// Finds the place of the folder, before anybody types 66 words.
  private static func folder(
    for file: FilePath, _ invocation: Invocation, _ session: Session
  ) throws -> TrusteeFolder {
    var name = FilePath("estate")
    if !file.isStandardInput {
      var bytes = file.lastComponent
      let ending = Array(".age".utf8)
      if bytes.count > ending.count, bytes.suffix(ending.count).elementsEqual(ending) {
        bytes.removeLast(ending.count)
      } else {
        bytes += Array(".opened".utf8)
      }
      name = FilePath(bytes: bytes)
    }
    let folder = try TrusteesMakeCommand.folder(at: invocation[output] ?? name, session)
    for remains in folder.remains() {
      session.console.warning(
        "'\(remains.text)' is from an interrupted or running command, and is not encrypted",
        hint: "remove it if no 'estate open' is running", details: ["path": remains.text.json])
    }
    return folder
  }

  /// Finds the key by the identities that are named, or else by shares.
  private static func key(
    of reader: AgeReader, _ subject: String, _ invocation: Invocation, _ session: Session
  ) throws -> FileKey {
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if identities.isEmpty || ShareOptions.isGiven(invocation) {
      // A store that cannot be read says nothing about whose the shares are.
      let store = try? session.stores.existingQuietly()
      let groups = session.records.trusteeKeys(in: store)
      let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
      identities += try TrusteeGroup.identities(joining: set) as [any Identity]
    }
    do { return try reader.unlock(with: identities) } catch {
      guard case .noMatch = error else { throw error }
      throw Fault(
        .key, "these shares or keys do not open \(subject)",
        hint: "compare the name of the group on the sheets with the page beside the file")
    }
  }
}
