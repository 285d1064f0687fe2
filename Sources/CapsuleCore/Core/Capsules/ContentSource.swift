/// Something that is to be put into a capsule.
public struct ContentSource {
  /// The origin of the content.
  package enum Origin {
    /// A text, at most ``ContentDetails/textLimit`` bytes; a longer one is sealed as a file.
    case text(String)
    /// A file of the user's, by its path; links are followed.
    case file(FilePath)
    /// Standard input, or anything else that is read to its end: text where it is text, else a file.
    case stream(any ByteSource, name: [UInt8])
  }

  package let origin: Origin
  package let caption: String?

  package init(_ origin: Origin, caption: String? = nil) {
    self.origin = origin
    self.caption = caption
  }
}
