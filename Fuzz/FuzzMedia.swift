import CapsuleCore

/// What the header of a media file tells is read within the file, and is possible.
func fuzzMedia(_ input: [UInt8]) {
  let probe = MediaProbe(size: Int64(input.count)) { offset, count in
    require(
      offset >= 0 && count >= 0 && offset + Int64(count) <= Int64(input.count),
      "nothing behind the file's end is asked for")
    return Array(input[Int(offset)..<Int(offset) + count])
  }
  let facts = probe.facts()
  require((facts.width == nil) == (facts.height == nil), "an image has both measures")
  require(facts.width ?? 1 > 0 && facts.height ?? 1 > 0, "an image has pixels")
  require(facts.milliseconds ?? 0 >= 0, "a length is not below nothing")
  require(facts.width == nil || facts.milliseconds == nil, "a file is an image or a sound")
  let head = Array(input.prefix(MediaType.headSize))
  let type = MediaType(head: head, isWhole: head.count == input.count, name: Array("x".utf8))
  require(facts.width == nil || type.kind == .image, "what has pixels is an image")
  require(!type.description.isEmpty, "every file has a type")
}
