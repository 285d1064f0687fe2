import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `deliver --mail`, `deliver --eml` and `check --mail`, with programs that stand for sendmail.
@Suite struct MailTests {
  private let home: HostedStore
  private let mailed = Mailed()

  /// The messages that the program got, and how it ends.
  private final class Mailed: Sendable {
    struct Call: Sendable {
      var words: [String]
      var message: String
    }

    private let state = Mutex<(calls: [Call], outcomes: [ProcessOutcome])>(([], []))

    var calls: [Call] { state.withLock { $0.calls } }

    /// Plans the ends of the next runs; those after them are good.
    func plan(_ ends: ProcessOutcome.End..., words: String = "") {
      state.withLock { state in
        state.outcomes = ends.map { ProcessOutcome(end: $0, errorOutput: Array(words.utf8)) }
      }
    }

    func run(_ request: ProcessRequest) -> ProcessOutcome {
      state.withLock { state in
        state.calls.append(
          Call(
            words: request.arguments.map { String(decoding: $0, as: UTF8.self) },
            message: String(decoding: request.input ?? [], as: UTF8.self)))
        return state.outcomes.isEmpty
          ? ProcessOutcome(end: .exited(0)) : state.outcomes.removeFirst()
      }
    }
  }

  /// Mia and Jonas have addresses; a ring is left to Mia.
  init() throws {
    home = try HostedStore()
    try home.done("beneficiary", "add", "Mia", "--email", "mia@example.org")
    try home.done("beneficiary", "add", "Jonas", "--email", "jonas@example.org")
    try home.done("settings", "set", "owner", "Anna Berg")
    try home.done("item", "add", "Ring", "--description", "From 1912")
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "Wear it in good health.")
    try configure("from = anna@example.org")
    let mailed = mailed
    home.process = { request throws(SystemError) in mailed.run(request) }
  }

  private func configure(_ text: String) throws {
    try home.write(text + "\n", as: ".config/capsule/mail")
  }

  private func state(_ reference: String = "Ring") throws -> String? {
    try home.json("bequest", "show", reference)["state"]?.string
  }

  /// Leaves Mia a capsule that is unlocked.
  private func leave(_ title: String, _ contents: String...) throws {
    let words = ["create", title, "--unlock", "2020-01-01", "--allow-past"] + contents
    try home.done(words)
    try home.done("bequeath", title, "--to", "Mia")
  }

  // MARK: The message and the program

  @Test func `the letter goes by itself to the program, and what it holds is marked sent`() throws {
    try leave("Summer", "--text", "We were at the lake.")
    let out = try home.done("deliver", "--mail")
    expect(out.contains("Handed over '2 things for you from Anna Berg', "))
    let call = try require(mailed.calls.first)
    expect(mailed.calls.count, is: 1)
    expect(
      call.words,
      is: [
        "-c", "--", "/usr/sbin/sendmail \"$@\"", "sh", "-i", "-f", "anna@example.org", "--",
        "mia@example.org",
      ])
    for line in [
      "From: Anna Berg <anna@example.org>", "To: Mia <mia@example.org>",
      "Wear it in good health.", "=46rom 1912", "We were at the lake.",
    ] {
      expect(
        call.message.contains("\n\(line)\n") || call.message.hasPrefix("\(line)\n"), "\(line)")
    }
    expect(!call.message.contains("index.html") && !call.message.contains("Files:"))
    try expect([state(), state("Summer")], is: ["sent", "sent"])
    expect(try home.done("deliver", "--mail") == "" && mailed.calls.count == 1)
  }

  @Test func `the Message-ID of a mail is kept with the bequest`() throws {
    let mail = try home.json("deliver", "--mail").array?.first?["mail"]
    let id = try require(mail?["messageID"]?.string)
    expect(mailed.calls[0].message.contains("\nMessage-ID: <\(id)>\n"))
    expect(id.hasSuffix("@example.org") && id.utf8.count == 64 + 12)
    expect(try home.done("bequest", "show", "Ring").contains("Mailed as <\(id)>"))
  }

  @Test func `the configuration names the command, the sender and the address for what comes back`()
    throws
  {
    try configure(
      "# mine\ncommand = msmtp -a home\nfrom = Anna B. <a@example.org>\n\nbounce=b@example.org\n")
    try home.done("deliver", "--mail")
    expect(
      mailed.calls[0].words.dropFirst(2).map { $0 },
      is: [
        "msmtp -a home \"$@\"", "sh", "-i", "-f", "b@example.org", "--", "mia@example.org",
      ])
    expect(mailed.calls[0].message.contains("\nFrom: \"Anna B.\" <a@example.org>\n"))
  }

  @Test(arguments: [
    "", "from =", "form = a@example.org", "from = a@example.org\nfrom = b@example.org",
    "from = anna",
    "from = a@example.org\nlimit = much", "from = a@example.org\nbounce = -x@example.org",
    "from = a@example.org\nowner = a@bücher.example", "just words",
  ])
  func `a configuration that does not say it is refused, and nothing is sent`(text: String) throws {
    try configure(text)
    try home.refusal(.usage, "deliver", "--mail")
    expect(try mailed.calls.isEmpty && state() == "notSent")
  }

  @Test func `a configuration that others can write is refused`() throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o666], ofItemAtPath: home.path + "/.config/capsule/mail")
    try home.refusal(.refused, "deliver", "--mail")
    expect(mailed.calls.isEmpty)
  }

  @Test(arguments: [".config/capsule", ".config"], [0o777, 0o770])
  func `a configuration in a directory that others can write to is refused`(
    directory: String, mode: Int
  ) throws {
    let path = home.path + "/" + directory
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let message = try home.refusal(.refused, "deliver", "--mail")
    expect(message.contains("others can write to '\(path)', which has"), "\(message)")
    expect(mailed.calls.isEmpty)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try home.done("deliver", "--mail")
  }

  @Test func `a configuration that is a link to where others can write is refused`() throws {
    try home.write("from = anna@example.org\n", as: "open/below/mail")
    let file = home.path + "/.config/capsule/mail"
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(
      atPath: file, withDestinationPath: home.path + "/open/below/mail")
    func open(_ mode: Int) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: home.path + "/open")
    }
    try open(0o777)
    try home.refusal(.refused, "deliver", "--mail")
    expect(mailed.calls.isEmpty)
    // Nobody can rename what is another's in a directory like `/tmp`.
    try open(0o1777)
    try home.done("deliver", "--mail")
  }

  @Test func `a directory of the configuration that leads through an open one is refused`() throws {
    try home.write("from = anna@example.org\n", as: "open/config/capsule/mail")
    try home.remove(".config")
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/.config", withDestinationPath: "open/config")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: home.path + "/open")
    try home.refusal(.refused, "deliver", "--mail")
    expect(mailed.calls.isEmpty)
  }

  @Test(arguments: ["-oQ/tmp@example.org", "|sh@example.org", "/tmp/x@example.org"])
  func `a record's address that a mail program could take for something else gets no mail`(
    address: String
  ) throws {
    let id = try require(try home.json("beneficiary", "show", "Mia")["id"]?.string)
    let path = try home.record(id)
    var fields = try require(try JSON.parse(home.bytes(of: path)).object)
    fields["email"] = .string(address)
    try home.write(RecordFile.encode(fields), as: path)
    let run = try home.run("deliver", "--mail")
    expect(
      run.code == .refused && run.err.contains("'\(address)', the address of 'Mia'"), "\(run.err)")
    expect(try mailed.calls.isEmpty && state() == "notSent")
    try home.done("beneficiary", "edit", "Mia", "--notes", "still editable")
  }

  @Test func `a dry run says who would get what, and neither sends nor marks`() throws {
    let out = try home.done("deliver", "--mail", "--dry-run")
    expect(out.contains("'Mia' <mia@example.org> would receive 'Ring', "))
    expect(out.contains("  the letter  text/plain, "))
    expect(try mailed.calls.isEmpty && state() == "notSent")
  }

  // MARK: What fails

  @Test(arguments: [65, 69, 75, 1, 127] as [Int32])
  func `what the program does not take is told with its words, not marked, and tried again`(
    code: Int32
  ) throws {
    mailed.plan(.exited(code), words: "noise\nmsmtp: the server said \u{1b}[31mno\n")
    let said = try home.run("deliver", "--mail")
    expect(said.code == .partial && said.err.contains("ended with \(code)"), "\(said.err)")
    expect(said.err.contains("msmtp: the server said ") && !said.err.contains("\u{1b}"))
    expect(said.err.contains(code == 127 ? "install msmtp" : "tried again at the next run"))
    try expect(state(), is: "notSent")
    try home.done("deliver", "--mail")
    expect(try state() == "sent" && mailed.calls.count == 2)
  }

  @Test(arguments: [ProcessOutcome.End.timedOut, .signalled(9), .exited(137)])
  func `what was cut short goes again with the same Message-ID, and that is said`(
    end: ProcessOutcome.End
  ) throws {
    mailed.plan(end)
    try expect(home.run("deliver", "--mail").code, is: .partial)
    try expect(state(), is: "notSent")
    let again = try home.run("deliver", "--mail")
    expect(again.code == .ok && again.err.contains("may have been handed over"), "\(again.err)")
    func id(_ call: Int) -> String? {
      mailed.calls[call].message.parts(at: "\n").first { $0.hasPrefix("Message-ID") }
    }
    expect(try id(0) != nil && id(0) == id(1) && state() == "sent")
  }

  @Test func `a repeat that is refused leaves open whether the first one left`() throws {
    mailed.plan(.timedOut, .exited(75))
    try expect(home.run("deliver", "--mail").code, is: .partial)
    try expect(home.run("deliver", "--mail").code, is: .partial)
    let last = try home.run("deliver", "--mail")
    expect(last.code == .ok && last.err.contains("may have been handed over"), "\(last.err)")
    let ids = mailed.calls.map { call in
      call.message.parts(at: "\n").first { $0.hasPrefix("Message-ID") }
    }
    expect(ids.count == 3 && Set(ids).count == 1, "\(ids)")
  }

  @Test func `of two messages to one person each has its own end`() throws {
    mailed.plan(.timedOut)
    try expect(home.run("deliver", "--mail").code, is: .partial)
    try home.done("item", "add", "Piano")
    try home.done("bequeath", "Piano", "--to", "Mia")
    mailed.plan(.exited(75))
    let answer = try home.run("deliver", "--mail", "--json")
    let rows = try require(JSON.parse(Array(answer.out.utf8)).array)
    expect(rows.map { $0["state"]?.string }, is: ["failed", "sent"])
    expect(rows[0]["error"]?["kind"] == "partial" && rows[1]["error"] == .null)
  }

  @Test(arguments: ["--output", "--eml"])
  func `what is in the clear lies in no store and in no carrier`(option: String) throws {
    try home.write("secret", as: "p")
    try home.done(
      "sync", "add", "stick", home.path + "/stick", "--passphrase-file", home.path + "/p")
    for place in [home.store + "/items", home.path + "/stick", home.path + "/stick/new"] {
      let message = try home.refusal(.refused, "deliver", option, place)
      let root = place.hasPrefix(home.store) ? home.store : home.path + "/stick"
      expect(message.contains("lies in a store or a carrier, '\(root)'"), "\(message)")
    }
    // A file of this name is no store by itself.
    try home.write("{}", as: "other/store.json")
    try home.done("deliver", option, home.path + "/other")
  }

  @Test
  func `other words after a try that was cut short have another Message-ID, and that is said`()
    throws
  {
    mailed.plan(.timedOut)
    try expect(home.run("deliver", "--mail").code, is: .partial)
    try home.done("bequest", "edit", "Ring", "--message", "Wear it, or keep it.")
    let again = try home.run("deliver", "--mail", "--json")
    expect(again.err.contains("with other words may have been handed over"), "\(again.err)")
    func id(_ call: Int) -> String? {
      mailed.calls[call].message.parts(at: "\n").first { $0.hasPrefix("Message-ID") }
    }
    expect(try id(0) != nil && id(1) != nil && id(0) != id(1) && state() == "sent")
    expect(mailed.calls[1].message.contains("Wear it, or keep it."))
  }

  @Test func `one person's failure holds nobody else up, and ends with 3`() throws {
    try home.done("item", "add", "House")
    try home.done("bequeath", "House", "--to", "Jonas")
    mailed.plan(.exited(75))
    let run = try home.run("deliver", "--mail")
    expect(run.code == .partial && mailed.calls.count == 2)
    try expect([state(), state("House")], is: ["notSent", "sent"])
  }

  @Test func `who has no address, or none that can be mailed to, gets none and is named`() throws {
    try home.done("beneficiary", "edit", "Mia", "--email", "")
    expect(try home.refusal(.refused, "deliver", "Mia", "--mail").contains("no email address"))
    for address in ["\"Mia\"@example.org", "mia@bücher.example", "<mia@example.org>"] {
      try home.done("beneficiary", "edit", "Mia", "--email", address)
      let run = try home.run("deliver", "Mia", "--mail")
      expect(
        run.code == .refused && run.err.contains("none that mail can be sent to"), "\(address)")
    }
    expect(mailed.calls.isEmpty)
  }

  @Test func `what is taken back while others are mailed does not go, and that is said`() throws {
    try home.done("item", "add", "House")
    let bequest = try require(home.json("bequeath", "House", "--to", "Jonas")["id"]?.string)
    let (store, mailed) = (home.store, mailed)
    home.process = { request throws(SystemError) in
      let store = try? Store.open(directory: store, creating: false, clock: .system)
      if let id = RecordID(bequest) { _ = try? store?.mark(id, as: .revoked) }
      return mailed.run(request)
    }
    let run = try home.run("deliver", "--mail")
    expect(run.code == .partial && mailed.calls.count == 1, "\(run.err)")
    expect(
      run.err.contains(
        "nothing was handed over to 'Jonas': the bequest of 'House' was changed meanwhile"))
    try expect([state(), state("House")], is: ["sent", "revoked"])
  }

  // MARK: Files

  @Test
  func `a capsule with files is left out of a letter, and named with the ways that there are`()
    throws
  {
    try leave("Film", try home.write([0, 1, 2], as: "film.bin"))
    let run = try home.run("deliver", "--mail")
    expect(run.code == .partial && run.err.contains("'Film' is not mailed to 'Mia'"), "\(run.err)")
    expect(run.err.contains("'film.bin'") && run.err.contains("--attach-in-the-clear"))
    try expect([state(), state("Film")], is: ["sent", "notSent"])
  }

  @Test func `files are attached in the clear only where that is asked for`() throws {
    try leave("Film", try home.write(Array("bytes".utf8) + [0], as: "film.bin"))
    try home.done("deliver", "--mail", "--attach-in-the-clear")
    let message = mailed.calls[0].message
    expect(message.contains("filename=\"film.bin\"") && message.contains("\nYnl0ZXMA\n"))
    expect(message.contains("Attached:") && !message.contains("Not in this mail"))
    try expect([state(), state("Film")], is: ["sent", "sent"])
  }

  @Test func `a letter names the pictures of an item that do not go with it`() throws {
    try home.done("item", "attach", "Ring", try home.write([0, 1], as: "ring.bin"))
    try home.done("deliver", "--mail")
    expect(mailed.calls[0].message.contains("Not in this mail:\n  ring.bin\n"))
    try expect(state(), is: "sent")
  }

  @Test(arguments: [[], ["--attach-in-the-clear"]])
  func `the text of an item's papers stands in no letter`(words: [String]) throws {
    let paper = try home.write(Array("combination 12-34-56\n".utf8), as: "safe.txt")
    try home.done("item", "attach", "Ring", paper)
    try home.done(["deliver", "--mail"] + words)
    let message = mailed.calls[0].message
    expect(!message.contains("combination"))
    expect(
      message.contains(
        words.isEmpty ? "Not in this mail:\n  safe.txt\n" : "Attached:\n  safe.txt\n"))
  }

  @Test func `what is over the limit is left out and named`() throws {
    try configure("from = anna@example.org\nlimit = 20 KiB")
    let large = try home.write([UInt8](repeating: 7, count: 30_000), as: "large.bin")
    try home.done("item", "attach", "Ring", large)
    try leave("Film", large)
    let run = try home.run("deliver", "--mail", "--attach-in-the-clear")
    expect(run.code == .partial && run.err.contains("goes without 'large.bin'"), "\(run.err)")
    expect(run.err.contains("'Film' is not mailed to 'Mia'"))
    expect(mailed.calls.count == 1 && mailed.calls[0].message.utf8.count < 20 << 10)
    try expect([state(), state("Film")], is: ["sent", "notSent"])
  }

  @Test func `sealed mail says nothing of what is in it`() throws {
    expect(try home.refusal(.refused, "deliver", "--mail", "--seal").contains("no age recipient"))
    let key = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    try home.done("beneficiary", "edit", "Mia", "--recipient", key)
    try home.done("deliver", "--mail", "--seal")
    let message = mailed.calls[0].message
    expect(message.contains("filename=\"Mia.tar.age\"") && !message.contains("Ring"))
    expect(message.contains("Subject: Something for you from Anna Berg\n"))
  }

  @Test(arguments: [
    ["--mail", "--output", "x"], ["--mail", "--eml", "x"], ["--attach-in-the-clear", "-o", "x"],
    ["--mail", "--seal", "--attach-in-the-clear"],
  ])
  func `words that do not go together are refused`(words: [String]) throws {
    try home.refusal(.usage, ["deliver"] + words)
  }

  // MARK: Files of mail

  @Test func `files of mail are made whole, and nothing that exists is overwritten`() throws {
    let folder = home.path + "/mail"
    try home.done("deliver", "--eml", folder)
    expect(home.files(below: "mail"), is: ["Mia.eml"])
    let bytes = try home.bytes(of: "mail/Mia.eml")
    expect(bytes.starts(with: "Date: ".utf8) && bytes.suffix(2).elementsEqual([0x0d, 0x0a]))
    expect(try mailed.calls.isEmpty && state() == "notSent")
    try home.refusal(.refused, "deliver", "--eml", folder)
    try home.done("deliver", "--eml", folder + "2", "--mark-sent")
    try expect(state(), is: "sent")
  }

  // MARK: What is due

  @Test func `what is due goes to the owner in one message, once`() throws {
    try configure("from = anna@example.org\nowner = me@example.org")
    try home.done("check")
    try home.done("event", "add", "Dentist", "--on", "2026-03-11", "--alert", "on the day")
    try home.done("event", "add", "Passport", "--on", "2026-03-11", "--alert", "on the day")
    home.now = "2026-03-11T12:00:00Z"
    mailed.plan(.exited(75))
    try expect(home.run("check", "--mail").code, is: .partial)
    try home.done("check", "--mail")
    expect(mailed.calls.count, is: 2)
    let call = mailed.calls[1]
    expect(call.words.last, is: "me@example.org")
    expect(call.message.contains("Subject: 2 things are due\n"))
    expect(call.message.contains("'Dentist'") && call.message.contains("'Passport'"))
    expect(try home.done("check", "--mail") == "" && mailed.calls.count == 2)
  }

  @Test func `a witness of the switch gets a message of their own`() throws {
    try home.done("beneficiary", "add", "Wim", "--email", "wim@example.org")
    try home.done(
      "switch", "set", "--every", "10 days", "--warn", "5 days", "--grace", "10 days", "--witness",
      "Wim")
    try home.done("check", "--mail")
    for day in ["2026-03-21", "2026-03-26", "2026-04-01", "2026-04-08"] {
      home.now = day + "T12:00:00Z"
      _ = try home.run("check", "--mail")
    }
    let witness = mailed.calls.filter { $0.words.last == "wim@example.org" }
    expect(!witness.isEmpty)
    expect(witness.allSatisfy { $0.message.contains("To: Wim <wim@example.org>") })
    expect(mailed.calls.contains { $0.words.last == "anna@example.org" })
  }

  @Test func `a warning that comes again for a new grace has another Message-ID, a retry has not`()
    throws
  {
    try home.done("beneficiary", "add", "Wim", "--email", "wim@example.org")
    try home.done(
      "switch", "set", "--every", "10 days", "--warn", "5 days", "--grace", "10 days", "--witness",
      "Wim")
    // The first try is not taken. Then the machine sleeps through the grace, and warns anew.
    for (day, end) in [
      ("2026-03-25", .exited(75)), ("2026-03-26", .exited(0)), ("2026-04-20", .exited(75)),
      ("2026-04-21", .exited(0)), ("2026-05-20", .exited(0)),
    ] as [(String, ProcessOutcome.End)] {
      home.now = day + "T12:00:00Z"
      mailed.plan(end)
      _ = try home.run("check", "--mail")
    }
    let warnings = mailed.calls.filter { $0.message.contains("Subject: Check in, or others") }
    let ids = warnings.map { warning in
      warning.message.parts(at: "\n").first { $0.hasPrefix("Message-ID") } ?? ""
    }
    try require(ids.count == 5)
    expect(ids[0] == ids[1] && ids[2] == ids[3])
    expect(Set(ids).count, is: 3)
  }
}

