import CapsuleCore

extension Fault {
  /// A file that cannot be read as the list of an estate, in words.
  init(_ fault: EstateList.Problem, path: FilePath) {
    let details: JSONObject = ["path": .string(path.text)]
    switch fault {
    case .notJSON, .member:
      self.init(
        .damaged, "'\(path.text)' is no list of an estate", hint: "make both anew",
        details: details)
    case .newer(let version):
      self.init(
        .version, "'\(path.text)' is of version \(version), and this program reads 1",
        hint: "take a newer program", details: details)
    }
  }
}
