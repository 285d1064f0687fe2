import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import capsule

@Suite struct PermissionHintTests {
  /// A home of the user 12345 in which root has made some directories.
  private func hint(
    _ path: String, owners: [String: uid_t], mode: mode_t = 0o700, user: UInt32 = 12345
  ) throws -> String? {
    let folder = try TemporaryFolder()
    let home = FilePath(folder.path).appending("home")
    let files = POSIXFileSystem()
    try files.createDirectories(home.appending("share/capsule/items"))
    for (name, owner) in owners { _ = chown(home.appending(name).text, owner, 0) }
    _ = chmod(home.appending(path).text, mode)
    _ = chown(home.text, 12345, 0)
    var host = Host.system()
    host.user = { user }
    host.accountName = { $0 == 0 ? Array("root".utf8) : $0 == 12345 ? Array("bob".utf8) : nil }
    let text = PermissionHint(host, own: [home.appending("share/capsule")])
      .text(for: FileRefusal(.open, home.appending(path), code: EACCES))
    return text?.replacing(home.text, with: "HOME")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `the hint names who owns what, and the command that puts it right`() throws {
    let all = ["share": uid_t(0), "share/capsule": 0, "share/capsule/items": 0]
    expect(
      try hint("share/capsule/items", owners: all),
      is: "'HOME/share' belongs to root; make it yours: sudo chown -R bob 'HOME/share'")
    let inside = ["share": uid_t(12345), "share/capsule": 12345, "share/capsule/items": 0]
    expect(
      try hint("share/capsule/items", owners: inside),
      is:
        "'HOME/share/capsule/items' belongs to root; make it yours: sudo chown -R bob 'HOME/share/capsule'"
    )
    let own = ["share": uid_t(12345), "share/capsule": 12345, "share/capsule/items": 12345]
    expect(
      try hint("share/capsule/items", owners: own, mode: 0),
      is: "allow it: chmod u+rwX 'HOME/share/capsule/items'")
    expect(try hint("share/capsule/items", owners: all, user: 0) == nil)
    expect(
      try hint("share/capsule/items", owners: all, user: 77),
      is:
        "'HOME/share/capsule' belongs to root; make it yours: sudo chown -R 77 'HOME/share/capsule'"
    )
  }
}
