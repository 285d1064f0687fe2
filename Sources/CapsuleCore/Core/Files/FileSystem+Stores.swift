/// A place lies in a store, or in a carrier of one.
package struct PlaceInStore: Error, Hashable {
  /// The file or directory that would lie there.
  package let path: FilePath
  /// The directory of the store or carrier.
  package let store: FilePath
}

extension FileSystem {
  /// Refuses a file or directory that would lie in a store or in a carrier of one.
  ///
  /// - Throws: ``PlaceInStore`` or a ``FileSystemError``.
  package func requireOutsideStores(_ directory: FilePath, for path: FilePath) throws {
    if let store = try storeAround(directory) { throw PlaceInStore(path: path, store: store) }
  }

  /// Refuses a file or directory that would lie in the directory of a store: what is in the clear would be
  /// copied with it, and might take the place of the store's own. Links do not hide it.
  ///
  /// - Throws: ``PlaceInStore`` or a ``FileSystemError``.
  package func require(_ path: FilePath, outside store: FilePath) throws {
    let root = try statusFollowingLinks(store)
    var place = try directory(around: path)
    for _ in 0..<4096 {
      let status = try statusFollowingLinks(place)
      if status.isSameFile(as: root) { throw PlaceInStore(path: path, store: store) }
      let above = place.appending("..")
      if status.isSameFile(as: try statusFollowingLinks(above)) { return }
      place = above
    }
  }

  /// Refuses a place for what is in the clear: in the directory of a store, which is known by itself, in any
  /// other one, or in a carrier.
  ///
  /// - Throws: ``PlaceInStore`` or a ``FileSystemError``.
  package func requireOutsideStores(_ path: FilePath, and store: FilePath) throws {
    try require(path, outside: store)
    try requireOutsideStores(directory(around: path), for: path)
  }

  /// Returns the nearest directory that there is, at a path or above it: the others are still to be made.
  private func directory(around path: FilePath) throws(FileSystemError) -> FilePath {
    var place = path.withoutEndingSlash
    while true {
      do throws(FileSystemError) {
        if try statusFollowingLinks(place).kind == .directory { return place }
        place = place.parent
      } catch {
        guard error.condition == .notFound, place.parent != place else { throw error }
        place = place.parent
      }
    }
  }

  /// Returns the nearest directory, at a place or above it, that is a store or a carrier of one: what lies
  /// there is copied from machine to machine. `nil` where there is none.
  ///
  /// It goes upwards by the directories themselves: links do not hide a store.
  private func storeAround(_ directory: FilePath) throws(FileSystemError) -> FilePath? {
    // One that is not there is named as it was given.
    _ = try statusFollowingLinks(directory)
    var place = directory
    // The limit is more directories than any path leads through.
    for _ in 0..<4096 {
      if try isStore(place) { return place }
      let above = place.appending("..")
      let status = try statusFollowingLinks(above)
      if status.isSameFile(as: try statusFollowingLinks(place)) { return nil }
      // Where no link leads, the name of the parent is the shorter one.
      let parent = place.parent
      let isParent =
        parent != place && (try? statusFollowingLinks(parent))?.isSameFile(as: status) == true
      place = isParent ? parent : above
    }
    return nil
  }

  /// Whether a directory is a store or a carrier, by the directories that each has, or by what its file says:
  /// other programs have a `store.json` too.
  private func isStore(_ place: FilePath) throws(FileSystemError) -> Bool {
    func isThere(_ path: FilePath) throws(FileSystemError) -> Bool {
      do throws(FileSystemError) { return try statusIfPresent(path) != nil } catch {
        // What nobody here may look into is no store of theirs.
        if error.condition == .notPermitted { return false }
        throw error
      }
    }
    for (mark, part) in [("store.json", "identities"), ("carrier.json", "heads")] {
      let path = place.appending(mark)
      guard try isThere(path) else { continue }
      if try isThere(place.appending(part)) { return true }
      guard let bytes = try? readFile(path, limit: 1 << 20) else { return true }
      if bytes.contains(run: Array("\"format\"".utf8)) { return true }
    }
    return false
  }
}
