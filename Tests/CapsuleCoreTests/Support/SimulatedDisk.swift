import CapsuleCore
import CapsulePlatform

/// An `errno`, before it is known which call it belongs to.
struct SimulatedErrno: Error {
  var code: Int32
}

/// The files of a ``SimulatedFileSystem``: what programs see, and what of it is safe.
struct SimulatedDisk: Sendable {
  static let root = 1

  var nodes: [Int: Node] = [:]
  var nextNode = 2
  var clock = FileTime(seconds: 1_700_000_000)
  /// How much later each change is than the one before.
  var tick: Int64 = 1_000_000
  var owner: UInt32 = 1000
  /// Whether permission bits bind, as they do not for the superuser.
  var enforcesModes = true
  var isReadOnly = false
  var hasHardLinks = true
  /// The most bytes that all files may have together.
  var capacity: Int?
  /// The most files and directories that there may be.
  var nodeCapacity: Int?

  /// One file, of whatever kind.
  struct Node: Sendable {
    var kind: FileKind
    var mode: UInt32
    var links = 0
    var modified: FileTime
    var changed: FileTime
    /// A regular file's bytes, or where a symbolic link leads.
    var data: [UInt8] = []
    var entries: [[UInt8]: Int] = [:]
    var parent = SimulatedDisk.root
    var openCount = 0
    var lockHolder: Int?

    /// The bytes, mode and time after the last synchronisation.
    var safe: Content
    /// A failed synchronisation forgot what was written; see ``SimulatedFault/Effect/fail(_:)``.
    var hasLostWrites = false
    var safeEntries: [[UInt8]: Int] = [:]
    /// The changes to the entries since, in order.
    var pending: [EntryChange] = []

    var content: Content { Content(data: data, mode: mode, modified: modified) }
  }

  struct Content: Hashable, Sendable {
    var data: [UInt8]
    var mode: UInt32
    var modified: FileTime
  }

  /// A name that was given to a node, or taken away.
  struct EntryChange: Sendable {
    var name: [UInt8]
    var node: Int?
    /// The change that gives what this one takes away its new name: where this one has happened,
    /// that one has.
    var implies: (directory: Int, name: [UInt8], node: Int)?
    var isLost = false
  }

  init() {
    nodes[Self.root] = Node(
      kind: .directory, mode: 0o755, links: 2, modified: clock, changed: clock,
      safe: Content(data: [], mode: 0o755, modified: clock))
  }

  /// The node of a number, which the callers have from an entry or an open file.
  subscript(node: Int) -> Node {
    get {
      guard let value = nodes[node] else { preconditionFailure("no node \(node)") }
      return value
    }
    _modify {
      guard var value = nodes[node] else { preconditionFailure("no node \(node)") }
      nodes[node] = nil
      defer { nodes[node] = value }
      yield &value
    }
  }

  /// The time of the next change.
  mutating func now() -> FileTime {
    let nanoseconds = clock.nanoseconds + tick
    clock = FileTime(
      seconds: clock.seconds + nanoseconds / 1_000_000_000,
      nanoseconds: nanoseconds % 1_000_000_000)
    return clock
  }

  func status(_ node: Int) -> FileStatus {
    let value = self[node]
    let size = value.kind == .directory ? 4096 : value.data.count
    return FileStatus(
      kind: value.kind, mode: value.mode, size: Int64(size), device: 7, inode: UInt64(node),
      links: UInt64(value.links), owner: owner, modified: value.modified, changed: value.changed)
  }

  mutating func makeNode(_ kind: FileKind, mode: UInt32) throws(SimulatedErrno) -> Int {
    if let nodeCapacity, nodes.count >= nodeCapacity { throw SimulatedErrno(code: ENOSPC) }
    let time = now()
    let node = nextNode
    nextNode += 1
    nodes[node] = Node(
      kind: kind, mode: mode & 0o7777, modified: time, changed: time,
      safe: Content(data: [], mode: mode & 0o7777, modified: time))
    return node
  }

  /// Forgets a node that has neither a name nor an open descriptor.
  ///
  /// What a power cut may bring back is kept: a node that a directory's safe state, or a change to
  /// it that is pending, still names.
  mutating func collect(_ node: Int) {
    let value = self[node]
    guard value.links == 0, value.openCount == 0, !mayReturn(node) else { return }
    nodes[node] = nil
  }

  private func mayReturn(_ node: Int) -> Bool {
    nodes.values.contains { directory in
      directory.kind == .directory
        && (directory.safeEntries.values.contains(node)
          || directory.pending.contains { $0.node == node || $0.implies?.node == node })
    }
  }

  /// How many bytes may still be written.
  func room() -> Int {
    capacity.map { max(0, $0 - used) } ?? .max
  }

  /// How many bytes all files have.
  var used: Int {
    nodes.values.reduce(0) { $0 + ($1.links > 0 || $1.openCount > 0 ? $1.data.count : 0) }
  }

  func require(_ node: Int, _ bits: UInt32) throws(SimulatedErrno) {
    if enforcesModes, self[node].mode >> 6 & bits != bits { throw SimulatedErrno(code: EACCES) }
  }
}