/// Mail with real programs in the place of sendmail.
@Suite struct MailProgramTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done("beneficiary", "add", "Mia", "--email", "mia@example.org")
    try home.done("item", "add", "Ring")
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "Für dich.\n.\nFrom me\n")
  }

  private func configure(_ command: String) throws {
    try home.write(
      "command = \(command)\nfrom = Anna <anna@example.org>\n", as: ".config/capsule/mail")
  }

  @Test func `the program gets the words as words, whatever they hold`() throws {
    try home.writeProgram(
      "post", "printf '%s\\n' \"$@\" > \"$HOME/words\"; cat > \"$HOME/message\"")
    try configure("\"$HOME/bin/post\"")
    try home.done(
      "beneficiary", "edit", "Mia", "--email", "m'|x`y`$z@example.org", "--name", "M\"<$HOME>")
    try home.done("deliver", "--mail")
    try expect(home.text(of: "words"), is: "-i\n-f\nanna@example.org\n--\nm'|x`y`$z@example.org\n")
  }

  @Test func `a program that is missing is named, with what to install`() throws {
    try configure("nothing-of-this-name")
    let run = try home.run("deliver", "--mail")
    expect(run.end == .exited(3) && run.err.contains("ended with 127"), "\(run.err)")
    expect(run.err.contains("install msmtp"))
  }

  @Test func `a program that hangs is ended with all that it started`() throws {
    try configure("sleep 60 & sleep 60 #")
    let run = try home.run("deliver", "--mail", "--time-limit", "1")
    expect(run.end == .exited(3) && run.err.contains("took longer than 1 second"), "\(run.err)")
    try expect(home.json("bequest", "show", "Ring")["state"]?.string, is: "notSent")
  }

  @Test func `killed after the program took it, it goes again with the same Message-ID`() throws {
    try configure("cat > \"$HOME/first\"; kill -9 $PPID; sleep 60 #")
    expect(try home.run("deliver", "--mail").end != .exited(0))
    try configure("cat > \"$HOME/second\" #")
    let again = try home.run("deliver", "--mail")
    expect(again.end == .exited(0) && again.err.contains("same Message-ID"), "\(again.err)")
    func id(_ name: String) throws -> String? {
      try home.text(of: name).parts(at: "\n").first { $0.hasPrefix("Message-ID") }
    }
    expect(try id("first") != nil && id("first") == id("second"))
  }

  @Test func `a program may write without end, or read nothing of a long message`() throws {
    try home.write([UInt8](repeating: 65, count: 300_000), as: "text.txt")
    try home.done("item", "attach", "Ring", home.path + "/text.txt")
    try configure("{ yes no | head -c 3000000 >&2; exit 1; } #")
    let run = try home.run("deliver", "--mail", "--attach-in-the-clear")
    expect(run.end == .exited(3) && run.err.utf8.count < 2_000)
    try configure("true #")
    try home.done("deliver", "--mail", "--attach-in-the-clear")
  }

  @Test(.enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"))
  func `a message is read without a defect, and says what was written`() throws {
    try configure("cat > \"$HOME/message\" #")
    let name = "Mütze – " + String(repeating: "ы", count: 60) + ".txt"
    try home.write("Words \u{600}| of a file\n", as: name)
    try home.done(
      "create", "Größe\u{600}|", "--unlock", "2020-01-01", "--allow-past", home.path + "/" + name)
    try home.done("bequeath", "Größe\u{600}|", "--to", "Mia")
    try home.done("deliver", "--mail", "--attach-in-the-clear")
    let script = """
      import email, email.policy, sys
      message = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
      parts = list(message.walk())
      assert not any(part.defects for part in parts)
      assert not any(message[name].defects for name in ("date", "from", "to", "subject", "message-id"))
      text = message.get_body().get_content().replace("\\r\\n", "\\n")
      assert "Für dich.\\n.\\nFrom me\\n" in text, text
      assert "Words \\u0600| of a file\\n" in text, text
      [file] = list(message.iter_attachments())
      assert file.get_payload(decode=True) == "Words \\u0600| of a file\\n".encode()
      print(file.get_filename())
      """
    let result = try Python.run(["-c", script], input: try home.bytes(of: "message"))
    expect(result.end, is: .exited(0), "\(result.err)")
    expect(result.out.contains("Mütze – ы"))
  }
}
