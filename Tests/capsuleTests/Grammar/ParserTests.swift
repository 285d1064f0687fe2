import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A table of a few commands with every kind of option and operand.
enum SmallTable {
  enum Order: String, CaseIterable, Sendable { case unlock, title, created }

  static let limit = Parameter.option(
    "limit", short: "n", value: "N", .integer(1...), "Show so many")
  static let sort = Parameter.option("sort", value: "ORDER", ValueType<Order>.choice, "Order by")
  static let tag = Parameter.options("tag", short: "t", value: "TAG", .text, "Only with the tag")
  static let file = Parameter.options("file", short: "f", value: "PATH", .path, "Take the file")
  static let reverse = Parameter.flag("reverse", short: "r", "Turn the order round")
  static let all = Parameter.flag("all", short: "a", "Show all")
  static let title = Parameter.operand("TITLE", .text, "The title")
  static let contents = Parameter.operands("CONTENT", .path, "A file")
  static let date = Parameter.optionalOperand("DATE", .text, "A date")
  static let refs = Parameter.operands("REF", .reference(.capsule), minimum: 1, "A capsule")
  static let target = Parameter.operand("TARGET", .text, "Where to")

  static let list = Command(
    "list", summary: "List things", options: [limit, sort, tag, reverse, all],
    outputs: [.json, .ndjson], run: { _, _ throws in .done })
  static let create = Command(
    "create", summary: "Make a thing", operands: [title, contents], options: [file],
    run: { _, _ throws in .done })
  static let delete = Command(
    "delete", summary: "Delete things", operands: [refs], run: { _, _ throws in .done })
  static let move = Command(
    "move", summary: "Move things", operands: [refs, target],
    run: { _, _ throws in .done })
  static let eventAdd = Command(
    "event", "add", summary: "Add an event", operands: [title, date],
    run: { _, _ throws in .done })
  static let eventList = Command(
    "event", "list", summary: "List events", outputs: .json,
    run: { _, _ throws in .done })

  static let table = CommandTable(
    groups: [
      CommandGroup("Things", [list, create, delete, move]),
      CommandGroup("Events", noun: "event", summary: "Count down to dates", [eventAdd, eventList]),
    ],
    topics: [HelpTopic("dates", summary: "How dates are written", body: "Like this.")])
}

private func parse(_ words: String...) throws(Fault) -> Parser.Outcome {
  try Parser(SmallTable.table).parse(words.map { Array($0.utf8) })
}

/// The command's name and what was given to it.
private func run(_ words: String...) throws -> (name: String, invocation: Invocation) {
  guard
    case .run(let command, let invocation) = try Parser(SmallTable.table)
      .parse(words.map { Array($0.utf8) })
  else {
    Issue.record("\(words) does not run a command")
    throw CancellationError()
  }
  return (command.name, invocation)
}

private func problem(_ words: [String]) -> UsageProblem? {
  do {
    _ = try Parser(SmallTable.table).parse(words.map { Array($0.utf8) })
    return nil
  } catch {
    return error.cause as? UsageProblem
  }
}

@Suite struct ParserTests {
  @Test(arguments: [
    ["list", "--limit", "5"], ["list", "--limit=5"], ["list", "-n", "5"], ["list", "-n5"],
    ["list", "-arn5"], ["list", "-rn", "5"],
  ])
  func `an option takes its value from the next word, behind = or behind its letter`(
    words: [String]
  ) throws {
    let outcome = try Parser(SmallTable.table).parse(words.map { Array($0.utf8) })
    guard case .run(_, let invocation) = outcome else {
      Issue.record("not run")
      return
    }
    expect(invocation[SmallTable.limit], is: 5)
    expect(invocation[SmallTable.reverse], is: words[1].contains("r"))
  }

  @Test func `short flags cluster`() throws {
    let (_, invocation) = try run("list", "-ar")
    expect(invocation[SmallTable.all])
    expect(invocation[SmallTable.reverse])
    expect(!invocation[GlobalOptions.quiet])
  }

  @Test func `two hyphens end the options`() throws {
    let (_, invocation) = try run("create", "--", "--file", "-x", "--")
    expect(invocation[SmallTable.title], is: "--file")
    expect(invocation[SmallTable.contents].map(\.text), is: ["-x", "--"])
    expect(invocation[SmallTable.file].isEmpty)
  }

