import CapsuleCore
import Foundation
import Testing

/// An item's media with the real program, on the samples of `Vectors/media`.
@Suite struct ItemMediaWalkTests {
  private let home: ProgramStore
  private static let samples =
    BuiltProgram.packageRoot + "Tests/CapsuleCoreTests/Vectors/media/"

  init() throws {
    home = try ProgramStore()
    home.environment["samples"] = Self.samples
    home.environment["PATH"] = home.path + "/bin:/usr/bin:/bin"
    #expect(try home.run("item", "add", "Ring").end == .exited(0))
  }

  private static func rows(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: URL(filePath: samples + name), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private func media(_ item: String = "Ring") throws -> [JSON] {
    let list = try home.run("item", "media", item, "--json").json().array
    return try #require(list)
  }

  /// A stand-in for another program: a script, in front of all others.
  private func standIn(_ name: String, _ script: String) throws {
    let path = home.path + "/bin/" + name
    try FileManager.default.createDirectory(
      atPath: home.path + "/bin", withIntermediateDirectories: true)
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private func blobs() throws -> Int {
    try home.shell("find '\(home.store)/blobs' -type f 2>/dev/null | wc -l").out
      .split(separator: "\n").first.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  @Test func `photos, papers and sounds are listed with type, size and measures, and come back`()
    throws
  {
    let rows = try Self.rows("samples.tsv")
    let untold: Set = ["streamed.wav", "uncounted.mp3", "unknown.flac", "fragments.m4a"]
    let words = ["item", "attach", "Ring"] + rows.map { Self.samples + $0[0] }
    #expect(try home.run(words).end == .exited(0))
    let media = try media()
    #expect(media.count == rows.count)
    for (row, told) in zip(rows, media) {
      let bytes = try Self.bytes(Self.samples + row[0])
      #expect(told["name"] == .string(row[0]) && told["mediaType"] == .string(row[1]))
      #expect(told["size"] == .integer(Int64(bytes.count)))
      func number(_ text: String) -> JSON { Int64(text).map { .integer($0) } ?? .null }
      #expect(told["width"] == number(row[2]) && told["height"] == number(row[3]), "\(row)")
      let length: JSON = untold.contains(row[0]) ? .null : number(row[4])
      #expect(told["milliseconds"] == length, "\(row)")
    }
    #expect(try home.run("item", "extract", "Ring", "--output", "out").end == .exited(0))
    for row in rows {
      let copy = try Self.bytes(home.path + "/out/" + row[0])
      #expect(try copy == Self.bytes(Self.samples + row[0]))
    }
    // One in the way: nothing is written.
    try home.shell("rm out/*; touch out/one.pdf")
    let refused = try home.run("item", "extract", "Ring", "--output", "out")
    #expect(refused.end == .exited(12) && refused.err.contains("nothing was written"))
    #expect(try home.shell("ls out").out == "one.pdf\n")
    #expect(
      try home.run("item", "extract", "Ring", "ONE.pdf", "-o", "out", "--force").end == .exited(0))
    #expect(try home.run("item", "extract", "Ring", "rgb.png", "-o", "-").output.count == 157)
    let text = try home.run("item", "media", "Ring", "--plain").out
    #expect(text.contains("rgb.png\t\timage/png\t157 B\t31 × 17\t"))
    #expect(text.contains("vbr-xing.mp3\t\taudio/mpeg\t3.7 KiB\t0.4 s\t"))
  }

  @Test func `of damaged files no wrong claim is kept`() throws {
    let rows = try Self.rows("damaged.tsv")
    let samples = try Dictionary(
      uniqueKeysWithValues: Self.rows("samples.tsv").map { ($0[0], $0) })
    let isFull = ProcessInfo.processInfo.environment["CAPSULE_TEST_SCALE"] == "full"
    let taken = rows.enumerated().filter { isFull || $0.offset % 5 == 0 }
    let folder = home.path + "/damaged"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (number, row) in taken {
      var bytes = try Self.bytes(Self.samples + row[0]).prefix(try #require(Int(row[1])))
      for pair in row[2].split(separator: ",") where pair != "-" {
        let numbers = pair.split(separator: ":").compactMap { Int($0) }
        bytes[numbers[0]] = UInt8(numbers[1])
      }
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(number)-\(row[0])"))
    }
    let words = ["item", "attach", "Ring"] + taken.map { "\(folder)/\($0)-\($1[0])" }
    let result = try home.run(words)
    #expect(result.end == .exited(0), "\(result.err)")
    let media = try media()
    #expect(media.count == taken.count)
    var claims = 0
    for (told, (number, row)) in zip(media, taken) {
      let sample = try #require(samples[row[0]])
      #expect(told["name"] == .string("\(number)-\(row[0])"))
      let pixels = [told["width"], told["height"]].map { $0?.integer.map(String.init) ?? "-" }
      let length = told["milliseconds"]?.integer
      if pixels != ["-", "-"] {
        claims += 1
        #expect(pixels == [row[3], row[4]] || pixels == [sample[2], sample[3]], "\(row)")
      }
      if let length {
        claims += 1
        let others = [row[5], row[6], sample[4]].compactMap { Int64($0) }
        #expect(others.contains { abs($0 - length) <= 1 }, "\(row): \(length)")
      }
    }
    #expect(claims > taken.count / 5)
    #expect(try home.run("verify").end == .exited(0))
  }

  @Test func `bytes are kept once, go with the last that names them, and never before`() throws {
    let script = """
      set -eu
      cp "$samples/rgb.png" one.png; cp one.png two.png
      $capsule item add Box -q; $capsule item add Chest -q
      $capsule item attach Ring one.png two.png "$samples/one.pdf" -q
      $capsule item attach Box one.png --title 'The front' -q
      $capsule event add Day --on 2030-01-01 --image one.png -q
      $capsule item attach Chest "$samples/gray.jpg" -q
      """
    let made = try home.shell(script)
    #expect(made.end == .exited(0), "\(made.err)")
    #expect(try blobs() == 3)
    #expect(try media("Box").first?["title"] == "The front")
    // What is asked for is wholly done or not at all.
    #expect(try home.run("item", "detach", "Ring", "1", "nothing", "--yes").end == .exited(5))
    #expect(try home.run("item", "detach", "Ring", "1").end == .exited(12))
    #expect(try media().count == 3)
    #expect(try home.run("item", "detach", "Ring", "one.pdf", "--yes").end == .exited(0))
    #expect(try blobs() == 2)
    #expect(try home.run("item", "detach", "Ring", "1", "2", "--yes").end == .exited(0))
    #expect(try blobs() == 2)
    #expect(try home.run("item", "delete", "Box", "Chest", "--yes").end == .exited(0))
    #expect(try blobs() == 2)
    #expect(try home.run("restore", "Chest").end == .exited(0))
    #expect(try home.run("item", "extract", "Chest", "-o", "back").end == .exited(0))
    #expect(try home.shell("cmp \"$samples/gray.jpg\" back/gray.jpg").end == .exited(0))
    #expect(try home.run("purge", "--yes").end == .exited(0))
    #expect(try blobs() == 2)
    #expect(try home.run("event", "image", "Day").output.count == 157)
    #expect(try home.run("event", "delete", "Day", "--yes").end == .exited(0))
    #expect(try home.run("item", "delete", "Chest", "--yes").end == .exited(0))
    #expect(try home.run("purge", "--yes").end == .exited(0))
    #expect(try blobs() == 0)
    #expect(try home.run("verify").end == .exited(0))
  }

  @Test func `the size guard holds, and of several files none is kept when one is too large`()
    throws
  {
    #expect(try home.run("settings", "set", "maxFileSize", "2000").end == .exited(0))
    let result = try home.run(
      "item", "attach", "Ring", Self.samples + "rgb.png", Self.samples + "moov-last.m4a")
    #expect(result.end == .exited(12) && result.err.contains("moov-last.m4a"))
    #expect(try media().isEmpty && blobs() == 0)
    #expect(try home.shell("ls '\(home.store)/tmp'").out.isEmpty)
    #expect(try home.run("item", "attach", "Ring", Self.samples + "none.png").end == .exited(10))
  }

  @Test func `attaching at the same time keeps all`() throws {
    let result = try home.shell(
      "for i in 1 2 3 4; do $capsule item attach Ring \"$samples\"/*.gif -q & done; "
        + "for i in 1 2 3 4; do $capsule item log Ring --value $i -q & done; wait")
    #expect(result.err.isEmpty)
    #expect(try media().count == 16)
    #expect(try home.run("item", "history", "Ring", "--json").json().array?.count == 4)
  }

  @Test func `a viewer gets a copy of its own in a folder that nobody else may read`() throws {
    try standIn(
      "xdg-open",
      """
      stat -c '%a %n' "$1" "$(dirname "$1")" > "$HOME/seen"
      cmp "$1" "$samples/rgb.png" && echo same >> "$HOME/seen"
      exit ${code:-0}
      """)
    #expect(try home.run("item", "attach", "Ring", Self.samples + "rgb.png").end == .exited(0))
    #expect(try home.run("item", "view", "Ring").end == .exited(0))
    let seen = try home.shell("cat seen").out.split(separator: "\n")
    #expect(seen.count == 3 && seen[0].hasPrefix("600 ") && seen[0].hasSuffix("/rgb.png"))
    #expect(seen.count == 3 && seen[1].hasPrefix("700 ") && seen[2] == "same")
    // It stays for the viewer, until it is swept.
    #expect(try home.shell("ls '\(home.store)'/tmp/*/rgb.png").end == .exited(0))

    home.environment["code"] = "3"
    let failed = try home.run("item", "view", "Ring", "rgb.png")
    #expect(failed.end == .exited(10) && failed.err.contains("'xdg-open' could not show 'rgb.png'"))
    home.environment["PATH"] = "/nonexistent"
    let missing = try home.run("item", "view", "Ring")
    #expect(missing.end == .exited(10) && missing.err.contains("neither 'xdg-open' nor 'open'"))
    home.environment["PATH"] = "/usr/bin:/bin"
    #expect(try home.shell("ls '\(home.store)/tmp' | wc -l").out.contains("1"))
  }

  @Test func `the first player that is there plays a copy, which is gone afterwards`() throws {
    try standIn("mpv", "echo \"mpv $*\" > \"$HOME/seen\"; cmp \"$2\" \"$samples/vbri.mp3\"")
    let files = ["rgb.png", "vbri.mp3"].map { Self.samples + $0 }
    #expect(try home.run(["item", "attach", "Ring"] + files).end == .exited(0))
    let missing = "'ffplay', 'mpv', 'afplay', 'aplay'"
    #expect(try home.run("item", "play", "Ring").end == .exited(0))
    #expect(try home.shell("cat seen").out.hasPrefix("mpv --really-quiet "))
    try standIn("ffplay", "kill -9 $$")
    let killed = try home.run("item", "play", "Ring", "vbri.mp3")
    #expect(killed.err.contains("'ffplay' could not play 'vbri.mp3': signal 9 ended it"))
    home.environment["PATH"] = "/nonexistent"
    let none = try home.run("item", "play", "Ring")
    #expect(none.end == .exited(10) && none.err.contains(missing))
    home.environment["PATH"] = "/usr/bin:/bin"
    #expect(try home.shell("ls '\(home.store)/tmp'").out.isEmpty)
  }

  @Test func `Ctrl-C ends a recording, and what was recorded is kept`() throws {
    try standIn(
      "arecord",
      """
      for file; do :; done
      cp "$samples/pcm8.wav" "$file"
      trap 'kill $!; exit 1' INT
      echo started
      sleep 20 & wait
      """)
    var run = ProgramRun("item", "record", "Ring", "--title", "Its story")
    run.environment = home.environment
    let terminal = try TerminalRun(run)
    try terminal.wait(for: "started")
    terminal.send("\u{3}")
    #expect(terminal.finish().end == .exited(0))
    let media = try media()
    #expect(media.count == 1)
    #expect(media.first?["title"] == "Its story" && media.first?["milliseconds"] == 250)
    let name = try #require(media.first?["name"]?.string)
    #expect(name.wholeMatch(of: /recorded-\d{4}-\d\d-\d\d-\d{6}\.wav/) != nil, "\(name)")
    #expect(try home.shell("ls '\(home.store)/tmp'").out.isEmpty)
    #expect(try home.run("item", "play", "Ring").err.contains("there to play"))

    // A signal to this program alone is passed on.
    try standIn("arecord", "echo $$ > pid; trap 'kill $!; exit 1' TERM; sleep 20 & wait")
    let ended = try home.shell(
      "$capsule item record Ring -q & job=$!; until [ -s pid ]; do sleep 0.05; done; "
        + "kill -TERM $job; wait $job")
    #expect(ended.end == .exited(10) && ended.err.contains("'arecord' recorded nothing"))
    try standIn("arecord", "exit 4")
    let failed = try home.run("item", "record", "Ring", "--seconds", "1")
    #expect(failed.err.contains("'arecord' could not record: it ended with 4"))
    home.environment["PATH"] = "/nonexistent"
    let none = try home.run("item", "record", "Ring")
    #expect(none.end == .exited(10) && none.err.contains("none of 'arecord', 'sox', 'ffmpeg'"))
    #expect(try self.media().count == 1)
  }
}
