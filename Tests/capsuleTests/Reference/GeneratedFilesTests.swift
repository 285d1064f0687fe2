import TestSupport
import Testing

@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the repository keeps of the table. `Scripts/generate` writes it again.
@Suite struct GeneratedFilesTests {
  static let files = GeneratedFiles(.capsule)

  @Test(arguments: files.paths)
  func `a generated file is what the table makes`(path: String) throws {
    let kept = RepositoryFile.content(path)
    #expect(kept == Self.files.content(path), "run Scripts/generate")
  }

  @Test(arguments: ["man", "completions"])
  func `no generated file is left over`(folder: String) {
    let kept = RepositoryFile.names(in: folder).map { folder + "/" + $0 }
    #expect(Set(kept).subtracting(Self.files.paths).isEmpty, "run Scripts/generate")
  }

  @Test func `a page of the manual has no line that roff would take for a request`() throws {
    let topic = HelpTopic("x", summary: "Show 'a' \\ b", body: ".SH not a request\n\n  .TH\n  'x")
    let page = ReferencePage(topic).manual(version: "1")
    let known = [".\\\"", ".TH ", ".SH ", ".PP", ".RS", ".RE", ".nf", ".fi", ".TP", ".B ", ".BR "]
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(known.contains { line.hasPrefix($0) }, "\(line)")
    }
    #expect(page.contains(#"\&.SH not a request"#))
    #expect(page.contains(#"\- Show \(aqa\(aq \e b"#))
  }
}

/// Files of the repository.
enum RepositoryFile {
  /// The text of a file by its path from the root; `nil` when there is none.
  static func content(_ path: String) -> String? {
    bytes(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes of a file by its path from the root; `nil` when there is none.
  static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(BuiltProgram.packageRoot + path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// The names in a folder, without those that begin with a dot.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(BuiltProgram.packageRoot + folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
