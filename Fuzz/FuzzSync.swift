import CapsuleCore

/// The lines of a change file, after their proof, are read or refused however they come; a state that was read is
/// written and read the same. The proof takes any bytes and what has their code, and nothing that differs.
func fuzzSegment(_ input: [UInt8]) {
  let whole = states(of: input, piece: input.count + 1)
  require(whole.states == states(of: input, piece: 97).states, "pieces make no difference")
  for state in whole.states {
    require((try? RecordState(json: state.json)) == state, "a state that was written is read")
    _ = state.isAlive
    for kind in RecordKind.allCases { _ = MergeTable.all[kind].map { state.fields($0) } }
    require(state.joined(with: state) == state, "a state joined with itself is the same")
  }
  if let header = try? CarrierHeader(input) {
    require((try? CarrierHeader(header.encoded)) == header, "a header that was written is read")
  }
  let key = [UInt8](repeating: 7, count: 32)
  func code() -> HMACSHA256 { key.withUnsafeBytes { HMACSHA256(key: $0) } }
  var whatever = SegmentProof(code())
  if (try? input.withUnsafeBytes({ try whatever.write($0) })) != nil { _ = whatever.isProven() }
  let lines = [UInt8(ascii: "\n")] + input + [UInt8(ascii: "\n")]
  var own = code()
  own.update(lines)
  let last = JSON.object(["code": .string(Hex.encode(own.finalize()))]).encoded(.compact)
  var proof = SegmentProof(code())
  for piece in [lines, last + [UInt8(ascii: "\n")]] {
    guard (try? piece.withUnsafeBytes({ try proof.write($0) })) != nil else {
      return require(false, "an empty first line names no format")
    }
  }
  require(proof.isProven(), "lines with their code are proven")
}

/// The states of the records in lines; those before the first one that is refused.
private func states(of input: [UInt8], piece: Int) -> (states: [RecordState], isWhole: Bool) {
  var states: [RecordState] = []
  let first = JSON.object(["format": 1])
  let bytes = first.encoded(.compact) + [UInt8(ascii: "\n")] + input
  let isWhole = withoutActuallyEscaping({ (_: SyncSubject, state: RecordState) in
    states.append(state)
  }) { record in
    var lines = SegmentLines(first: first, record)
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(piece))
      guard (try? part.withUnsafeBytes({ try lines.write($0) })) != nil else { return false }
      rest = rest.dropFirst(part.count)
    }
    return (try? lines.finish()) != nil
  }
  return (states, isWhole)
}
