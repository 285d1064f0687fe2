import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What a refusal offers instead of a command, an option or a name that is not there.
@Suite struct SuggestionTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-10T09:00:00Z", zone: "Europe/Paris")
  }

  /// The names that a list of names has besides.
  private static let familiar = FamiliarNames.capsule

  @Test func `every familiar name stands for a command, a verb or an option that there is`() {
    let table = CommandTable.capsule
    for name in Self.familiar.commands.words.keys {
      let path = name.split(separator: " ").map(String.init)
      expect(table.command(path) != nil || table.noun(name) != nil, "\(name)")
    }
    let verbs = Set(table.commands.compactMap { $0.path.count > 1 ? $0.path[1] : nil })
    expect(Set(Self.familiar.verbs.words.keys).subtracting(verbs), is: [])
    let options = Set(table.commands.flatMap { $0.allOptions.map(\.name) })
    expect(Set(Self.familiar.options.words.keys).subtracting(options), is: [])
  }

  @Test func `a name that is taken is not a name here, and is taken for a command that there is`() {
    let table = CommandTable.capsule
    for (name, words) in Self.familiar.taken.words {
      let path = name.split(separator: " ").map(String.init)
      expect(table.command(path) != nil || table.noun(name) != nil, "\(name)")
      for word in words {
        let typed = word.split(separator: " ").map(String.init)
        expect(table.command(typed) == nil && table.noun(word) == nil, "\(word)")
        expect(table.realName(of: typed), is: path, "\(word)")
      }
    }
    for (verb, words) in Self.familiar.takenVerbs.words {
      for command in table.commands where command.path.count == 2 {
        expect(!words.contains(command.path[1]), "\(command.name) for \(verb)")
      }
    }
  }

  @Test func `no familiar name of a command is a command, and none stands for two`() {
    let words = Self.familiar.commands.words.values.flatMap(\.self)
    expect(Set(words).count, is: words.count)
    expect(Set(words).intersection(CommandTable.capsule.firstWords), is: [])
  }

  @Test(arguments: [
    ("remove", "delete"), ("People", "beneficiary"), ("events", "event"), ("encrypt", "seal"),
    ("lst", "list"), ("unlog", "item unlog"), ("compl", "completions"),
  ])
  func `a command that other programs have points to the one here`(word: String, name: String)
    throws
  {
    expect(try home.refusal(.usage, word).contains("did you mean '\(name)'?"))
  }

  @Test(arguments: [
    ("item", "remove", "delete"), ("event", "all", "list"), ("beneficiary", "create", "add"),
    ("item", "dellete", "delete"),
    ("event", "export", "export ics"), ("bequest", "add", "bequeath"), ("trustees", "add", "make"),
    ("switch", "on", "set"), ("import", "people.vcf", "beneficiary import"),
    ("import", "2026.days.ics", "event import"), ("sync", "nas", "sync run nas"),
    ("item", "reset", "item log"),
  ])
  func `a verb that other programs have points to the noun's own`(
    noun: String, word: String, verb: String
  ) throws {
    expect(try home.refusal(.usage, noun, word).contains("did you mean '\(verb)'?"))
  }

  @Test(arguments: [
    (["create", "A", "--on", "2040"], "--unlock"), (["create", "A", "--date", "2040"], "--unlock"),
    (["create", "A", "--at=2040"], "--unlock"), (["event", "add", "A", "--date", "x"], "--on"),
    (["item", "log", "A", "--date", "x"], "--when"),
    (["item", "add", "A", "--worth", "1"], "--value"),
    (["bequeath", "A", "--for", "Mia"], "--to"), (["list", "--lmit", "1"], "--limit"),
    (["create", "A", "--password"], "--passphrase"),
  ])
  func `an option that other programs have points to the one here`(
    words: [String], option: String
  ) throws {
    expect(try home.refusal(.usage, words).contains("did you mean '\(option)'?"))
  }

  @Test func `a colour for the colours of the output is meant for the title`() throws {
    let text = try home.refusal(
      .usage, "event", "add", "Launch", "--on", "2027-01-01", "--color", "red")
    expect(text.contains("did you mean '--text-color red'?"), "\(text)")
    let other = try home.refusal(.usage, "list", "--color", "alway")
    expect(other.contains("did you mean 'always'?"), "\(other)")
  }

  @Test(arguments: [
    ("to mia at 81", "did you mean 'To Mia at 18'?"),
    ("Quux", "search all texts: capsule search Quux"),
  ])
  func `a title that none has offers those that are near`(word: String, hint: String) throws {
    try home.create("To Mia at 18", "--unlock", "2044")
    try home.create("Letter from Berlin", "--unlock", "2044")
    let text = try home.refusal(.notFound, "show", word)
    expect(text.contains(hint), "\(text)")
  }

  @Test func `a near title is in the JSON of the error`() throws {
    let id = try home.create("To Mia at 18", "--unlock", "2044")
    let run = try home.run("open", "To Mi", "--json")
    let error = try run.errorJSON()["error"]
    expect(error?["near"]?.array?.first?["id"]?.string, is: id)
  }

  @Test(arguments: [
    (["delete", "Trip", "--yes"], "it is an event: capsule event delete Trip"),
    (["open", "Trip"], "it is an event: capsule event show Trip"),
    (
      ["edit", "My ring", "--title", "x"],
      "it is an item: capsule item edit 'My ring'"
    ),
    (["event", "show", "Box"], "it is a capsule: capsule show Box"),
  ])
  func `a name that something of another kind has points to the command for that`(
    words: [String], hint: String
  ) throws {
    try home.done("event", "add", "Trip", "--on", "2027-01-01")
    try home.done("item", "add", "My ring")
    try home.create("Box", "--unlock", "2044")
    expect(try home.refusal(.notFound, words).contains(hint))
  }

  @Test func `a name that means several lists each with its kind, date and id`() throws {
    let first = try home.create("Trip", "--unlock", "2044-06-15 09:00")
    let second = try home.create("Trip", "--unlock", "2045")
    let lines = try home.refusal(.notFound, "show", "trip").split(separator: "\n").map(String.init)
    expect(lines.first, is: "capsule: error: several records match 'trip'")
    expect(
      Set(lines.dropFirst().prefix(2)),
      is: [
        "  capsule  'Trip'  Wed 15 Jun 2044 09:00 CEST  \(first)",
        "  capsule  'Trip'  Sun 1 Jan 2045 00:00 CET    \(second)",
      ])
    expect(lines.last, is: "capsule: hint: use an id, or the start of one")
  }

  @Test(arguments: [
    ("plain", "plain"), ("To Mia", "'To Mia'"), ("It's", #"'It'\''s'"#), ("", "''"),
    ("-x", "-- '-x'"), ("$HOME", "'$HOME'"), ("über", "'über'"),
  ])
  func `a word of a command line to copy is one word of the shell`(word: String, text: String) {
    expect(word.shellWord, is: text)
  }
}
