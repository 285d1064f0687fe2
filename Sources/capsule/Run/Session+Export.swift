import CapsuleCore

extension Session {
  /// Refuses a place in a store or a carrier for what is written in the clear.
  func require(_ path: FilePath, outside store: Store) throws {
    try host.files.requireOutsideStores(path, and: store.layout.root)
  }

  /// Writes what is exported to a file that is not there yet, or to standard output.
  ///
  /// - Parameters:
  ///   - path: `nil` and `-` are standard output.
  ///   - noun: the word for what is written, of one and of several.
  ///   - write: hands over the bytes in pieces that end with whole lines, and returns their number.
  func export(
    to path: FilePath?, of noun: (String, String),
    _ write: (([UInt8]) throws -> Void) throws -> Int
  ) throws {
    guard let path, path != FilePath("-") else {
      let out = console.out
      _ = try write { bytes in
        if out.isTerminal {
          // A terminal gets the lines without the characters that it would act on.
          out.block(String(decoding: bytes.filter { $0 != 0x0d }, as: UTF8.self))
        } else {
          out.bytes(bytes)
        }
        if out.isBroken { try out.flush() }
      }
      return try out.flush()
    }
    let count: Int
    try host.files.requireOutsideStores(path.parent, for: path)
    do {
      count = try host.files.writeBeside(path, replacing: false, random: host.random) { file in
        try write { bytes in try bytes.withUnsafeBytes { try file.write($0) } }
      }
    } catch is NameTaken {
      throw Failure(
        .refused, "'\(path.text)' exists already; nothing was written",
        hint: "write to another file, or redirect standard output")
    }
    if !isQuiet {
      console.note("Wrote \(String.counting(count, noun.0, noun.1)) to '\(path.text)'.")
    }
  }
}
