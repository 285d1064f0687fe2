import CapsuleCore
import Foundation
import TestSupport
import Testing

/// A store for timelocks, with quicknet's published beacons and a chain of its own.
struct TimelockFixture: CommandHome {
  /// When round 1000 of quicknet was signed.
  static let time = "2023-08-23T15:59:24Z"
  static let signature =
    "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
  static let other =
    "b33bf3667cbd5a82de3a24b4e0e9fe5513cc1a0e840368c6e31f5fcfa79bea03f73896b25883abf2853d10337fb8fa41"
  static let quicknet = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
  static let beacons: [String: [UInt64: String]] = [quicknet: [1000: signature, 1001: other]]
  /// What no answer may hold that did not open the capsule.
  static let secret = "nobody reads this early"

  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    home.environment["TZ"] = "UTC"
    home.environment["PATH"] = OtherPrograms.path
    // No test asks the network.
    try relays("http://127.0.0.1:1/nobody")
  }

  var path: String { home.path }
  var environment: [String: String] { home.environment }

  /// Names the relays that are asked.
  func relays(_ addresses: String...) throws {
    try write(
      "# relays of a test\n" + addresses.map { $0 + "\n" }.joined(),
      as: ".config/capsule/relays")
  }

  func run(_ words: [String], input: String) throws -> ProgramRun.Result {
    try run(words, bytes: Array(input.utf8))
  }

  /// Runs a command on bytes that need not be text.
  func run(_ words: [String], bytes: [UInt8]) throws -> ProgramRun.Result {
    var run = home.program(words)
    run.input = bytes
    return try run.result()
  }

  /// Makes a capsule locked to round 1000 of quicknet, or as the words say.
  ///
  /// - Returns: its id.
  @discardableResult
  func createTimelocked(
    _ words: String..., until time: String = TimelockFixture.time
  ) throws -> String {
    guard words.isEmpty, time == Self.time, files(below: ".local").isEmpty else {
      let all = ["create", "Bet", "--unlock", time, "--allow-past", "--timelock"] + words
      return String(try done(all + ["--text", Self.secret, "--quiet"]).dropLast())
    }
    let made = try Self.made.get()
    for (name, bytes) in made.files { try write(bytes, as: ".local/" + name) }
    return made.id
  }

  /// A home with one capsule locked to round 1000, made once: to lock takes a debug build long.
  private static let made = Result { try Made() }

  private struct Made: Sendable {
    let id: String
    let files: [String: [UInt8]]

    init() throws {
      let fixture = try TimelockFixture()
      // Another word than none, so that it is not copied.
      id = try fixture.createTimelocked("--tag", "made-once")
      let names = fixture.files(below: ".local")
      files = try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try fixture.bytes(of: ".local/" + $0)) })
    }
  }

  /// Changes a record's timelock.
  func tamperTimelock(_ id: String, _ change: (inout JSONObject) throws -> Void) throws {
    try tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      var timelock = try require(lock["timelock"]?.object)
      try change(&timelock)
      lock["timelock"] = .object(timelock)
      fields["lock"] = .object(lock)
    }
  }

  /// Changes the header of a record's sealed key.
  func tamperKey(_ id: String, _ change: (inout TlockHeader) throws -> Void) throws {
    try tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      var header = try TlockHeader(armored: try require(lock["key"]?.string))
      try change(&header)
      lock["key"] = .string(header.armored)
      fields["lock"] = .object(lock)
    }
  }
}

extension CommandHome {
  /// Changes a record as somebody would who knows how, its checksum made again.
  func tamper(_ id: String, _ change: (inout JSONObject) throws -> Void) throws {
    let file = try record(id)
    var fields = try require(try JSON.parse(bytes(of: file)).object)
    try change(&fields)
    try write(RecordFile.encode(fields), as: file)
  }
}

/// A timelocked age file taken apart without this program's own reader.
struct TlockHeader {
  var round: String
  var chain: String
  /// U ‖ V ‖ W.
  var body: [UInt8]
  private let before: String
  private let after: String
  private let rest: [UInt8]

  init(armored text: String) throws {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
    let bytes = [UInt8](try require(Data(base64Encoded: lines.joined())))
    // The header ends with the line that begins with `--- `.
    let marker = Array("\n--- ".utf8)
    let end = try require(
      bytes.indices.first { bytes[$0...].starts(with: marker) })
    let header = String(decoding: bytes[..<end], as: UTF8.self)
    rest = Array(bytes[end...])
    let parts = header.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let place = try require(parts.firstIndex { $0.hasPrefix("-> tlock ") })
    let words = parts[place].split(separator: " ").map(String.init)
    round = words[2]
    chain = words[3]
    // 128 bytes are 171 characters: two lines of 64 and one of 43.
    body = [UInt8](
      try require(Data(base64Encoded: parts[(place + 1)...(place + 3)].joined() + "=")))
    before = parts[..<place].map { $0 + "\n" }.joined()
    after = parts[(place + 4)...].map { "\n" + $0 }.joined()
  }

  var armored: String {
    let text = Array(Data(body).base64EncodedString().dropLast())
    let lines = [text[..<64], text[64..<128], text[128...]].map { String($0) }
    let header = before + "-> tlock \(round) \(chain)\n" + lines.joined(separator: "\n") + after
    let all = Data(Array(header.utf8) + rest)
      .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    return "-----BEGIN AGE ENCRYPTED FILE-----\n\(all)\n-----END AGE ENCRYPTED FILE-----\n"
  }
}
