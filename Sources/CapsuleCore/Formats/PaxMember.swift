/// A member of a tar archive, as its header says.
package struct PaxMember: Hashable, Sendable {
  /// The kinds of members that are read.
  package enum Kind: Hashable, Sendable {
    case file, directory
  }

  /// The path, relative and without `.`, `..`, doubled slashes or a slash at its end.
  package let path: String
  package let kind: Kind
  /// The bytes of a file; 0 for a directory.
  package let size: Int64
}

/// The reason why a tar archive is not read any further. Paths are as the archive has them.
package enum PaxFault: Error, Hashable, Sendable {
  /// The bytes are no tar archive.
  case notTar
  /// A header's checksum is wrong.
  case checksum(block: Int64)
  /// A number in a header is none, or larger than can be: the member's path.
  case number(String)
  /// A record of a pax header is malformed: the header's block.
  case record(block: Int64)
  /// A pax header is larger than 64 KiB.
  case longHeader(block: Int64)
  /// The member is a link.
  case link(String)
  /// The member is a device, a pipe or another special file.
  case special(String)
  /// The member leaves holes out.
  case sparse(String)
  /// The member is of a kind that only one program knows.
  case unknownKind(String, Unicode.Scalar)
  /// The path begins at the root.
  case absolute(String)
  /// The path leads upwards.
  case upwards(String)
  /// The path is empty, is no UTF-8, or holds a control character.
  case path(String)
  /// The archive ends within a member, or without the blocks of zeros at its end.
  case truncated
  /// Something other than zeros follows the end.
  case trailing
}

/// A receiver of the members of a tar archive, in their order.
package protocol PaxReceiver {
  mutating func begin(_ member: PaxMember) throws
  /// Takes bytes of the file that was begun.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the file or the directory that was begun.
  mutating func end() throws
  /// Takes note that the archive ended where it says.
  mutating func finish() throws
}
