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

/// What debug builds optimize too: the targets below the models, the helpers of the tests with their simulated file
/// system, and the fuzz targets. They hash, seal and work with dates so much that the tests would take half as long
/// again.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Tests, but not their helpers, are compiled in one part a target: each part expands the macros of all files of its
/// target again, which is also why the tests are several targets. Their modules are made by themselves: with
/// `-no-emit-module-separately` none is made in a new copy of the repository.
let inOnePart: [SwiftSetting] = [.unsafeFlags(["-driver-batch-count", "1"])]

/// The library: five targets, a folder each below Sources/CapsuleCore, and in this order: a target uses those before
/// it. Their names are global to whoever uses the package, so each begins with ours.
func core(
  _ name: String, in folder: String, uses: [String], _ settings: [SwiftSetting] = optimized
) -> Target {
  .target(
    name: name, dependencies: (["CapsulePlatform"] + uses).map { .target(name: $0) },
    path: "Sources/CapsuleCore/\(folder)",
    swiftSettings: strict + settings)
}

/// The tests: a folder, and in it the targets with the parts of it that are theirs: name, folders, and what they use
/// besides.
func tests(
  in folder: String, besides data: String,
  _ targets: [(name: String, folders: [String], uses: [String])]
) -> [Target] {
  let all = targets.flatMap(\.folders) + [data]
  return targets.map { target in
    .testTarget(
      name: target.name,
      dependencies: (["CapsulePlatform", "TestSupport"] + target.uses).map { .target(name: $0) },
      path: "Tests/\(folder)", exclude: all.filter { !target.folders.contains($0) },
      sources: target.folders,
      swiftSettings: strict + (target.name.hasSuffix("Helpers") ? optimized : inOnePart))
  }
}

/// What a script alone builds, in a folder of its own below .build: the fuzz targets and the benchmarks are there
/// where its variable is set, and nowhere else.
func scripts() -> [Target] {
  var targets: [Target] = []
  if Context.environment["CAPSULE_FUZZ"] != nil {
    // The entry point is that of libFuzzer, which `--sanitize fuzzer` brings.
    targets.append(
      .executableTarget(
        name: "CapsuleFuzz", dependencies: ["CapsuleCore", "CapsulePlatform"], path: "Fuzz",
        exclude: ["corpus"], swiftSettings: strict + optimized))
  }
  if Context.environment["CAPSULE_BENCH"] != nil {
    for (name, other) in [("Hybrid", "Tlock"), ("Tlock", "Hybrid")] {
      targets.append(
        .executableTarget(
          name: "\(name)Bench", dependencies: ["CapsuleAge", "CapsulePlatform"], path: "Benchmarks",
          exclude: ["\(other).swift"], swiftSettings: strict))
    }
  }
  return targets
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
    core(
      "CapsuleCore", in: "Core",
      uses: ["CapsuleBytes", "CapsuleCalendar", "CapsuleAge", "CapsuleFormats"],
      []),
    .executableTarget(
      name: "capsule", dependencies: ["CapsuleCore", "CapsulePlatform"], swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["CapsuleAge", "CapsulePlatform"],
      path: "Tests/TestSupport",
      swiftSettings: strict + optimized),
    .target(
      name: "StoreTestSupport", dependencies: ["CapsuleCore", "CapsulePlatform", "TestSupport"],
      path: "Tests/StoreSupport", swiftSettings: strict + optimized),
  ]
    + scripts()
    + tests(
      in: "CapsuleCoreTests", besides: "Vectors",
      [
        ("RoomTestHelpers", ["Rooms"], ["CapsuleAge"]),
        (
          "CapsuleAgeTests", ["Age", "Crypto", "Shares", "Tlock"],
          ["CapsuleAge", "RoomTestHelpers"]
        ),
        (
          "CapsuleCalendarTests", ["Basics", "JSON", "Time"],
          ["CapsuleCalendar", "RoomTestHelpers"]
        ),
        ("CoreTestHelpers", ["Support"], ["CapsuleCore", "RoomTestHelpers", "StoreTestSupport"]),
        (
          "CapsuleStoreTests", ["Archive", "Capsules", "Files", "Index", "Journal", "Store"],
          ["CapsuleCore", "CoreTestHelpers"]
        ),
        (
          "CapsuleRecordTests",
          [
            "Agenda", "Drafts", "Exchange", "Handover", "Library", "Mail", "People", "Queries",
            "Records",
            "Sync", "Tar", "Trustees",
          ], ["CapsuleCore", "CoreTestHelpers"]
        ),
      ])
    + tests(
      in: "capsuleTests", besides: "Golden",
      [
        ("ProgramTestHelpers", ["Harness"], ["capsule", "CapsuleCore", "StoreTestSupport"]),
        (
          "capsuleTests",
          [
            "Commands/Capsules", "Documents", "Grammar", "Output", "System", "Transcripts", "Whole",
          ], ["capsule", "CapsuleCore", "ProgramTestHelpers"]
        ),
        (
          "ProgramRecordTests", ["Commands/Records"],
          ["capsule", "CapsuleCore", "ProgramTestHelpers"]
        ),
        (
          "ProgramStoreTests", ["Commands/Store"], ["capsule", "CapsuleCore", "ProgramTestHelpers"]
        ),
      ]),
  swiftLanguageModes: [.v6]
)
