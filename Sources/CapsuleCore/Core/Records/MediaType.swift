/// The type of a file: a MIME type (RFC 6838), from its bytes first and its name second.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
  /// As `image/jpeg`.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  package static let plainText = MediaType("text/plain")
  package static let unknown = MediaType("application/octet-stream")
  /// What the shared MIME database of freedesktop.org calls a directory.
  static let directory = MediaType("inode/directory")

  /// The number of bytes from a file's start that are looked at.
  package static let headSize = 4096

  /// Finds out a file's type.
  ///
  /// - Parameters:
  ///   - head: the file's first bytes, ``headSize`` at most.
  ///   - isWhole: whether that is all of the file.
  ///   - name: the file's name, for types that bytes alone do not show.
  package init(head: [UInt8], isWhole: Bool, name: [UInt8]) {
    let suffix = MediaType.suffix(of: name)
    let named = suffix.flatMap { MediaType.bySuffix[$0] }
    if let signed = Signature.type(of: head, named: named) {
      description = signed
    } else if head.isEmpty {
      description = named ?? MediaType.plainText.description
    } else if MediaType.isText(head, isWhole: isWhole) {
      // A name says which kind of text; it cannot make a text into an image.
      let isTextual = named.map { $0.hasPrefix("text/") || MediaType.textual.contains($0) } ?? false
      description = isTextual ? named ?? "text/plain" : "text/plain"
    } else if let named, !named.hasPrefix("text/"), !Signature.types.contains(named) {
      // Bytes of a type that has a signature would have shown it.
      description = named
    } else {
      description = MediaType.unknown.description
    }
  }

  /// Finds out the type that a file's bytes show by themselves: by a signature, or by being text, which is
  /// plain text then; `nil` where only the name says what it is.
  ///
  /// - Parameter name: the file's name, which tells types of one signature apart.
  package init?(shownBy head: [UInt8], isWhole: Bool, name: [UInt8]) {
    let named = MediaType.suffix(of: name).flatMap { MediaType.bySuffix[$0] }
    if let signed = Signature.type(of: head, named: named) {
      description = signed
    } else if MediaType.isText(head, isWhole: isWhole) {
      self = .plainText
    } else {
      return nil
    }
  }

  /// The type that a name alone says; `nil` where its end is not known.
  package init?(ofName name: [UInt8]) {
    guard let type = MediaType.suffix(of: name).flatMap({ MediaType.bySuffix[$0] }) else {
      return nil
    }
    self.init(type)
  }

  /// The kind of content.
  package var kind: ContentKind {
    if description == "text/html" || description == "text/csv" || description == "text/rtf" {
      return .document
    }
    switch description.split(separator: "/").first {
    case "text": return .text
    case "image": return .image
    case "audio": return .audio
    case "video": return .video
    default: return MediaType.documents.contains(description) ? .document : .other
    }
  }

  /// Returns the part of a name behind its last point, in lower case.
  static func suffix(of name: [UInt8]) -> String? {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0, point < name.count - 1
    else { return nil }
    return String(decoding: name[(point + 1)...], as: UTF8.self).lowercased()
  }

  /// Returns a suffix for files of a type; `nil` where none is known.
  package static func suffix(for type: String) -> String? {
    bySuffix.filter { $0.value == type }.map(\.key).min {
      ($0.utf8.count, $0) < ($1.utf8.count, $1)
    }
  }

  /// Whether bytes are text: UTF-8 without control characters but tab, line ends, form feed and
  /// escape. A character that the end of `head` cuts is no objection.
  package static func isText(_ head: [UInt8], isWhole: Bool) -> Bool {
    for byte in head where byte < 0x20 || byte == 0x7f {
      guard [0x09, 0x0a, 0x0c, 0x0d, 0x1b].contains(byte) else { return false }
    }
    var bytes = head[...]
    for _ in 0..<(isWhole ? 1 : 4) {
      if String(validating: bytes, as: UTF8.self) != nil { return true }
      bytes = bytes.dropLast()
    }
    return false
  }

  private static let textual: Set<String> = [
    "application/json", "application/xml", "image/svg+xml", "application/x-sh",
    "application/javascript",
  ]

  private static let documents: Set<String> = [
    "application/pdf", "application/rtf", "application/msword", "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint", "application/epub+zip", "application/json",
    "application/xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation", "message/rfc822",
  ]

  /// Types by the suffix of a name (IANA's registry of media types).
  static let bySuffix: [String: String] = [
    "txt": "text/plain", "text": "text/plain", "log": "text/plain", "md": "text/markdown",
    "markdown": "text/markdown", "csv": "text/csv", "tsv": "text/tab-separated-values",
    "html": "text/html", "htm": "text/html", "css": "text/css", "ics": "text/calendar",
    "vcf": "text/vcard", "tex": "text/x-tex", "org": "text/x-org", "rst": "text/x-rst",
    "json": "application/json", "xml": "application/xml", "svg": "image/svg+xml",
    "sh": "application/x-sh", "js": "application/javascript", "eml": "message/rfc822",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif",
    "webp": "image/webp", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff",
    "heic": "image/heic", "heif": "image/heif", "avif": "image/avif", "jxl": "image/jxl",
    "mp3": "audio/mpeg", "wav": "audio/wav", "flac": "audio/flac", "ogg": "audio/ogg",
    "oga": "audio/ogg", "opus": "audio/ogg", "m4a": "audio/mp4", "aac": "audio/aac",
    "mid": "audio/midi", "midi": "audio/midi", "aif": "audio/aiff", "aiff": "audio/aiff",
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "mkv": "video/x-matroska", "avi": "video/x-msvideo", "ogv": "video/ogg",
    "mpg": "video/mpeg", "mpeg": "video/mpeg", "3gp": "video/3gpp",
    "pdf": "application/pdf", "rtf": "application/rtf", "doc": "application/msword",
    "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation", "epub": "application/epub+zip",
    "zip": "application/zip", "gz": "application/gzip", "tgz": "application/gzip",
    "xz": "application/x-xz", "zst": "application/zstd", "7z": "application/x-7z-compressed",
    "tar": "application/x-tar", "bz2": "application/x-bzip2", "age": "application/age",
  ]
}

