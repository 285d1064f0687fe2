package import CapsuleAge

/// All that a command wrote and how it ended, wherever it ran.
package protocol CommandAnswer {
  var output: [UInt8] { get }
  var errorOutput: [UInt8] { get }
  /// The code it ended with; `nil` when something else ended it.
  var exitCode: Int32? { get }
}

extension CommandAnswer {
  /// Standard output as text.
  package var out: String { String(decoding: output, as: UTF8.self) }
  /// Standard error as text.
  package var err: String { String(decoding: errorOutput, as: UTF8.self) }
  /// The lines of standard output.
  package var lines: [String] { out.split(separator: "\n").map(String.init) }

  /// Standard output as JSON.
  package func json() throws -> JSON { try JSON.parse(output) }
  /// The object of the one line on standard error.
  package func errorJSON() throws -> JSON { try JSON.parse(errorOutput) }
}
