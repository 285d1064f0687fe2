import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Mail to an address that no command takes; the transcripts `mail*.txt` tell the rest.
@Suite struct MailTests {
  @Test(arguments: ["-oQ/tmp@example.org", "|sh@example.org", "/tmp/x@example.org"])
  func `a record's address that a mail program could take for something else gets no mail`(
    address: String
  ) throws {
    let home = try HostedStore()
    let id = try require(try home.json("beneficiary", "add", "Mia")["id"]?.string)
    try home.done("item", "add", "Ring")
    try home.done("bequeath", "--access", "immediate", "Ring", "--to", "Mia")
    try home.write("from = anna@example.org\n", as: ".config/capsule/mail")
    // No program may be run here.
    try home.tamper(id) { $0["email"] = .string(address) }
    let refusal = try home.refusal(.refused, "deliver", "--mail")
    expect(refusal.contains("invalid email address of 'Mia': '\(address)'"))
    try expect(home.json("bequest", "show", "Ring")["state"], is: "notSent")
    try home.done("beneficiary", "edit", "Mia", "--notes", "still editable")
  }
}

/// Mail with real programs in the place of sendmail.
@Suite struct MailProgramTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done("beneficiary", "add", "Mia", "--email", "mia@example.org")
    try home.done("item", "add", "Ring")
    try home.done(
      "bequeath", "--access", "immediate", "Ring", "--to", "Mia", "--message",
      "Für dich.\n.\nFrom me\n")
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
    expect(run.end == .exited(3) && run.err.contains("exited with status 127"), "\(run.err)")
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
    try home.done("bequeath", "--access", "immediate", "Größe\u{600}|", "--to", "Mia")
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
