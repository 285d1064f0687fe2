import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What lives on a terminal, and what needs several processes.
@Suite(.ownThread) struct ItemLiveTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @Test func `on a terminal the time since is drawn again each second until Ctrl-C`() throws {
    try home.shell("$capsule item add Filter -q; $capsule item log Filter -q")
    let terminal = try TerminalRun(home.program(["since", "--watch"]))
    try terminal.wait(for: "Filter")
    try terminal.wait(for: "Filter")
    try terminal.wait(for: "Filter")
    let shown = seconds(terminal)
    expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 } && shown.count >= 3, "\(shown)")
    // What another command logs meanwhile is seen.
    try home.shell("$capsule item add Kettle -q; $capsule item log Kettle -q")
    try terminal.wait(for: "Kettle")
    terminal.send("\u{3}")
    let result = terminal.finish()
    expect(result.end, is: .signalled(2))
    expect(result.out.hasSuffix("\u{1b}[?25h"))
  }

  /// The seconds of each `00:00:07` that the screen showed after the name. Behind it stands the
  /// date of the entry, whose clock looks the same in the first minute of a day.
  private func seconds(_ terminal: TerminalRun) -> [Int] {
    let text = String(decoding: terminal.screen, as: UTF8.self)
    return text.matches(of: /Filter(?:\u{1b}\[0m)? +00:00:(\d\d)/).compactMap { Int($0.1) }
  }

  @Test func `in a pipe it is an object a second`() throws {
    try home.shell("$capsule item add Filter -q; $capsule item log Filter -q")
    let result = try home.shell(
      "$capsule since --watch --ndjson | head -n 2 | jq -c .secondsSince")
    let numbers = result.out.split(separator: "\n").compactMap { Int($0) }
    expect(numbers.count == 2 && numbers[1] > numbers[0], "\(result.out)")
  }

  @Test func `of two processes that add one name, one is refused`() throws {
    try home.walk(
      """
      $capsule item add First -q
      for number in 1 2 3 4 5 6; do
        $capsule item add "Race $number" -q > one 2>/dev/null & first=$!
        $capsule item add "RACE $number" -q > two 2>/dev/null & second=$!
        count=0
        wait $first && count=$((count + 1)) || true
        wait $second && count=$((count + 1)) || true
        test $count -eq 1
      done
      test "$($capsule item list --search race --plain | wc -l)" -eq 6
      """)
  }

  @Test func `checks at the same time announce a reminder once`() throws {
    let result = try home.shell(
      """
      $capsule item add Filter -q > /dev/null
      $capsule check
      $capsule item remind Filter --every '1 hour' --from 'in 1 second' -q
      sleep 1.1
      for i in 1 2 3 4 5 6 7 8; do $capsule check & done; wait
      $capsule check
      """)
    expect(result.out.split(separator: "\n").count, is: 1, "\(result.out)")
    expect(result.out.hasPrefix("'Filter' is due, every hour"))
  }
}
