import CapsuleCore

/// What a user can do about a refusal for lack of permission: who owns what, and the command that puts it right.
struct PermissionHint {
  private let host: Host
  /// The directories of the program, which are the user's own.
  private let own: [FilePath]

  init(_ host: Host, own: [FilePath]) {
    (self.host, self.own) = (host, own)
  }

  /// Returns the hint for a refused call; `nil` where permissions do not explain it.
  func text(for refusal: FileRefusal) -> String? {
    let user = host.user()
    // Permissions refuse nothing to root.
    guard refusal.condition == .notPermitted, user != 0 else { return nil }
    let path = refusal.destination ?? refusal.path
    guard let nearest = nearest(to: path) else { return nil }
    guard nearest.status.owner != user else {
      let wanted: UInt32 = nearest.status.kind == .directory ? 0o700 : 0o600
      return nearest.status.mode & wanted == wanted
        ? nil : "allow it: chmod u+rwX \(nearest.path.text.shellWord)"
    }
    let highest = highest(from: nearest, user)
    let fact = "'\(highest.path.text)' belongs to \(name(of: highest.status.owner))"
    guard highest.isOwn else { return "\(fact); use another path, or ask its owner" }
    // One command for all that is wrong in it.
    let target = own.first { highest.path.text.hasPrefix($0.text + "/") } ?? highest.path
    let own = host.accountName(user).map { String(decoding: $0, as: UTF8.self) } ?? "\(user)"
    return "\(fact); make it yours: sudo chown -R \(own.shellWord) \(target.text.shellWord)"
  }

  private typealias Place = (path: FilePath, status: FileStatus)

  /// The path itself, or the closest directory above it that can be looked at.
  private func nearest(to path: FilePath) -> Place? {
    var path = path
    while true {
      if let status = try? host.files.statusFollowingLinks(path) { return (path, status) }
      if path.parent == path { return nil }
      path = path.parent
    }
  }

  /// The highest directory that is in a directory of the user's, or is one of the program's that root has made.
  private func highest(
    from place: Place, _ user: UInt32
  ) -> (path: FilePath, status: FileStatus, isOwn: Bool) {
    var (path, status) = place
    var made: Place?
    while path.parent != path,
      let above = try? host.files.statusFollowingLinks(path.parent)
    {
      if above.owner == user { return (path, status, true) }
      if status.owner == 0, own.contains(path) { made = (path, status) }
      (path, status) = (path.parent, above)
    }
    return made.map { ($0.path, $0.status, true) } ?? (place.path, place.status, false)
  }

  private func name(of user: UInt32) -> String {
    host.accountName(user).map { String(decoding: $0, as: UTF8.self) } ?? "user \(user)"
  }
}
