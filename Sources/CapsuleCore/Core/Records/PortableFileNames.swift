/// Names for files and folders that are carried to another machine: allowed on Linux, macOS and
/// Windows, unique where case does not count, and without characters that act or hide.
package struct PortableFileNames: Sendable {
  private var names = UniqueFileNames()

  package init() {}

  /// Returns a name made of the one wanted, or of `fallback` where nothing usable is left of it.
  package mutating func next(_ wanted: [UInt8], fallback: String) -> String {
    let name = Self.safe(wanted) ?? fallback
    return String(decoding: names.next(Array(name.utf8)), as: UTF8.self)
  }

  /// Returns a name made of the one wanted, or of `fallback` where nothing usable is left of it.
  package mutating func next(_ wanted: String, fallback: String) -> String {
    next(Array(wanted.utf8), fallback: fallback)
  }

  /// Returns the name as one that every system takes; `nil` where nothing is left.
  package static func safe(_ name: [UInt8]) -> String? {
    var scalars = String.UnicodeScalarView()
    for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
      switch treatment(of: scalar, after: scalars.last) {
      case .keep: scalars.append(scalar)
      case .replace: scalars.append("_")
      case .drop: break
      }
    }
    // A leading hyphen is an option, a leading point hides, a tilde is a home; Windows takes away
    // points and spaces at the end.
    var text = ComposedText.of(trimmed(Substring(String(scalars))))
    if text.utf8.count > UniqueFileNames.limit {
      let (stem, suffix) = UniqueFileNames.shortened(Array(text.utf8))
      text = trimmed(whole(stem)) + String(decoding: suffix, as: UTF8.self)
    }
    guard text.unicodeScalars.contains(where: { $0 != "_" && $0 != " " && $0 != "." }) else {
      return nil
    }
    let stem = text.parts(at: ".")[0]
    if reserved.contains(trimmed(Substring(stem)).uppercased()) {
      return stem + "_" + String(Substring(text.utf8.dropFirst(stem.utf8.count)))
    }
    return text
  }

  private enum Treatment { case keep, replace, drop }

  private static func treatment(
    of scalar: Unicode.Scalar, after previous: Unicode.Scalar?
  ) -> Treatment {
    switch scalar {
    case "/", "\\", ":", "*", "?", "\"", "<", ">", "|", "\u{fffd}": return .replace
    // The joiners have work to do in emoji and in the scripts of Asia, none after ASCII.
    case "\u{200c}", "\u{200d}": return (previous?.value ?? 0) < 0x300 ? .drop : .keep
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control: return scalar == "\t" || scalar == "\n" ? .replace : .drop
    // Bidirectional controls, zero widths, soft hyphens, tags.
    case .format: return .drop
    case .lineSeparator, .paragraphSeparator: return .replace
    case .unassigned, .surrogate: return .replace
    default: return .keep
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let first = text.unicodeScalars.first,
      first == "." || first == "-" || first == "~" || first.properties.isWhitespace
    {
      text = Substring(text.unicodeScalars.dropFirst())
    }
    while let last = text.unicodeScalars.last, last == "." || last.properties.isWhitespace {
      text = Substring(text.unicodeScalars.dropLast())
    }
    return String(text)
  }

  /// Returns the beginning of a text without a character that a cut has broken: it ends with a
  /// character as people take it, or where that is too long itself, with a scalar.
  private static func whole(_ bytes: ArraySlice<UInt8>) -> Substring {
    var bytes = bytes
    while String(validating: bytes, as: UTF8.self) == nil { bytes = bytes.dropLast() }
    let text = String(decoding: bytes, as: UTF8.self)
    // The cut may have parted the last character from its marks.
    return text.count > 1 ? text.dropLast() : Substring(text)
  }

  /// Names of devices on Windows, with whatever suffix.
  private static let reserved: Set<String> = {
    var names: Set = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    for digit in ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"] {
      names.insert("COM" + digit)
      names.insert("LPT" + digit)
    }
    return names
  }()
}

/// Names for the files of one directory. No two of them are the same where neither case nor the form
/// of Unicode counts.
package struct UniqueFileNames: Sendable {
  private var taken: Set<NameKey> = []
  /// The number from which on a wanted name may be free.
  private var numbers: [NameKey: Int] = [:]

  /// The longest name in bytes that leaves room for a number on every file system.
  package static let limit = 200

  package init() {}

  /// Returns the name, or one with a number before its suffix where it is taken.
  package mutating func next(_ wanted: [UInt8]) -> [UInt8] {
    let (stem, suffix) = Self.parts(wanted)
    let key = Self.key(wanted)
    for number in (numbers[key] ?? 1)... {
      let name = number == 1 ? wanted : stem + Array("-\(number)".utf8) + suffix
      guard taken.insert(Self.key(name)).inserted else { continue }
      numbers[key] = number + 1
      return name
    }
    return wanted
  }

  /// Returns the key of a name: by upper case and then lower, for file systems that fold case fold `ß`
  /// with `SS`, too.
  private static func key(_ name: [UInt8]) -> NameKey {
    NameKey(String(decoding: name, as: UTF8.self).uppercased())
  }

  /// Returns a name's part before its last point, and the rest.
  package static func parts(_ name: [UInt8]) -> (stem: [UInt8], suffix: [UInt8]) {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return (name, []) }
    return (Array(name[..<point]), Array(name[point...]))
  }

  /// Returns the bytes that a name of at most ``limit`` may keep: of its stem, and a short suffix whole.
  package static func shortened(_ name: [UInt8]) -> (stem: ArraySlice<UInt8>, suffix: [UInt8]) {
    let (stem, suffix) = parts(name)
    if name.count <= limit { return (stem[...], suffix) }
    if suffix.count < 20 { return (stem.prefix(limit - suffix.count), suffix) }
    return (name.prefix(limit), [])
  }
}
