import CapsuleAge
import RoomTestHelpers

/// The classes of vectors of the public testkit, by its names: what concerns the payload, and what
/// of it is released before the damage.
extension AgeVector {
  static func streams() -> [AgeVector] {
    typealias File = AgeFileBuilder
    let one = File.full(0)
    let two = File.full(1)
    let three = File.full(2)
    let text = Array("age".utf8)
    return [
      stream("stream_bad_tag", []) { file in
        file.chunk(text, last: true)
        file.bytes[file.bytes.count - 1] ^= 0xff
      },
      stream("stream_bad_tag_second_chunk", one) { file in
        file.chunk(one)
        file.chunk(text, last: true)
        file.bytes[file.bytes.count - 1] ^= 0xff
      },
      stream("stream_bad_tag_second_chunk_full", one) { file in
        file.chunk(one)
        file.chunk(two, last: true)
        file.bytes[file.bytes.count - 1] ^= 0xff
      },
      stream("stream_bad_first_chunk_of_two", []) { file in
        file.chunk(one)
        file.bytes[file.bytes.count - 17] ^= 1
        file.chunk(two, last: true)
      },
      stream("stream_empty_payload", [], .success) { $0.chunk([], last: true) },
      stream("stream_last_chunk_empty", one) { file in
        file.chunk(one)
        file.chunk([], last: true)
      },
      stream("stream_last_chunk_full", one, .success) { $0.chunk(one, last: true) },
      stream("stream_last_chunk_full_second", one + two, .success) { file in
        file.chunk(one)
        file.chunk(two, last: true)
      },
      stream("stream_missing_tag", []) { file in
        file.chunk(text, last: true)
        file.bytes.removeLast(16)
      },
      stream("stream_no_chunks", []) { _ in },
      stream("stream_no_final", []) { $0.chunk(text) },
      stream("stream_no_final_full", one) { $0.chunk(one) },
      stream("stream_no_final_two_chunks", one) { file in
        file.chunk(one)
        file.chunk(text)
      },
      stream("stream_no_final_two_chunks_full", one + two) { file in
        file.chunk(one)
        file.chunk(two)
      },
      stream("stream_no_nonce", [], .headerFailure, nonce: false) { _ in },
      stream("stream_short_nonce", [], .headerFailure, nonce: false) { $0.bytes += $0.random(12) },
      stream("stream_short_chunk", []) { $0.bytes += $0.random(12) },
      stream("stream_short_second_chunk", one) { file in
        file.chunk(one)
        file.bytes += file.random(12)
      },
      stream("stream_three_chunks", one + two + three, .success) { file in
        file.chunk(one)
        file.chunk(two)
        file.chunk(three, last: true)
      },
      stream("stream_trailing_garbage_long", one) { file in
        file.chunk(one, last: true)
        file.bytes += file.random(20)
      },
      stream("stream_trailing_garbage_short", one) { file in
        file.chunk(one, last: true)
        file.bytes += file.random(12)
      },
      stream("stream_trailing_garbage_after_short_chunk", []) { file in
        file.chunk(text, last: true)
        file.bytes += file.random(12)
      },
      stream("stream_trailing_chunk", one) { file in
        file.chunk(one, last: true)
        file.chunk(two)
      },
      stream("stream_two_chunks", one + text, .success) { file in
        file.chunk(one)
        file.chunk(text, last: true)
      },
      stream("stream_two_final_chunks", one) { file in
        file.chunk(one, last: true)
        file.chunk(text, last: true)
      },
      stream("stream_two_final_chunks_full", one) { file in
        file.chunk(one, last: true)
        file.chunk(two, last: true)
      },
      stream("stream_chunks_swapped", []) { file in
        file.chunk(one)
        file.chunk(two)
        let second = file.bytes.suffix(File.chunkByteCount + 16)
        file.bytes.removeLast(2 * second.count)
        file.chunk(three, last: true)
        let third = file.bytes.suffix(second.count)
        file.bytes.removeLast(third.count)
        file.bytes += second + third
      },
    ]
  }

  private static func stream(
    _ name: String, _ released: [UInt8], _ expect: Outcome = .payloadFailure, nonce: Bool = true,
    _ build: (inout AgeFileBuilder) -> Void
  ) -> AgeVector {
    var file = AgeFileBuilder()
    file.version()
    file.x25519()
    file.mac()
    if nonce { file.nonce() }
    build(&file)
    return AgeVector(name: name, expect: expect, file: file.bytes, released: released)
  }
}
