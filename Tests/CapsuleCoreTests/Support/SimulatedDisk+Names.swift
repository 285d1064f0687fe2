import CapsuleCore
import CapsulePlatform

/// Paths, and the changes of directories.
extension SimulatedDisk {
  /// Where a path leads: a name in a directory, and the node of that name if there is one. The name
  /// is empty for a path that ends in no name, such as `/`.
  struct Place {
    var directory: Int
    var name: [UInt8]
    var node: Int?

    func existing() throws(SimulatedErrno) -> Int {
      guard let node else { throw SimulatedErrno(code: ENOENT) }
      return node
    }
  }

  func find(_ path: FilePath, following: Bool = false) throws(SimulatedErrno) -> Place {
    if path.bytes.isEmpty { throw SimulatedErrno(code: ENOENT) }
    if path.bytes.contains(0) { throw SimulatedErrno(code: EINVAL) }
    var rest = Self.components(path.bytes)
    var directory = Self.root
    var followed = 0
    while let name = rest.first {
      rest.removeFirst()
      let value = self[directory]
      guard value.kind == .directory else { throw SimulatedErrno(code: ENOTDIR) }
      try require(directory, 1)
      if name.count > 255 { throw SimulatedErrno(code: ENAMETOOLONG) }
      if name == [UInt8(ascii: ".")] { continue }
      if name == Array("..".utf8) {
        directory = value.parent
        continue
      }
      guard let node = value.entries[name] else {
        if rest.isEmpty { return Place(directory: directory, name: name, node: nil) }
        throw SimulatedErrno(code: ENOENT)
      }
      if self[node].kind == .symbolicLink, following || !rest.isEmpty {
        followed += 1
        if followed > 40 { throw SimulatedErrno(code: ELOOP) }
        let target = self[node].data
        if target.first == UInt8(ascii: "/") { directory = Self.root }
        rest = Self.components(target) + rest
        continue
      }
      if rest.isEmpty { return Place(directory: directory, name: name, node: node) }
      directory = node
    }
    return Place(directory: directory, name: [], node: directory)
  }

  private static func components(_ path: [UInt8]) -> [[UInt8]] {
    path.split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// The place of a name that is to be given or taken away.
  func findToChange(_ path: FilePath) throws(SimulatedErrno) -> Place {
    let place = try find(path)
    if place.name.isEmpty { throw SimulatedErrno(code: EBUSY) }
    return place
  }

  /// That a directory may be changed at all.
  func requireChangeable(_ directory: Int) throws(SimulatedErrno) {
    if isReadOnly { throw SimulatedErrno(code: EROFS) }
    try require(directory, 3)
  }

  /// Gives a name to a node, which had none, or another.
  mutating func enter(_ node: Int, _ directory: Int, _ name: [UInt8]) {
    let time = now()
    let isDirectory = self[node].kind == .directory
    self[node].links += isDirectory ? 2 : 1
    self[node].changed = time
    if isDirectory {
      self[node].parent = directory
      self[directory].links += 1
    }
    self[directory].entries[name] = node
    self[directory].pending.append(EntryChange(name: name, node: node))
    touch(directory, time)
  }

  /// Takes a name away from its node, which may go with it.
  mutating func remove(_ directory: Int, _ name: [UInt8], movedTo implied: EntryTarget? = nil) {
    guard let node = self[directory].entries[name] else { return }
    let time = now()
    let isDirectory = self[node].kind == .directory
    self[node].links -= isDirectory ? 2 : 1
    self[node].changed = time
    if isDirectory { self[directory].links -= 1 }
    self[directory].entries[name] = nil
    self[directory].pending.append(EntryChange(name: name, node: nil, implies: implied))
    touch(directory, time)
    collect(node)
  }

  typealias EntryTarget = (directory: Int, name: [UInt8], node: Int)

  private mutating func touch(_ directory: Int, _ time: FileTime) {
    self[directory].modified = time
    self[directory].changed = time
  }

  mutating func link(_ from: FilePath, _ to: FilePath) throws(SimulatedErrno) {
    let node = try find(from).existing()
    let place = try findToChange(to)
    if place.node != nil { throw SimulatedErrno(code: EEXIST) }
    try requireChangeable(place.directory)
    if !hasHardLinks || self[node].kind == .directory { throw SimulatedErrno(code: EPERM) }
    enter(node, place.directory, place.name)
  }

  mutating func unlink(_ path: FilePath) throws(SimulatedErrno) {
    let place = try findToChange(path)
    let node = try place.existing()
    if self[node].kind == .directory { throw SimulatedErrno(code: EISDIR) }
    try requireChangeable(place.directory)
    remove(place.directory, place.name)
  }

  mutating func removeDirectory(_ path: FilePath) throws(SimulatedErrno) {
    let place = try findToChange(path)
    let node = try place.existing()
    if self[node].kind != .directory { throw SimulatedErrno(code: ENOTDIR) }
    if !self[node].entries.isEmpty { throw SimulatedErrno(code: ENOTEMPTY) }
    try requireChangeable(place.directory)
    remove(place.directory, place.name)
  }

  mutating func rename(
    _ from: FilePath, _ to: FilePath, replacing: Bool
  ) throws(SimulatedErrno) {
    let source = try findToChange(from)
    let target = try findToChange(to)
    let node = try source.existing()
    try requireChangeable(source.directory)
    try requireChangeable(target.directory)
    if let replaced = target.node {
      if !replacing { throw SimulatedErrno(code: EEXIST) }
      if replaced == node { return }
      switch (self[node].kind == .directory, self[replaced].kind == .directory) {
      case (true, false): throw SimulatedErrno(code: ENOTDIR)
      case (false, true): throw SimulatedErrno(code: EISDIR)
      case (true, true) where !self[replaced].entries.isEmpty:
        throw SimulatedErrno(code: ENOTEMPTY)
      default: break
      }
    }
    if self[node].kind == .directory, isInside(target.directory, node) {
      throw SimulatedErrno(code: EINVAL)
    }
    // One step for a power cut: the change that gives the name away implies the one that takes it,
    // and the replaced node loses its name without a state in between.
    if let replaced = target.node {
      let isDirectory = self[replaced].kind == .directory
      self[replaced].links -= isDirectory ? 2 : 1
      self[replaced].changed = now()
      if isDirectory { self[target.directory].links -= 1 }
    }
    enter(node, target.directory, target.name)
    remove(
      source.directory, source.name, movedTo: (target.directory, target.name, node))
    if self[node].kind == .directory { self[node].parent = target.directory }
    if let replaced = target.node { collect(replaced) }
  }

  private func isInside(_ directory: Int, _ ancestor: Int) -> Bool {
    var current = directory
    while current != Self.root {
      if current == ancestor { return true }
      current = self[current].parent
    }
    return false
  }
}