  @Test func `a hyphen alone is an operand`() throws {
    let (_, invocation) = try run("create", "Letter", "-")
    expect(invocation[SmallTable.contents].map(\.text), is: ["-"])
  }

  @Test func `options may follow operands`() throws {
    let (_, invocation) = try run("create", "Letter", "a.txt", "--file", "b.txt", "c.txt")
    expect(invocation[SmallTable.title], is: "Letter")
    expect(invocation[SmallTable.contents].map(\.text), is: ["a.txt", "c.txt"])
    expect(invocation[SmallTable.file].map(\.text), is: ["b.txt"])
    expect(
      invocation.arguments,
      is: [
        .operand(Array("Letter".utf8)), .operand(Array("a.txt".utf8)),
        .option("file", Array("b.txt".utf8)), .operand(Array("c.txt".utf8)),
      ])
  }

  @Test(arguments: ["-r", "--reverse", "--", "-h", "--help", ""])
  func `the word after an option that is owed a value is the value`(value: String) throws {
    let (_, invocation) = try run("list", "--tag", value)
    expect(invocation[SmallTable.tag], is: [value])
    expect(!invocation[SmallTable.reverse])
  }

  @Test func `an option without its value is an error`() {
    expect(problem(["list", "--limit"]), is: .valueMissing(option: "--limit", value: "N"))
    expect(problem(["list", "-rn"]), is: .valueMissing(option: "-n", value: "N"))
  }

  @Test func `a flag with a value is an error`() {
    expect(problem(["list", "--reverse=yes"]), is: .valueUnwanted(option: "--reverse"))
    expect(problem(["list", "--reverse="]), is: .valueUnwanted(option: "--reverse"))
  }

  @Test func `an option of one value given twice is an error`() {
    expect(problem(["list", "-n5", "--limit", "5"]), is: .givenTwice(option: "--limit"))
    expect(
      problem(["--store", "a", "list", "--store", "b"]), is: .givenTwice(option: "--store"))
  }

  @Test func `a repeatable option keeps the order, and a flag may be repeated`() throws {
    let (_, invocation) = try run("list", "-tb", "--tag=a", "-t", "c", "-r", "-r")
    expect(invocation[SmallTable.tag], is: ["b", "a", "c"])
    expect(invocation[SmallTable.reverse])
  }

  @Test func `nothing is abbreviated`() {
    expect(
      problem(["list", "--rev"]),
      is: .unknownOption("--rev", command: "list", suggestion: "--reverse"))
    expect(problem(["lis"]), is: .unknownCommand("lis", noun: nil, suggestion: "list"))
  }

  @Test func `what is unknown is an error that names the nearest`() {
    expect(problem(["lsit"]), is: .unknownCommand("lsit", noun: nil, suggestion: "list"))
    expect(problem(["evnt", "add"]), is: .unknownCommand("evnt", noun: nil, suggestion: "event"))
    expect(problem(["event", "ad"]), is: .unknownCommand("ad", noun: "event", suggestion: "add"))
    expect(problem(["zzz"]), is: .unknownCommand("zzz", noun: nil, suggestion: nil))
    expect(
      problem(["list", "--lmit", "3"]),
      is: .unknownOption("--lmit", command: "list", suggestion: "--limit"))
    expect(
      problem(["list", "-x"]), is: .unknownOption("-x", command: "list", suggestion: nil))
    expect(
      problem(["list", "--sort", "tilte"]),
      is: .wrongValue(
        option: "--sort", value: "tilte", problem: .notAChoice(["unlock", "title", "created"])))
  }

  @Test(arguments: ["0", "-1", "x", "", "1.5", "+3", "99999999999999999999", " 3", "٣"])
  func `a number out of its range is an error`(value: String) {
    expect(
      problem(["list", "--limit", value]),
      is: .wrongValue(
        option: "--limit", value: value, problem: .notInteger(minimum: 1, maximum: nil)))
  }

