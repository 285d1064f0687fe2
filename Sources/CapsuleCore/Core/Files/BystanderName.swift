/// Names of files that desktops, file systems and synchronisers put into any directory, beside what is
/// there: they say how a folder is shown, or stand for a file that is still open. None of them is a copy
/// of a record.
enum BystanderName {
  private static let whole: Set<String> = [
    ".ds_store", ".localized", "icon\r", ".appledouble", ".metadata_never_index",
    "thumbs.db", "ehthumbs.db", "desktop.ini", ".directory", "@eadir", ".nomedia", ".gitkeep",
    ".stfolder", ".stignore", ".dropbox", ".dropbox.attr",
  ]

  /// `._` is of AppleDouble (what a file has beside its bytes); the others are files that were removed
  /// while a program had them open, on a file system of the network or of a program.
  private static let beginnings: [[UInt8]] = [
    Array("._".utf8), Array(".nfs".utf8), Array(".fuse_hidden".utf8),
  ]

  static func contains(_ name: [UInt8]) -> Bool {
    beginnings.contains { name.starts(with: $0) }
      || whole.contains(String(decoding: name.map(lowercased), as: UTF8.self))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
