import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct SecretMaskTests {
  @Test(
    arguments: [
      ("no key", "no key"), ("'AGE-SECRET-KEY-1QQQQQQQQQQ '", "'AGE-SECRET-KEY-… '"),
      ("age-secret-key-1qqqqqqqqqq", "age-secret-key-…"), ("begins with 'AGE-SECRET-KEY-'", nil),
      (
        "AGE-SECRET-KEY-PQ-1QQQQQQQQ, AGE-Secret-KEY-1QQQQQQQQ!",
        "AGE-SECRET-KEY-…, AGE-Secret-KEY-…!"
      ),
      ("", ""), ("AGE-SECRET-KEY-1…", nil), ("xAGE-SECRET-KEY-1234567890x", "xAGE-SECRET-KEY-…"),
    ] as [(String, String?)])
  func `secret keys are hidden in what is said`(text: String, masked: String?) {
    expect(SecretMask.masked(text), is: masked ?? text)
    expect(
      SecretMask.masked(JSON.array([.object(["path": .string(text)]), .null])),
      is: .array([.object(["path": .string(masked ?? text)]), .null]))
  }

  @Test func `a mistake with a key does not show it`() throws {
    let home = try HostedStore()
    let made = try home.run("keygen").out
    let lines = made.split(separator: "\n").map { String($0) }
    let key = try require(lines.first { $0.hasPrefix("AGE-SECRET") })
    let mistakes: [[String]] = [
      ["seal", "-r", key + " "], ["seal", "-r", key.lowercased()], ["seal", "-r", key + "q"],
      ["seal", "-R", key], ["unseal", "-i", key], ["keygen", "--recipients", key],
      ["create", "A", "--unlock", "2040-01-01", "--text", "x", "-r", key + "q", "--json"],
    ]
    for words in mistakes {
      let run = home.run(words, input: "x")
      expect(run.code != .ok && !run.err.isEmpty)
      expect(!run.err.lowercased().contains(key.lowercased().dropFirst(20).prefix(12)))
    }
  }
}
