// swift-tools-version: 6.2
import PackageDescription

/// One strict set for every target. Warnings are errors where `CAPSULE_STRICT` is set (CI does), so
/// that a newer compiler's new warning never stops a user's build.
var strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["CAPSULE_STRICT"] != nil {
  strict.append(.treatAllWarnings(as: .error))
}

/// Tests are compiled in four parts: each part expands the macros of all files of its target again, and
/// the time of a part grows faster than the number of its files.
let inFourParts: [SwiftSetting] = [.unsafeFlags(["-driver-batch-count", "4"])]

let package = Package(
  name: "capsule",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CapsuleCore", targets: ["CapsuleCore"]),
    .executable(name: "capsule", targets: ["capsule"]),
  ],
  targets: [
    .target(name: "CapsuleCore", swiftSettings: strict),
    .executableTarget(
      name: "capsule", dependencies: ["CapsuleCore"], swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["CapsuleCore"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "CapsuleCoreTests", dependencies: ["CapsuleCore", "TestSupport"], exclude: ["Vectors"],
      swiftSettings: strict + inFourParts),
    .testTarget(
      name: "capsuleTests", dependencies: ["capsule", "CapsuleCore", "TestSupport"],
      exclude: ["Golden"],
      swiftSettings: strict + inFourParts),
  ],
  swiftLanguageModes: [.v6]
)