  @Test func `operands are counted`() {
    expect(problem(["create"]), is: .operandMissing("TITLE", command: "create"))
    expect(problem(["delete"]), is: .operandMissing("REF", command: "delete"))
    expect(problem(["move", "a"]), is: .operandMissing("TARGET", command: "move"))
    expect(problem(["list", "x"]), is: .operandUnwanted("x", command: "list"))
    expect(
      problem(["event", "add", "a", "b", "c"]), is: .operandUnwanted("c", command: "event add"))
    expect(problem(["delete", ""]), is: .wrongOperand("", name: "REF", problem: .empty))
  }

  @Test func `repeated operands leave what the later ones need`() throws {
    let (_, invocation) = try run("move", "a", "b", "c")
    expect(invocation[SmallTable.refs], is: ["a", "b"])
    expect(invocation[SmallTable.target], is: "c")
  }

  @Test func `an operand that is left out is nil`() throws {
    expect(try run("event", "add", "Birth").invocation[SmallTable.date] == nil)
    try expect(run("event", "add", "Birth", "1 May").invocation[SmallTable.date], is: "1 May")
  }

  @Test func `an option that is left out is nil, or has the value that help says`() throws {
    let (_, invocation) = try run("list")
    expect(invocation[SmallTable.limit] == nil && !invocation.has(SmallTable.limit))
    expect(invocation[GlobalOptions.lockTimeout], is: 10)
    expect(!invocation.has(GlobalOptions.lockTimeout))
    expect(try run("list", "--lock-timeout", "3").invocation[GlobalOptions.lockTimeout], is: 3)
  }

  @Test func `a path is bytes, and a text must be UTF-8`() throws {
    let bytes: [UInt8] = [0x66, 0xff, 0xfe]
    let outcome = try Parser(SmallTable.table)
      .parse([Array("create".utf8), Array("T".utf8), bytes, Array("--file".utf8), bytes])
    guard case .run(_, let invocation) = outcome else {
      Issue.record("not run")
      return
    }
    expect(invocation[SmallTable.contents], is: [FilePath(bytes: bytes)])
    expect(invocation[SmallTable.file], is: [FilePath(bytes: bytes)])
    expect(throws: Fault.self) {
      try Parser(SmallTable.table).parse([Array("create".utf8), bytes])
    }
  }

  @Test func `options of every command may stand before it`() throws {
    let (name, invocation) = try run("-q", "--store", "/s", "--json", "list")
    expect(name, is: "list")
    expect(invocation[GlobalOptions.quiet])
    expect(invocation[GlobalOptions.store], is: FilePath("/s"))
    expect(invocation[GlobalOptions.json])
    expect(try run("event", "-q", "add", "T").invocation[GlobalOptions.quiet])
  }

  @Test func `JSON is an option only where a command declares it`() {
    let unknown = UsageProblem.unknownOption("--json", command: "delete", suggestion: nil)
    expect(problem(["delete", "a", "--json"]), is: unknown)
    expect(problem(["--json", "delete", "a"]), is: unknown)
    expect(
      problem(["list", "--json", "--ndjson"]), is: .contradiction("--json", "--ndjson"))
  }

  @Test func `the version is asked for before a command only`() throws {
    guard case .version = try parse("--version") else {
      Issue.record("not the version")
      return
    }
    expect(problem(["list", "--version"]) != nil)
  }
}

@Suite struct HelpParserTests {
  @Test(arguments: [
    (["-h"], ""), (["--help"], ""), ([], ""), (["-q", "-h"], ""), (["nonsense", "-h"], ""),
    (["--nonsense", "--help"], ""),
    (["list", "-h"], "list"), (["list", "--help"], "list"), (["-h", "list"], ""),
    (["list", "-rh"], "list"), (["list", "--limit", "x", "-h"], "list"),
    (["list", "--bogus", "--help"], "list"), (["create", "-h"], "create"),
    (["create", "a", "b", "--help"], "create"),
    (["event"], "event"), (["event", "-h"], "event"), (["event", "help"], "event"),
    (["event", "nonsense", "-h"], "event"),
    (["event", "add", "-h"], "event add"), (["event", "help", "add"], "event add"),
  ])
  func `help is understood anywhere before two hyphens`(words: [String], subject: String) throws {
    let outcome = try Parser(SmallTable.table).parse(words.map { Array($0.utf8) })
    guard case .help(let found, _) = outcome else {
      Issue.record("\(words) is not help")
      return
    }
    let name =
      switch found {
      case .overview: ""
      case .everything: "everything"
      case .noun(let group): group.noun
      case .command(let command): command.name
      case .topic(let topic): topic.name
      }
    expect(name, is: subject)
  }

