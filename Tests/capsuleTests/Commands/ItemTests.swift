import CapsuleCore
import Testing

/// Items on the real program: every line of what they can do.
@Suite struct ItemTests {
  /// Runs a script that ends with 0 when every step does what it says.
  private func walk(_ script: String, in folder: TemporaryFolder) throws -> ProgramRun.Result {
    var run = ProgramRun(
      shell: "set -eu\ncd \(folder.path)\n" + script,
      environment: [
        "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "Europe/Paris",
        "PATH": "/usr/bin:/bin",
      ])
    run.timeLimit = 60
    let result = try run.result()
    #expect(result.end == .exited(0), "\(result.out)\n\(result.err)")
    return result
  }

  @Test func `an item is added, found, edited in every field and added up`() throws {
    let folder = try TemporaryFolder()
    let result = try walk(
      """
      $capsule item add 'Gold ring' --category Gems --value 'EUR 1200' --quantity 2 \\
        --replacement-value 'EUR 1500.50' --location Safe --tag gold --description 'From a café'
      if $capsule item add 'gold RING' 2>/dev/null; then exit 99; fi
      $capsule item add 'Caf\u{e9} mug' --value 'usd 5.5' --category Kitchen -q
      if $capsule item add 'CAFE\u{301} MUG' 2>/dev/null; then exit 99; fi
      if $capsule item add Bad --value 'EUR 1.005' 2>/dev/null; then exit 99; fi
      test "$($capsule item list --search CAFE --plain | wc -l)" -eq 2
      test "$($capsule item list --category gems --plain | cut -f2)" = 'Gold ring'
      $capsule item totals
      $capsule item categories
      $capsule item edit 'gold ring' --name Ring --description New --category Old --value 'EUR 3' \\
        --replacement-value '' --quantity 1 --location Bank --tag new --untag gold
      $capsule item list --sort value --plain | cut -f2,4
      """, in: folder)
    for line in [
      "Gems\t1\tEUR 2400.00\tEUR 3001.00", "Total\t1\tUSD 5.50\tUSD 0.00", "Kitchen\t1",
      "  name  Gold ring → Ring", "  description  From a café → New", "  category  Gems → Old",
      "  value  EUR 1200.00 → EUR 3.00", "  replacementValue  EUR 1500.50 → none",
      "  quantity  2 → 1", "  location  Safe → Bank", "  tags  gold → new",
      "Ring\tEUR 3.00\nCafé mug\tUSD 5.50",
    ] {
      #expect(result.out.contains(line), "\(line) is not in \(result.out)")
    }
  }

  @Test func `media are kept once, come back byte for byte, and go with their bytes`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
      """
      printf 'GIF89a\\003\\000\\002\\000\\000\\000\\000,\\000\\000\\000\\000\\003\\000\\002\\000\\000\\002\\001x' > a.gif
      cp a.gif same.gif
      printf '%%PDF-1.4\\nx' > d.pdf
      head -c 3000 /dev/zero > big
      blobs() { find store/blobs -type f | wc -l; }
      $capsule item add Ring
      $capsule item add Box
      $capsule item attach Ring a.gif d.pdf
      $capsule item attach Ring same.gif --title Front
      $capsule item attach Box a.gif
      test "$(blobs)" -eq 2
      test "$($capsule item media Ring --plain | cut -f1-6 | sed -n 3p)" \\
        = "$(printf '3\\tsame.gif\\tFront\\timage/gif\\t26 B\\t3 × 2')"
      $capsule item extract Ring -o out
      cmp a.gif out/a.gif; cmp d.pdf out/d.pdf; cmp a.gif out/same.gif
      $capsule item extract Ring front -o - | cmp - a.gif
      if $capsule item detach Ring 1 2>/dev/null; then exit 99; fi
      $capsule item detach Ring d.pdf 1 Front --yes
      test "$(blobs)" -eq 1
      $capsule item delete Box --yes
      $capsule purge --yes
      test "$(blobs)" -eq 0
      $capsule settings set maxFileSize 2000
      if $capsule item attach Ring big 2>/dev/null; then exit 99; fi
      test "$(blobs)" -eq 0
      if PATH=/nonexistent $capsule item play Ring 2>/dev/null; then exit 99; fi
      $capsule item attach Ring a.gif
      if PATH=/nonexistent $capsule item play Ring 1 2> told; then exit 99; fi
      grep -q "'ffplay', 'mpv', 'afplay', 'aplay'" told
      $capsule verify
      """, in: folder)
  }

  @Test func `a history is kept, told, drawn, and goes and comes back with its item`() throws {
    let folder = try TemporaryFolder()
    let result = try walk(
      """
      $capsule item add Filter
      $capsule item log Filter --when '2020-03-01 10:00' --value 1.50 --notes 'a, "b"'
      $capsule item log Filter --when '2020-01-01 10:00' --value -2
      if $capsule item log Filter --when tomorrow 2>/dev/null; then exit 99; fi
      $capsule item history Filter --csv
      $capsule item history Filter --plot values > /dev/null
      $capsule item history Filter --plot intervals > /dev/null
      $capsule since --at '2020-03-03 10:00' --style subUnits | cut -f1,2
      $capsule since --at '2020-03-02 22:00' --style tenths --details | cut -f1,2,5
      for unit in '90 minutes' '2 hours' day '2 weeks' '3 months' year; do
        $capsule item remind Filter --every "$unit" -q
      done
      $capsule item remind Filter --every '3 months' --time 09:00 --name Change
      $capsule item remind Filter --off
      test -z "$($capsule check --dry-run --at 2100-01-01)"
      $capsule item remind Filter --on
      $capsule check --dry-run --at 2100-01-01 | grep -q 'Filter: Change'
      $capsule item delete Filter --yes -q
      test "$($capsule since --json)" = '[]'
      $capsule restore Filter
      test "$($capsule item history Filter --plain | wc -l)" -eq 2
      $capsule item show Filter | grep -q 'Change, every 3 months at 09:00'
      $capsule item unlog Filter 1 --yes
      test "$($capsule item history Filter --plain | wc -l)" -eq 1
      $capsule item add Other
      $capsule item remind Other --every '1 minute' --from 'in 1 second'
      $capsule check > /dev/null
      sleep 2
      test "$($capsule check | grep -c '^Other')" -eq 1
      test -z "$($capsule check)"
      """, in: folder)
    for line in [
      "1,2020-01-01T09:00:00Z,2020-01-01T10:00:00+01:00,-2,,\r\n",
      "2,2020-03-01T09:00:00Z,2020-03-01T10:00:00+01:00,1.50,5184000,\"a, \"\"b\"\"\"\r\n",
      "Filter\t2 d", "Filter\t1.5 days\t2",
    ] {
      #expect(result.out.contains(line), "\(line) is not in \(result.out)")
    }
  }

  @Test func `of two processes that add one name, one is refused`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
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
      """, in: folder)
  }
}
