import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The words for age files that cannot be made or opened, and for locks that are not what was sealed.
@Suite struct SealFaultTests {
  private static let backup = "restore the file from a backup"

  private static let faults: [(AgeFailure, Fault.Code, String, String?)] = [
    (
      .header(.unsupportedVersion), .damaged, "'a.age' is an age file of an unknown version",
      "install a newer version of capsule"
    ),
    (
      .header(.carriageReturn(line: 2)), .damaged,
      "'a.age' has a damaged header: line 2 ends with a carriage return",
      "transfer the file again in binary mode"
    ),
    (
      .headerMAC, .damaged, "'a.age' has a damaged header: its checksum does not match", backup
    ),
    (.payload(.truncated), .damaged, "'a.age' is incomplete", backup),
    (.payload(.trailing), .damaged, "'a.age' has extra bytes at its end", backup),
    (.payload(.emptyLastChunk), .damaged, "'a.age' is damaged at its end", backup),
    (
      .tooEarly(until: Instant(seconds: 0)), .locked,
      "'a.age' is timelocked until 1970-01-01T00:00:00Z", nil
    ),
    (
      .unproven(TlockError.unknownChain(hash: "ab")), .key,
      "'a.age' is timelocked with an unknown drand chain, ab",
      "provide the chain info: --chain FILE"
    ),
    (.unproven(Malformed()), .unproven, "cannot prove the time: Malformed()", nil),
    (
      .recipients(.none), .usage, "no recipient given", "use --recipient age1… or a passphrase"
    ),
    (.recipients(.lowOrder), .usage, "a recipient is not a usable key", nil),
    (.recipients(.tooMany), .usage, "too many recipients for one file", nil),
    (
      .recipients(.mixed(postQuantum: ["age1pqa", "age1pqb"], others: ["age1c"])), .usage,
      "cannot combine post-quantum and classic recipients: 'age1pqa', 'age1pqb' are post-quantum, "
        + "'age1c' is not",
      "use recipients of one kind; otherwise a quantum computer could open the file"
    ),
    (.memory, .io, "not enough memory for this passphrase", nil),
    (
      .sink(AgeFailure.headerMAC), .damaged,
      "the input has a damaged header: its checksum does not match", backup
    ),
    (
      .random(.noStateDirectory), .noStateDirectory, "this device keeps no state for the store", nil
    ),
  ]

  @Test(arguments: faults)
  func `an age file is refused by name, with the way out`(
    failure: AgeFailure, code: Fault.Code, message: String, hint: String?
  ) {
    let fault = Fault.seal(failure, path: "a.age")
    expect(fault.code, is: code)
    expect(fault.description, is: message)
    expect(fault.hint, is: hint)
  }

  private static let headers: [(HeaderFault, String)] = [
    (.empty, "the file is empty"), (.truncated, "the file ends inside the header"),
    (.tooLong, "the header is too long"), (.unexpectedLine(3), "line 3 is unexpected"),
    (.arguments(line: 2), "line 2 has wrong arguments"),
    (.body(line: 3), "line 3 is not canonical base64"),
    (.macLine, "the last line is not a MAC"), (.noStanza, "no recipient"),
    (.stanza(kind: "X25519"), "invalid 'X25519' stanza"),
    (.fileKeyLength(kind: "scrypt"), "a 'scrypt' stanza has a body of the wrong length"),
    (.scryptNotAlone, "a passphrase is combined with other recipients"),
    (.lowOrderShare, "a key share is not usable"),
    (.nonce, "the file ends before the payload"), (.timelock, "the timelock was changed"),
  ]

  @Test(arguments: headers)
  func `a damaged header is refused with its line or its stanza`(
    header: HeaderFault, reason: String
  ) {
    let fault = Fault.seal(AgeFailure.header(header), path: "")
    expect(fault.description, is: "the input has a damaged header: \(reason)")
    expect(fault.hint, is: Self.backup)
  }

  private static let armors: [(ArmorFault, String)] = [
    (.begin(line: 1), "line 1 is not the BEGIN line"),
    (.line(2), "line 2 is not 64 columns of canonical base64"),
    (.end(line: 9), "line 9 is not the END line"), (.truncated, "the END line is missing"),
    (.trailing, "text follows the END line"),
  ]

  @Test(arguments: armors)
  func `a damaged armor is refused with its line`(armor: ArmorFault, reason: String) {
    let fault = Fault.seal(AgeFailure.armor(armor), path: "a.age")
    expect(fault.description, is: "'a.age' has a damaged armor: \(reason)")
    expect(fault.hint, is: Self.backup)
  }

  private static let locks: [(LockProblem, String)] = [
    (.noRecipient, "the recipient is not valid"),
    (
      .otherForm(sealed: "passphrase"),
      "the lock was sealed as 'passphrase', and the record says otherwise"
    ),
    (
      .otherRound, "the lock is sealed to a different drand round or chain than the record says"
    ),
    (
      .escrows(sealed: 1, recorded: 0),
      "the lock has 1 escrow recipient, but the record lists none"
    ),
    (
      .escrows(sealed: 2, recorded: 3), "the lock has 2 escrow recipients, but the record lists 3"
    ),
    (.unreadable, "the lock cannot be read"),
  ]

  @Test(arguments: locks)
  func `a lock that is not what was sealed is named with both values`(
    problem: LockProblem, words: String
  ) {
    expect("\(problem.words)", is: words)
  }
}
