package import CapsuleAge
import Foundation
import Synchronization

/// The plaintext that the files in Vectors/age hold: byte i is (7 i + 3) mod 251.
package func testPattern(_ count: Int) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    for index in 0..<count { buffer[index] = UInt8((7 * index + 3) % 251) }
    initialized = count
  }
}

/// Opens an age file with the first identity that fits.
package func openAge(
  _ file: [UInt8], with identities: [any Identity], threads: Int = 2
) throws -> [UInt8] {
  var sink = MemorySink()
  var reader = try AgeReader(MemorySource(file))
  let key = try reader.unlock(with: identities)
  _ = try reader.open(with: key, to: &sink, threads: threads)
  return sink.bytes
}

/// A file in a folder of `Vectors`.
package func vector(_ folder: String, _ name: String) throws -> [UInt8] {
  let vectors = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors")
  return [UInt8](try Data(contentsOf: vectors.appending(path: folder + "/" + name)))
}

extension AgeFailure: CustomStringConvertible {
  /// What failed, in few words, to compare in tests.
  public var description: String {
    switch self {
    case .header(let fault): "header \(fault)"
    case .headerMAC: "header MAC"
    case .payload(let fault): "payload \(fault)"
    case .armor(let fault): "armor \(fault)"
    case .noMatch: "no match"
    case .tooEarly(let instant): "too early until \(instant.seconds)"
    case .unproven(let why): "unproven: \(why)"
    case .recipients(let fault): "recipients \(fault)"
    case .source(let error): "source \(error)"
    case .sink(let error): "sink \(error)"
    case .random(let error): "random \(error)"
    case .memory: "memory"
    case .tooMuchWork(let workFactor, let limit): "work of \(workFactor) above \(limit)"
    }
  }
}

/// What a call failed with, in few words; `nil` where it did not fail.
package func failure<Failure: Error>(of body: () throws(Failure) -> Void) -> String? {
  do throws(Failure) {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

/// Bytes that are random enough and the same in every run.
package func fixedRandom(_ seed: UInt8 = 1) -> RandomSource {
  let counter = Counter()
  return RandomSource { buffer throws(Fault) in
    for index in 0..<buffer.count {
      let block = counter.next()
      buffer[index] = SHA256.hash([seed, UInt8(block & 0xff), UInt8(block >> 8 & 0xff)])[0]
    }
  }
}

private final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  func next() -> Int {
    value.wrappingAdd(1, ordering: .relaxed).oldValue
  }
}
