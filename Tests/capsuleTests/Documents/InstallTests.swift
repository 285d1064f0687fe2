import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `make install`, with a program that is built already.
@Suite struct InstallTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    // Stands for the Swift that would build it.
    let program = try home.shell("printf %s \"$capsule\"").out
    try home.writeProgram(
      "swift", "case \"$*\" in *--show-bin-path*) dirname '\(program)' ;; esac")
  }

  private func make(_ words: String) throws -> ProgramRun.Result {
    let root = BuiltProgram.packageRoot
    return try home.shell(
      "make --no-print-directory -C '\(root)' \(words) SWIFT=\"$PWD/bin/swift\" PREFIX=\"$PWD/usr\""
    )
  }

  private static let isPossible = OtherPrograms.areExpected("make", "strip", "install")

  @Test(.enabled(if: isPossible, "make, strip or install is not installed"))
  func `an installed program is stripped, and it is said what lies where`() throws {
    let result = try make("install")
    expect(result.end, is: .exited(0), "\(result.err)")
    let built = try home.shell("wc -c < \"$capsule\"").out
    let installed = try home.shell("wc -c < usr/bin/capsule").out
    let sizes = [built, installed].map { Int($0.filter(\.isNumber)) ?? 0 }
    expect(sizes[1] > 0 && sizes[1] < sizes[0])
    expect(try home.shell("usr/bin/capsule --version").out.hasPrefix("capsule "))
    let said = result.out.split(separator: "Installed:").last ?? ""
    for file in [
      "bin/capsule", "share/man/man1/capsule*.1", "share/bash-completion/completions/capsule",
      "share/zsh/site-functions/_capsule", "share/fish/vendor_completions.d/capsule.fish",
    ] {
      expect(said.contains(home.path + "/usr/" + file), "\(said)")
      try expect(home.shell("ls usr/\(file)").end, is: .exited(0), "\(file)")
    }
    expect(said.contains("Your PATH does not have \(home.path)/usr/bin yet."))
    _ = try make("uninstall")
    expect(try home.shell("find usr -type f").out.isEmpty)
  }
}
