import CapsuleCore
import Testing

@Suite struct CheckTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  /// Some capsules that became unlocked since the machine first used the store.
  private func due(_ titles: String...) throws {
    for title in titles { try home.create(title, "--unlock", "in 1 second", "--text", "t") }
    try home.shell("sleep 1.3")
  }

  @Test func `each thing is announced once, and silence is all that follows`() throws {
    try due("One", "Two")
    let first = try home.run("check")
    #expect(first.end == .exited(0))
    #expect(first.out.split(separator: "\n").count == 2)
    let second = try home.run("check")
    #expect(second.end == .exited(0))
    #expect(second.out + second.err == "")
    #expect(try home.run("check", "--exit-code").end == .exited(1))
  }

  @Test func `checks at the same time announce each thing once`() throws {
    try due("A", "B", "C")
    let result = try home.shell(
      "for i in 1 2 3 4 5 6 7 8; do $capsule check & done; wait")
    #expect(result.out.split(separator: "\n").count == 3)
  }

  @Test func `what was due before the first use is one line`() throws {
    try home.createUnlocked("Old 1", "--text", "t")
    try home.createUnlocked("Old 2", "--text", "t")
    try home.shell("rm -rf .local/state")
    let first = try home.run("check")
    #expect(first.out.hasPrefix("2 were due already"))
    #expect(try home.run("check").out == "")
  }

  @Test func `a command that fails is tried again, and only success counts`() throws {
    try due("Try")
    #expect(try home.run("check", "--exec", "exit 7").end == .exited(3))
    #expect(try home.run("check", "--exec", "kill -9 $$").end == .exited(3))
    #expect(try home.run("check", "--exec", "sleep 30", "--time-limit", "1").end == .exited(3))
    let done = try home.run(
      "check", "--exec", "echo \"$CAPSULE_TITLE $CAPSULE_KIND\"; jq -r .title")
    #expect(done.end == .exited(0))
    #expect(done.out.hasPrefix("Try capsule\nTry\n"))
    #expect(try home.run("check", "--exec", "echo again").out == "")
  }

  @Test func `what could not be told is not counted as told`() throws {
    try due("Full")
    #expect(try home.shell("$capsule check > /dev/full").end == .exited(10))
    #expect(try home.run("check").out.contains("Full"))
  }

  @Test func `simulated time is for dry runs only, and keeps nothing`() throws {
    try home.create("Far", "--unlock", "2090-01-01", "--text", "t")
    #expect(try home.run("check", "--at", "2091-01-01").end == .exited(2))
    let dry = try home.run("check", "--dry-run", "--at", "2091-01-01", "--json")
    #expect(try dry.json().array?.first?["title"] == "Far")
    #expect(try home.run("check", "--dry-run", "--json").out == "[]\n")
    #expect(try home.run("open", "Far").end == .exited(4))
  }

  @Test func `a torn or forged line of the ledger is no announcement`() throws {
    try due("Line")
    try home.run("check")
    try home.shell(
      "f=$(find .local/state -name announced); sed -i 's/unlock 1/unlock 2/' \"$f\"; "
        + "printf 'capsule torn' >> \"$f\"")
    #expect(try home.run("check").out.contains("Line"))
    #expect(try home.run("check").out == "")
  }
}
