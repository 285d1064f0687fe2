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
    // It may lie in directories that are still to be made.
    var place = path.withoutEndingSlash
    while true {
      do throws(FileSystemError) {
        if try statusFollowingLinks(place).kind == .directory { break }
        place = place.parent
      } catch {
        guard error.condition == .notFound, place.parent != place else { throw error }
        place = place.parent
      }
    }
    for _ in 0..<4096 {
      let status = try statusFollowingLinks(place)
      if status.isSameFile(as: root) { throw PlaceInStore(path: path, store: store) }
      let above = place.appending("..")
      if status.isSameFile(as: try statusFollowingLinks(above)) { return }
      place = above
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
      for mark in ["store.json", "carrier.json"] {
        if try statusIfPresent(place.appending(mark)) != nil { return place }
      }
      let above = place.appending("..")
      let status = try statusFollowingLinks(above)
      if status.isSameFile(as: try statusFollowingLinks(place)) { return nil }
      place = above
    }
    return nil
  }
}
