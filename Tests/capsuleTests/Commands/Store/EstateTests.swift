import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The estate, opened by other programs; `Tests/Transcripts/estate.txt` tells the rest.
@Suite struct EstateTests {
  @Test(arguments: [
    "", "[]", "{}", #"{"estate":-1}"#, "{\"estate\":1,\"records\":[[[[", "\u{0}",
  ])
  func `a list that is not one is refused`(text: String) throws {
    let home = try HostedStore()
    try home.insertTrustees()
    try home.done("item", "add", "Ring")
    let file = home.path + "/estate.age"
    try home.done("estate", "--trustees", "family", "-o", file)
    try home.write(text, as: "estate.age.list")
    try home.refusal(.damaged, "estate", "--check", file)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "tar", "python3"), "age is not installed"))
  func `age, tar and Python open all of it, with nothing of this program`() throws {
    let home = try HostedStore()
    try home.insertTrustees(isPostQuantum: false)
    let mia = try AgeIdentity(isPostQuantum: false, random: .system)
    try home.done("beneficiary", "add", "Mia", "--recipient", mia.recipient.description)
    try home.done("beneficiary", "add", "Jonas")
    try home.done("item", "add", "Ring")
    let picture = try home.write([UInt8](repeating: 7, count: 70_000), as: "ring.gif")
    try home.done("item", "attach", "Ring", picture)
    try home.done("item", "add", "House")
    try home.create("Diary", "--unlock", "2090", "--text", "dear me", picture)
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.done("bequeath", "House", "--to", "Jonas", "--message", "yours")
    try home.write(IdentityFile.text(mia, comments: []), as: "out/identity.txt")
    try home.done("estate", "--trustees", "family", "-o", home.path + "/out/estate.age")
    let line = """
      set -eu
      cd '\(home.path)/out'
      mkdir opened
      age -d -i ../family.key estate.age | tar -x -C opened
      cd opened/estate
      test -f READ-ME-FIRST.html
      grep -q yours people/Jonas/letter.txt
      age -d -i ../../identity.txt people/Mia.tar.age | tar -x -C people
      cmp people/Mia/files/ring.gif ../../../ring.gif
      cd capsules/Diary
      age -d -i key.txt -o text-1.json text-1.details.age
      python3 -c 'import json; assert json.load(open("text-1.json"))["text"] == "dear me"'
      age -d -i key.txt -o other-2 other-2.age
      cmp other-2 ../../../../../ring.gif
      """
    var run = ProgramRun(
      shell: line, environment: ["PATH": OtherPrograms.path, "LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
  }
}
