import CapsuleCore
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where test vectors lie: the repository's own, and published ones that may lie beside it.
enum TestVectors {
  /// `Tests/CapsuleCoreTests/Vectors`.
  static let directory = ancestor(2) + "/Vectors"

  /// Published vectors: what `CAPSULE_VECTORS` names, or `../shared/vectors` beside the repository.
  static let published: String =
    if let value = getenv("CAPSULE_VECTORS") {
      String(cString: value)
    } else {
      ancestor(5) + "/shared/vectors"
    }

  /// Whether published vectors are there. Where they are not, the tests on them say that they skip.
  static var arePublishedThere: Bool {
    (try? POSIXFileSystem().status(FilePath(published)).kind) == .directory
  }

  /// One published file.
  static func publishedJSON(_ name: String) throws -> JSON {
    let path = FilePath(published + "/" + name)
    return try JSON.parse(try POSIXFileSystem().readFile(path, limit: 1 << 24))
  }

  /// The directory `levels` above this file.
  private static func ancestor(_ levels: Int) -> String {
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels)
      .joined(separator: "/")
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only where the published vectors are.
  static var publishedVectors: ConditionTrait {
    .enabled(
      if: TestVectors.arePublishedThere,
      "SKIPPED: the published vectors are not there; CAPSULE_VECTORS names their directory")
  }
}
