// swift-tools-version: 6.2
import PackageDescription

/// One strict set for every target. Warnings are errors where `CAPSULE_STRICT` is set (CI does), so
/// that a newer compiler's new warning never stops a user's build.
let strict: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (Context.environment["CAPSULE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// Tests are compiled in one part a target: each part expands the macros of all files of its target again, which
/// is also why the tests are several targets. Their modules are made by themselves: with
/// `-no-emit-module-separately` none is made in a new copy of the repository. A crash names its line without the
/// types of variables, which would take a twentieth of the time.
let inOnePart: [SwiftSetting] = [
  .unsafeFlags([
    "-driver-batch-count", "1", "-gline-tables-only",
  ])
]

/// The library: five targets, a folder each below Sources/CapsuleCore, and in this order: a target uses those before
/// it. Their names are global to whoever uses the package, so each begins with ours.
func core(_ name: String, in folder: String, uses: [String]) -> Target {
  .target(
    name: name, dependencies: (["CapsulePlatform"] + uses).map { .target(name: $0) }, path: "Sources/CapsuleCore/\(folder)",
    swiftSettings: strict)
}

/// The tests: a folder, and in it the targets with the parts of it that are theirs. The first has what the
/// others use.
func tests(
  in folder: String, of modules: [Target.Dependency], besides data: String,
  _ targets: KeyValuePairs<String, [String]>
) -> [Target] {
  let all = targets.flatMap(\.value) + [data]
  return targets.enumerated().map { place, target in
    .testTarget(
      name: target.key,
      dependencies: modules + ["CapsulePlatform", "TestSupport"]
        + (place == 0 ? [] : [.target(name: targets[0].key)]),
      path: "Tests/\(folder)", exclude: all.filter { !target.value.contains($0) },
      sources: target.value, swiftSettings: strict + inOnePart)
  }
}

let package = Package(
  name: "capsule",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CapsuleCore", targets: ["CapsuleCore"]),
    .executable(name: "capsule", targets: ["capsule"]),
  ],
  targets: [
    .target(
      name: "CapsulePlatform", path: "Sources/CapsuleCore/Platform", swiftSettings: strict),
    core("CapsuleBytes", in: "Bytes", uses: []),
    core("CapsuleCalendar", in: "Calendar", uses: ["CapsuleBytes"]),
    core("CapsuleAge", in: "Age", uses: ["CapsuleBytes", "CapsuleCalendar"]),
    core("CapsuleFormats", in: "Formats", uses: ["CapsuleBytes", "CapsuleCalendar"]),
    core("CapsuleCore", in: "Core", uses: ["CapsuleBytes", "CapsuleCalendar", "CapsuleAge", "CapsuleFormats"]),
    .executableTarget(
      name: "capsule", dependencies: ["CapsuleCore", "CapsulePlatform"], swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["CapsuleCore", "CapsulePlatform"],
      path: "Tests/TestSupport",
      swiftSettings: strict),
  ]
    + tests(
      in: "CapsuleCoreTests", of: ["CapsuleCore"], besides: "Vectors",
      [
        "CoreTestHelpers": ["Support"],
        "CapsuleCoreTests": ["Age", "Basics", "Crypto", "JSON", "Shares", "Time", "Tlock"],
        "CapsuleStoreTests": ["Archive", "Capsules", "Files", "Index", "Journal", "Store"],
        "CapsuleRecordTests": [
          "Agenda", "Drafts", "Exchange", "Handover", "Library", "Mail", "People", "Queries",
          "Records",
          "Sync", "Tar", "Trustees",
        ],
      ])
    + tests(
      in: "capsuleTests", of: ["capsule", "CapsuleCore"], besides: "Golden",
      [
        "ProgramTestHelpers": ["Harness"],
        "capsuleTests": [
          "Commands/Capsules", "Completion", "Documents", "Grammar", "Output", "Reference",
          "System", "Transcripts",
          "Whole",
        ],
        "ProgramRecordTests": ["Commands/Records"],
        "ProgramStoreTests": ["Commands/Store"],
      ]),
  swiftLanguageModes: [.v6]
)