  @Test func `help is told in JSON where JSON is asked for`() throws {
    let outcome = try Parser(SmallTable.table)
      .parse(["--json", "event"].map { Array($0.utf8) })
    guard case .help(_, let invocation) = outcome else {
      Issue.record("not help")
      return
    }
    expect(invocation[GlobalOptions.json])
  }

  @Test func `a noun alone may stand for one of its verbs`() throws {
    let table = CommandTable(groups: [
      CommandGroup(
        "Events", noun: "event", summary: "Count down", default: "list", [SmallTable.eventList])
    ])
    let outcome = try Parser(table).parse(["event", "--json"].map { Array($0.utf8) })
    guard case .run(let command, let invocation) = outcome else {
      Issue.record("not run")
      return
    }
    expect(command.name, is: "event list")
    expect(invocation[GlobalOptions.json])
  }

  @Test func `a noun alone takes the options of the verb that it stands for`() throws {
    let option = Parameter.option("key", value: "FILE", .text, "A file")
    @Sendable func made(_ verb: String, _ options: Parameters) -> Command {
      Command(
        "event", verb, summary: "Do it", discussion: "", options: options, examples: [],
        exitCodes: []
      ) { _, _ in .done }
    }
    let table = CommandTable(groups: [
      CommandGroup(
        "Events", noun: "event", summary: "Count down", default: "run",
        [made("run", [option]), made("list", [])])
    ])
    func parse(_ words: String...) throws -> Parser.Outcome {
      try Parser(table).parse(words.map { Array($0.utf8) })
    }
    guard case .run(let command, let invocation) = try parse("event", "--key", "a") else {
      Issue.record("not run")
      return
    }
    expect(command.name, is: "event run")
    expect(invocation[option], is: "a")
    let strange = UsageProblem.unknownOption("--key", command: "event list", suggestion: nil)
    expect {
      try parse("event", "--key", "a", "list")
    } throws: {
      ($0 as? Fault)?.cause as? UsageProblem == strange
    }
    let unknown = UsageProblem.unknownOption("--kee", command: "event run", suggestion: "--key")
    expect {
      try parse("event", "--kee", "a")
    } throws: {
      ($0 as? Fault)?.cause as? UsageProblem == unknown
    }
  }

  @Test(
    arguments: [
      (["list"], ["Things"]), (["event", "add", "x"], ["Events"]),
      (["event", "--help"], ["Events"]),
      (["--version"], []), (["create", "x"], ["Things", "More"]),
    ] as [([String], Set<String>)])
  func `only the groups that a command line may mean are made`(
    words: [String], wanted: Set<String>
  ) throws {
    let made = Mutex<Set<String>>([])
    @Sendable func make(_ title: String, _ commands: [Command]) -> [Command] {
      made.withLock { _ = $0.insert(title) }
      return commands
    }
    @Sendable func topics() -> [HelpTopic] {
      made.withLock { _ = $0.insert("topics") }
      return []
    }
    @Sendable func familiar() -> FamiliarNames {
      made.withLock { _ = $0.insert("familiar") }
      return FamiliarNames()
    }
    let table = CommandTable(
      groups: [
        CommandGroup(
          "Events", noun: "event", summary: "", make("Events", [SmallTable.eventAdd])),
        CommandGroup("Things", make("Things", [SmallTable.list])),
        CommandGroup("More", make("More", [SmallTable.create])),
      ], topics: topics(), familiar: familiar())
    _ = try Parser(table).parse(words.map { Array($0.utf8) })
    expect(made.withLock(\.self), is: wanted)
  }

  @Test func `help behind two hyphens is an operand`() throws {
    try expect(run("create", "--", "-h").name, is: "create")
  }

  @Test func `a title may be the word help`() throws {
    try expect(run("create", "help").name, is: "create")
  }
}
