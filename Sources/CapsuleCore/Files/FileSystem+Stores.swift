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