/// The bytes by which a family of file types is known.
private struct Signature {
  let offset: Int
  let bytes: [UInt8]
  /// The exact type, from the head and from what the name says.
  let type: @Sendable (_ head: [UInt8], _ named: String?) -> String?

  init(_ text: String, at offset: Int = 0, _ type: String) {
    self.init(Array(text.utf8), at: offset, type)
  }

  init(_ bytes: [UInt8], at offset: Int = 0, _ type: String) {
    self.offset = offset
    self.bytes = bytes
    self.type = { _, _ in type }
  }

  init(
    _ bytes: [UInt8], at offset: Int = 0,
    choosing type: @escaping @Sendable ([UInt8], String?) -> String?
  ) {
    self.offset = offset
    self.bytes = bytes
    self.type = type
  }

  /// Returns the type that the head's signature shows; `nil` where there is none.
  static func type(of head: [UInt8], named: String?) -> String? {
    for signature in all
    where head.count >= signature.offset + signature.bytes.count
      && head[signature.offset...].starts(with: signature.bytes)
    {
      if let type = signature.type(head, named) { return type }
    }
    return nil
  }

  private static func word(_ head: [UInt8], _ offset: Int) -> String {
    String(decoding: head.dropFirst(offset).prefix(4), as: UTF8.self)
  }

  /// Whether a frame of the same kind as the first begins at a place, or the file ends there.
  private static func isFollowed(_ head: [UInt8], at place: Int) -> Bool {
    guard place + 4 <= head.count else {
      return place == head.count || head.count >= MediaType.headSize
    }
    return head[place] == 0xff && head[place + 1] == head[1]
      && head[place + 2] & 0x0c == head[2] & 0x0c
  }

  /// Types that always begin with one of the signatures below, so that a name alone does not make
  /// them.
  static let types: Set<String> = [
    "image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp", "image/tiff",
    "image/heic", "image/heif", "image/avif", "audio/wav", "audio/flac", "audio/ogg",
    "audio/mp4", "audio/midi", "audio/aiff", "audio/aac", "video/mp4", "video/quicktime",
    "video/webm",
    "video/x-matroska", "video/x-msvideo", "video/ogg", "application/pdf", "application/zip",
    "application/gzip", "application/x-xz", "application/zstd", "application/x-7z-compressed",
    "application/x-bzip2", "application/epub+zip", "application/rtf",
  ]

