extension OpenedCapsule {
  /// Returns what may be searched in it: texts, text files that are not long, the names of files, and
  /// captions.
  ///
  /// - Throws: as ``write(_:_:to:progress:)`` does.
  package func searchFields() throws(CapsuleError) -> [SearchField] {
    var fields: [SearchField] = []
    for (place, (content, details)) in zip(capsule.contents, details).enumerated() {
      var texts = [details.nameText, details.caption ?? ""]
      if let text = details.text {
        texts.append(text)
      } else if details.mediaType.hasPrefix("text/"), details.size <= ContentDetails.textLimit {
        var sink = MemorySink()
        try write(content, details, to: &sink)
        texts.append(String(decoding: sink.bytes, as: UTF8.self))
      }
      for text in texts where !text.isEmpty {
        fields.append(SearchField(.content, text, number: place + 1))
      }
    }
    return fields
  }
}
