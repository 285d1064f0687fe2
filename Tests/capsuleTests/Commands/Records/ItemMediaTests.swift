import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Samples of media files, and what other programs read from them.
private enum Samples {
  static let path = BuiltProgram.packageRoot + "Tests/CapsuleCoreTests/Vectors/media/"

  static func rows(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: URL(filePath: path + name), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path + name)))
  }
}

/// An item's media, on the samples of `Vectors/media`.
@Suite struct ItemMediaTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore()
    try home.done("item", "add", "Ring")
  }

  private func media(_ item: String = "Ring") throws -> [JSON] {
    try require(try home.json("item", "media", item).array)
  }

  private func attach(_ names: String..., to item: String = "Ring") throws {
    try home.done(["item", "attach", item] + names.map { Samples.path + $0 })
  }

  /// What lies in the store for a moment only.
  private var temporaryFiles: [String] { home.files(below: ".local/share/capsule/tmp") }

  // MARK: Attached and extracted

  @Test func `photos, papers and sounds are listed with type, size and measures, and come back`()
    throws
  {
    let rows = try Samples.rows("samples.tsv")
    let untold: Set = ["streamed.wav", "uncounted.mp3", "unknown.flac", "fragments.m4a"]
    try home.done(["item", "attach", "Ring"] + rows.map { Samples.path + $0[0] })
    let media = try media()
    expect(media.count, is: rows.count)
    for (row, told) in zip(rows, media) {
      let bytes = try Samples.bytes(row[0])
      expect(told["name"] == .string(row[0]) && told["mediaType"] == .string(row[1]))
      expect(told["size"], is: .integer(Int64(bytes.count)))
      func number(_ text: String) -> JSON { Int64(text).map { .integer($0) } ?? .null }
      expect(told["width"] == number(row[2]) && told["height"] == number(row[3]), "\(row)")
      let length: JSON = untold.contains(row[0]) ? .null : number(row[4])
      expect(told["milliseconds"], is: length, "\(row)")
    }
    try home.done("item", "extract", "Ring", "--output", home.path + "/out")
    expect(home.names(in: "out"), is: rows.map { $0[0] }.sorted())
    for row in rows { try expect(home.bytes(of: "out/" + row[0]), is: Samples.bytes(row[0])) }
  }

  @Test func `of damaged files no wrong claim is kept`() throws {
    let rows = try Samples.rows("damaged.tsv")
    let samples = try Dictionary(
      uniqueKeysWithValues: Samples.rows("samples.tsv").map { ($0[0], $0) })
    let taken = rows.enumerated().filter { TestScale.isFull || $0.offset % 5 == 0 }
    for (number, row) in taken {
      var bytes = try Samples.bytes(row[0]).prefix(try require(Int(row[1])))
      for pair in row[2].split(separator: ",") where pair != "-" {
        let numbers = pair.split(separator: ":").compactMap { Int($0) }
        bytes[numbers[0]] = UInt8(numbers[1])
      }
      try home.write(Array(bytes), as: "damaged/\(number)-\(row[0])")
    }
    try home.done(
      ["item", "attach", "Ring"] + taken.map { "\(home.path)/damaged/\($0)-\($1[0])" })
    let media = try media()
    expect(media.count, is: taken.count)
    var claims = 0
    for (told, (number, row)) in zip(media, taken) {
      let sample = try require(samples[row[0]])
      expect(told["name"], is: .string("\(number)-\(row[0])"))
      let pixels = [told["width"], told["height"]].map { $0?.integer.map(String.init) ?? "-" }
      let length = told["milliseconds"]?.integer
      if pixels != ["-", "-"] {
        claims += 1
        expect(pixels == [row[3], row[4]] || pixels == [sample[2], sample[3]], "\(row)")
      }
      if let length {
        claims += 1
        let others = [row[5], row[6], sample[4]].compactMap { Int64($0) }
        expect(others.contains { abs($0 - length) <= 1 }, "\(row): \(length)")
      }
    }
    expect(claims > taken.count / 5)
    try home.done("verify")
  }

  // MARK: Bytes in the store

  @Test func `attaching at the same time keeps all`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    real.environment["samples"] = Samples.path
    let result = try real.shell(
      "for i in 1 2 3 4; do $capsule item attach Ring \"$samples\"/*.gif -q & done; "
        + "for i in 1 2 3 4; do $capsule item log Ring --value $i -q & done; wait")
    expect(result.err.isEmpty)
    try expect(real.json("item", "media", "Ring").array?.count, is: 16)
    try expect(real.json("item", "history", "Ring").array?.count, is: 4)
  }

  // MARK: Other programs

  /// The programs that there are, and how each of them ends. All runs are kept.
  private func programs(_ ends: [String: ProcessOutcome.End]) -> ProgramRuns {
    let runs = ProgramRuns()
    home.process = { request throws(Fault) in
      let name = String(decoding: request.program, as: UTF8.self)
      guard let end = ends[name] else {
        throw Fault(system: ENOENT, action: "run '\(name)'")
      }
      let words = request.arguments.map { String(decoding: $0, as: UTF8.self) }
      runs.add(name, words)
      return ProcessOutcome(end: end)
    }
    return runs
  }

  /// The programs that were run, with the mode of the file and its folder, and its bytes.
  private final class ProgramRuns: Sendable {
    struct Run {
      let words: [String]
      let modes: [Int?]
      let bytes: [UInt8]?
    }

    private let state = Mutex<[Run]>([])
    var all: [Run] { state.withLock { $0 } }

    func add(_ name: String, _ words: [String]) {
      let path = words.last ?? ""
      let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
      let modes = [path, folder].map { path in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.posixPermissions] as? Int
      }
      let bytes = (try? Data(contentsOf: URL(filePath: path))).map { [UInt8]($0) }
      state.withLock { $0.append(Run(words: [name] + words, modes: modes, bytes: bytes)) }
    }
  }

  /// Changes what the record says of the ring's only file, with a right checksum: anybody who can write the store
  /// can.
  private func claim(name: String, _ mediaType: String) throws {
    let id = try require(try home.json("item", "show", "Ring")["id"]?.string)
    let path = try home.record(id)
    var fields = try require(try JSON.parse(home.bytes(of: path)).object)
    var media = try require(fields["media"]?.array?.first?.object)
    media["name"] = .string(name)
    media["mediaType"] = .string(mediaType)
    fields["media"] = .array([.object(media)])
    try home.write(RecordFile.encode(fields), as: path)
  }

  @Test(arguments: [
    ("real.png", "image/png", "<html><script>"), ("real.pdf", "application/pdf", "<html><script>"),
    ("film.mp4", "video/mp4", "#EXTM3U\nhttp://example.org/x\n"),
    ("real.png", "image/png", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
    ("sound.mp3", "audio/mpeg", "\u{7f}ELF\u{2}\u{1}\u{1}\u{0}"),
    ("words.txt", "text/plain", "PK\u{3}\u{4}"), ("words.html", "text/plain", "<html><script>"),
    ("empty.png", "image/png", ""),
  ])
  func `a file whose bytes are not what its record says is handed to no program`(
    name: String, mediaType: String, content: String
  ) throws {
    try home.done("item", "attach", "Ring", try home.write(content, as: "file"))
    try claim(name: name, mediaType)
    let runs = programs(["xdg-open": .exited(0), "ffplay": .exited(0)])
    let message = try home.refusal(.refused, "item", "view", "Ring")
    expect(message.contains("'\(name)'") && message.contains("item extract"), "\(message)")
    try home.refusal(.refused, "item", "play", "Ring", "1")
    expect(runs.all.isEmpty && temporaryFiles == [])
  }

  @Test(arguments: [
    ("a.png", "image/png", "gray.jpg", "a.png.jpg"),
    ("a.html", "image/png", "rgb.png", "a.html.png"),
    ("a", "image/png", "rgb.png", "a.png"), ("a.desktop", "image/gif", "one.pdf", "a.desktop.pdf"),
    ("a.PNG", "image/png", "rgb.png", "a.PNG"), ("a.txt", "text/plain", "rgb.png", "a.txt.png"),
  ])
  func `a file is handed over under a name that says what its bytes are`(
    name: String, mediaType: String, sample: String, shown: String
  ) throws {
    try attach(sample)
    try claim(name: name, mediaType)
    let runs = programs(["xdg-open": .exited(0)])
    try home.done("item", "view", "Ring")
    let run = try require(runs.all.first)
    expect(run.words.last?.hasSuffix("/" + shown) == true && run.modes == [0o600, 0o700])
    try expect(run.bytes, is: Samples.bytes(sample))
    expect(temporaryFiles, is: [])
  }
}

