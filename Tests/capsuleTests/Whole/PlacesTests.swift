import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct PlacesTests {
  private func places(
    _ environment: [String: String], store: String? = nil, accountHome: String? = "/home/ada"
  ) -> UserDirectories {
    UserDirectories(
      named: store.map { FilePath($0) },
      environment: EnvironmentVariables(environment.map { Array("\($0.key)=\($0.value)".utf8) }),
      workingDirectory: { Array("/here".utf8) },
      accountHome: { accountHome.map { Array($0.utf8) } })
  }

  @Test(
    arguments: [
      (nil, ["HOME": "/h"], "/h/.local/share/capsule", false),
      (nil, ["HOME": "/h", "XDG_DATA_HOME": "/d"], "/d/capsule", false),
      (nil, ["HOME": "/h", "XDG_DATA_HOME": "relative"], "/h/.local/share/capsule", false),
      (nil, ["HOME": "/h", "XDG_DATA_HOME": ""], "/h/.local/share/capsule", false),
      (nil, ["HOME": "/h", "XDG_DATA_HOME": "/d", "CAPSULE_STORE": "/s"], "/s", true),
      (nil, ["CAPSULE_STORE": "s"], "/here/s", true),
      (nil, ["CAPSULE_STORE": "", "HOME": "/h"], "/h/.local/share/capsule", false),
      ("/o", ["CAPSULE_STORE": "/s"], "/o", true),
      ("o/p", [:], "/here/o/p", true),
      (nil, [:], "/home/ada/.local/share/capsule", false),
      (nil, ["HOME": "relative"], "/home/ada/.local/share/capsule", false),
    ] as [(String?, [String: String], String, Bool)])
  func `the store is the option's, the variable's, or that of XDG`(
    option: String?, environment: [String: String], store: String, isNamed: Bool
  ) {
    let places = places(environment, store: option)
    expect(places.store, is: FilePath(store))
    expect(places.storeIsNamed, is: isNamed)
  }

  @Test func `cache, state and configuration go by XDG likewise`() {
    let places = places([
      "HOME": "/h", "XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "x", "XDG_CONFIG_HOME": "/f",
      "XDG_RUNTIME_DIR": "/run/user/1",
    ])
    expect(places.cache, is: FilePath("/c/capsule"))
    expect(places.state, is: FilePath("/h/.local/state/capsule"))
    expect(places.configuration, is: FilePath("/f/capsule"))
    expect(places.runtime, is: FilePath("/run/user/1"))
  }

  @Test func `without any home there is no store, and it is said how to name one`() {
    expect(places([:], accountHome: nil).store == nil)
  }
}
