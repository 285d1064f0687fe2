import CapsuleCore
import Foundation
import TestSupport
import Testing

/// `Scripts/relay.py`: a drand relay on the loopback interface, whose addresses name what it plays.
final class Relay {
  private let process = Process()
  private let input = Foundation.Pipe()
  private let log: String
  private let base: String

  /// - Parameters:
  ///   - beacons: the signatures that it has, by chain hash and round.
  init(_ beacons: [String: [UInt64: String]], in folder: String) throws {
    let name = folder + "/relay-" + UUID().uuidString
    log = name + ".log"
    var known: JSONObject = [:]
    for (chain, signatures) in beacons {
      known[chain] = .object(
        JSONObject(signatures.map { (String($0.key), JSON.string($0.value)) }))
    }
    try Data(JSON.object(known).encoded()).write(to: URL(filePath: name + ".json"))
    let output = Foundation.Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-B", BuiltProgram.packageRoot + "Scripts/relay.py", name + ".json", log,
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n"),
      let byte = try output.fileHandleForReading.read(upToCount: 1)?.first
    {
      line.append(byte)
    }
    let port = try require(Int(String(decoding: line.dropLast(), as: UTF8.self)))
    base = "http://127.0.0.1:\(port)"
  }

  /// The address of the relay that plays something.
  func address(_ play: String) -> String { base + "/" + play }

  /// What was asked, in order.
  var requests: [String] {
    guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  deinit { process.terminate() }
}