/// The real program with stand-ins for others: its PATH has what the test put there, whatever the
/// machine has.
@Suite struct ItemMediaProgramTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    home.environment["samples"] = Samples.path
    try home.usePrograms("cp", "cmp", "sleep", "cat")
    try home.done("item", "add", "Ring")
  }

  private func media() throws -> [JSON] {
    try require(try home.json("item", "media", "Ring").array)
  }

  private func recorder(_ script: String) throws {
    try home.writeProgram(
      "arecord",
      """
      for file; do :; done
      cp "$samples/pcm8.wav" "$file"
      \(script)
      """)
  }

  @Test func `a program that is first in PATH shows and plays`() throws {
    for (name, sample) in [("xdg-open", "rgb.png"), ("ffplay", "vbri.mp3")] {
      try home.writeProgram(
        name,
        "for file; do :; done; cmp \"$file\" \"$samples/\(sample)\" && echo $0 >> \"$HOME/seen\"")
      try home.done("item", "attach", "Ring", Samples.path + sample)
    }
    try home.done("item", "view", "Ring")
    try home.done("item", "play", "Ring")
    let seen = try home.text(of: "seen")
    expect(seen, is: "\(home.path)/bin/xdg-open\n\(home.path)/bin/ffplay\n")
  }

  @Test func `Ctrl-C ends a recording, and what was recorded is kept`() throws {
    try recorder("trap 'kill $!; exit 1' INT\necho started\nsleep 20 & wait")
    var run = ProgramRun("item", "record", "Ring", "--title", "Its story")
    run.environment = home.environment
    let terminal = try TerminalRun(run)
    try terminal.wait(for: "started")
    terminal.send("\u{3}")
    expect(terminal.finish().end, is: .exited(0))
    let media = try media()
    expect(media.count, is: 1)
    expect(media.first?["title"] == "Its story" && media.first?["milliseconds"] == 250)
    let name = try require(media.first?["name"]?.string)
    expect(name.wholeMatch(of: /recorded-\d{4}-\d\d-\d\d-\d{6}\.wav/) != nil, "\(name)")
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
    // It can be played, once there is a player.
    expect(try home.run("item", "play", "Ring").err.contains("cannot play"))
  }

  @Test func `a signal to the program alone is passed on to the recorder`() throws {
    try home.writeProgram(
      "arecord", "echo $$ > pid; trap 'kill $!; exit 1' TERM; sleep 20 & wait")
    let ended = try home.shell(
      "$capsule item record Ring -q & job=$!; until [ -s pid ]; do sleep 0.05; done; "
        + "kill -TERM $job; wait $job")
    expect(ended.end == .exited(10) && ended.err.contains("'arecord' recorded nothing"))
    expect(try media().isEmpty)
  }
}
