/// The kinds of files that a browser runs scripts in when it opens them from a disk, where it goes by
/// the end of the name, and by the bytes where that says nothing.
enum BrowserSafety {
  /// Returns the name, with `.txt` behind it where a browser might run what the file holds, and whether
  /// that was put there. A picture in SVG keeps its name: it is shown on the page, where nothing runs.
  static func disarmed(_ name: String, mediaType: String) -> (name: String, isDisarmed: Bool) {
    let suffix = suffix(of: name)
    if let suffix, mayRun(name) {
      let isPicture = suffix == "svg" && mediaType == "image/svg+xml"
      return isPicture ? (name, false) : (name + ".txt", true)
    }
    // Without a suffix that it knows, a browser may take a text for a page.
    let isText =
      mediaType.utf8.starts(with: "text/".utf8) || mediaType == "image/svg+xml"
      || mediaType == "application/xml" || mediaType == "application/xhtml+xml"
    return !isKnown(name) && isText ? (name + ".txt", true) : (name, false)
  }

  /// Whether the end of a name says to a browser what the file is.
  static func isKnown(_ name: String) -> Bool {
    suffix(of: name).map { MediaType.bySuffix[$0] != nil } ?? false
  }

  /// Whether a browser may run what a file of this name holds.
  static func mayRun(_ name: String) -> Bool {
    suffix(of: name).map(active.contains) ?? false
  }

  private static func suffix(of name: String) -> String? {
    MediaType.suffix(of: Array(name.utf8))
  }

  private static let active: Set<String> = [
    "html", "htm", "xhtml", "xht", "xhtm", "shtml", "shtm", "hta", "htc", "mht", "mhtml", "xml",
    "xsl",
    "xslt", "xbl", "rdf", "rss", "atom", "svg", "svgz", "mathml", "webarchive", "maff",
  ]
}
