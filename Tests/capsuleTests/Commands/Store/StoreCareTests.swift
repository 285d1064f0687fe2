import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `verify` in parts, what is remembered of it, and `backup`, as a person sees them.
@Suite struct StoreCareTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private var generations: String { home.path + "/generations" }

  private func lose(_ id: String) throws {
    try home.remove(try home.record(id))
  }

  @Test func `a verification in parts says that it came to the end, and when that was`() throws {
    try home.create("A", "-u", "2090", "--text", "t")
    expect(try home.done("verify", "--status").contains("Verified   never on this machine"))
    expect(try home.done("verify", "--budget", "1 hour").contains("the last part of the store"))
    expect(try !home.done("verify", "--status").contains("Verified   never"))
    let status = try home.json("verify", "--status")
    expect(status["isSound"] == true && status["verifiedAt"]?.string != nil)
    expect(status["progress"] == .null && status["isBackupDue"] == false)
  }

  @Test(arguments: ["", "5", "soon", "0 min", "1 month", "1 day", "-1h"])
  func `a budget is a time that a command may take`(text: String) throws {
    try home.create("A", "-u", "2090")
    try home.refusal(.usage, "verify", "--budget", text)
  }

  @Test func `options that say opposite things are refused`() throws {
    try home.refusal(.usage, "verify", "--quick", "--budget", "1m")
    try home.refusal(.usage, "verify", "--quick", "--status")
    try home.refusal(.usage, "verify", "--budget", "1 min", "--status")
  }

  @Test func `lists and checks say what the last verification found, until it is mended`() throws {
    let id = try home.create("Gone", "-u", "2090", "--text", "t")
    try home.done("check")
    try lose(id)
    try expect(home.run("verify").code, is: .damaged)
    expect(
      try home.run("list").err.contains("the last verification found 1 damaged or missing file"))
    expect(try home.run("event", "list").err.contains("the last verification found 1"))
    expect(try home.run("check").err.contains("the last verification found 1"))
    expect(try home.run("check").err.isEmpty)
    let status = try home.run("verify", "--status", "--json")
    expect(status.code, is: .damaged)
    try expect(status.json()["findings"]?.array?.first?["id"], is: .string(id))
    try home.done("repair")
    expect(try home.run("list").err.isEmpty)
    try expect(home.run("verify", "--status").code, is: .ok)
  }

  @Test func `a check asks for care once in thirty days, and stays silent where it is told to`()
    throws
  {
    try home.create("A", "-u", "2090", "--text", "t")
    expect(try home.run("check").err.isEmpty)
    try home.pass(seconds: 91 * 86_400)
    let reminded = try home.run("check")
    expect(reminded.code == .ok && reminded.out.isEmpty)
    expect(reminded.err.contains("was not verified") && reminded.err.contains("'capsule backup'"))
    expect(try home.run("check").err.isEmpty)
    try home.done("settings", "set", "backupEvery", "never")
    try home.done("verify")
    try home.pass(seconds: 31 * 86_400)
    expect(try home.run("check").err.isEmpty)
  }

  @Test func `a dry run of a backup writes nothing, and says what would be done`() throws {
    try home.create("A", "-u", "2090", "--text", "t")
    let before = home.files(below: "")
    let report = try home.json("backup", generations, "--keep", "1", "--dry-run")
    expect(report["isDryRun"] == true && report["records"] == 1 && report["removed"] == [])
    expect(home.files(below: ""), is: before)
    try home.done("backup", generations)
    try home.pass(seconds: 60)
    let second = try home.json("backup", generations, "--keep", "1", "--dry-run")
    expect(second["removed"]?.array?.count, is: 1)
    expect(second["generations"]?.array?.count, is: 1)
    let path = try require(report["path"]?.string)
    expect(path.hasPrefix(generations + "/"))
  }

  @Test func `generations that are no store any more are refused as such`() throws {
    try home.create("A", "-u", "2090", "--text", "t")
    try home.done("backup", generations)
    for name in home.files(below: "generations") where name.contains("/") {
      try home.remove("generations/" + name)
    }
    try home.pass(seconds: 60)
    let told = try home.refusal(.refused, "backup", generations)
    expect(told.contains("move it away") && !told.contains("another store"), "\(told)")
  }

  @Test func `a backup of a store that lost a record is not sound`() throws {
    let id = try home.create("Gone", "-u", "2090", "--text", "t")
    try home.done("backup", generations)
    try lose(id)
    try home.pass(seconds: 60)
    let result = try home.run("backup", generations, "--keep", "1", "--json")
    expect(result.code, is: .damaged)
    let report = try result.json()
    expect(report["isSound"] == false && report["removed"] == [])
    expect(report["problems"]?.array?.count, is: 1)
  }

  @Test(
    arguments: [
      ["verify", "--budget", "5"], ["verify", "--budget", "5 dayz"],
      ["verify", "--budget", "soon"],
    ])
  func `what is offered for a budget is one`(words: [String]) throws {
    try home.create("A", "-u", "2090", "--text", "t")
    let error = try require(home.run(words + ["--json"]).errorJSON()["error"])
    let offers = try require(error["suggestions"]?.array).compactMap(\.string)
    for offer in offers { try home.done("verify", "--budget", offer) }
    let hint = try require(error["hint"]?.string)
    expect(offers.isEmpty ? hint.contains("hours, minutes or seconds") : hint.contains(offers[0]))
  }

  @Test func `a folder that is no store is said to be no copy`() throws {
    try home.create("A", "-u", "2090", "--text", "t")
    try home.write("x", as: "folder/file")
    for place in ["/folder", "/none"] {
      let code: ExitCode = place == "/none" ? .notFound : .refused
      let told = try home.refusal(code, "repair", "--from", home.path + place)
      expect(told.contains("name the directory of a copy"), "\(told)")
      expect(!told.contains("empty directory"))
    }
  }
}
