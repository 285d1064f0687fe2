import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Files that `age`, rage and a few lines of Python made: see Vectors/age/generate.py.
@Suite struct GoldenAgeTests {
  @Test(arguments: [
    ("age-0.age", 0), ("age-1.age", 1), ("age-65536.age", 65_536), ("age-65537.age", 65_537),
    ("age-armor-100.age", 100), ("age-two-recipients-100.age", 100), ("rage-0.age", 0),
    ("rage-100.age", 100), ("rage-armor-100.age", 100),
  ])
  func `files that other programs made open`(name: String, size: Int) throws {
    let identities = try IdentityFile(vector("age", "identity-1.txt")).identities
    try expect(openAge(vector("age", name), with: identities), is: testPattern(size))
  }

  @Test func `a file to two recipients opens with either, and others with one only`() throws {
    let second = try IdentityFile(vector("age", "identity-2.txt")).identities
    try expect(
      openAge(vector("age", "age-two-recipients-100.age"), with: second), is: testPattern(100))
    expect(failure { _ = try openAge(vector("age", "age-1.age"), with: second) }, is: "no match")
  }

  @Test func `a file that another program sealed with a passphrase opens`() throws {
    let file = try vector("age", "python-passphrase-100.age")
    let right = Array("correct horse battery staple".utf8)
    let passphrase = try require(Passphrase(SecretBytes(copying: right)))
    try expect(openAge(file, with: [ScryptIdentity(passphrase)]), is: testPattern(100))
    let wrong = try require(Passphrase(SecretBytes(copying: right + [0x0a])))
    expect(failure { _ = try openAge(file, with: [ScryptIdentity(wrong)]) }, is: "no match")
  }
}