  static let all: [Signature] = [
    Signature([0xff, 0xd8, 0xff], "image/jpeg"),
    Signature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"),
    Signature("GIF87a", "image/gif"),
    Signature("GIF89a", "image/gif"),
    Signature([0x49, 0x49, 0x2a, 0x00], "image/tiff"),
    Signature([0x4d, 0x4d, 0x00, 0x2a], "image/tiff"),
    Signature([0x00, 0x00, 0x00, 0x0c, 0x4a, 0x58, 0x4c, 0x20], "image/jxl"),
    // The bare form begins with two bytes, which are little: the name must say so too.
    Signature([0xff, 0x0a], choosing: { _, named in named == "image/jxl" ? named : nil }),
    Signature(
      Array("RF64".utf8), choosing: { head, _ in word(head, 8) == "WAVE" ? "audio/wav" : nil }),
    Signature(
      Array("RIFF".utf8),
      choosing: { head, _ in
        switch word(head, 8) {
        case "WEBP": "image/webp"
        case "WAVE": "audio/wav"
        case "AVI ": "video/x-msvideo"
        default: nil
        }
      }),
    Signature(
      Array("FORM".utf8),
      choosing: { head, _ in
        word(head, 8).hasPrefix("AIF") ? "audio/aiff" : nil
      }),
    // ISO base media files (ISO/IEC 14496-12): the brand shows which.
    Signature(
      Array("ftyp".utf8), at: 4,
      choosing: { head, _ in
        switch word(head, 8) {
        case "heic", "heix", "hevc", "hevx": "image/heic"
        case "mif1", "msf1", "heim", "heis": "image/heif"
        case "avif", "avis": "image/avif"
        case "M4A ", "M4B ", "M4P ": "audio/mp4"
        case "qt  ": "video/quicktime"
        case "3gp4", "3gp5", "3gp6": "video/3gpp"
        default: "video/mp4"
        }
      }),
    // A version and a size of seven bits a byte (ID3v2.4 §3.1).
    Signature(
      Array("ID3".utf8),
      choosing: { head, _ in
        head.count >= 10 && (2...4).contains(head[3]) && head[6..<10].allSatisfy { $0 < 0x80 }
          ? "audio/mpeg" : nil
      }),
    // Eleven bits are little: the next frame must begin where this one ends.
    Signature(
      [0xff],
      choosing: { head, _ in
        if let frame = MP3Frame(Array(head.prefix(4))) {
          return isFollowed(head, at: Int(frame.length)) ? "audio/mpeg" : nil
        }
        // ADTS (ISO 13818-7 §6.2): the length of the frame stands in 13 bits.
        guard head.count >= 7, head[1] & 0xf6 == 0xf0, head[2] >> 2 & 0xf < 13 else { return nil }
        let length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5] >> 5)
        return length > 7 && isFollowed(head, at: length) ? "audio/aac" : nil
      }),
    Signature("fLaC", "audio/flac"),
    Signature("MThd", "audio/midi"),
    Signature(
      Array("OggS".utf8),
      choosing: { head, _ in
        head.prefix(64).contains(run: Array("theora".utf8)) ? "video/ogg" : "audio/ogg"
      }),
    Signature(
      [0x1a, 0x45, 0xdf, 0xa3],
      choosing: { head, _ in
        head.prefix(64).contains(run: Array("webm".utf8))
          ? "video/webm" : "video/x-matroska"
      }),
    Signature([0x00, 0x00, 0x01, 0xba], "video/mpeg"),
    Signature([0x00, 0x00, 0x01, 0xb3], "video/mpeg"),
    Signature("%PDF-", "application/pdf"),
    Signature("{\\rtf", "application/rtf"),
    // Office files are ZIP or OLE files: the name shows which.
    Signature(
      [0x50, 0x4b, 0x03, 0x04],
      choosing: { _, named in
        guard let named,
          named.contains(run: "officedocument") || named.contains(run: "opendocument")
            || named == "application/epub+zip"
        else { return "application/zip" }
        return named
      }),
    Signature(
      [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
      choosing: { _, named in
        guard let named, named == "application/msword" || named.contains(run: "vnd.ms-") else {
          return "application/x-ole-storage"
        }
        return named
      }),
    Signature([0x1f, 0x8b, 0x08], "application/gzip"),
    Signature([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "application/x-xz"),
    Signature([0x28, 0xb5, 0x2f, 0xfd], "application/zstd"),
    // A digit, then the mark of the first block, or of the end.
    Signature(
      Array("BZh".utf8),
      choosing: { head, _ in
        let marks: [[UInt8]] = [
          [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90],
        ]
        return marks.contains { head.dropFirst(4).starts(with: $0) } ? "application/x-bzip2" : nil
      }),
    Signature([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "application/x-7z-compressed"),
    Signature("ustar", at: 257, "application/x-tar"),
    Signature("age-encryption.org/v1", "application/age"),
    Signature("-----BEGIN AGE ENCRYPTED FILE-----", "application/age"),
    Signature(
      Array("BM".utf8),
      choosing: { head, _ in
        // Two letters are little: the four reserved bytes behind the size are zero in a bitmap.
        head.count >= 14 && head[6..<10].allSatisfy { $0 == 0 } ? "image/bmp" : nil
      }),
  ]
}
