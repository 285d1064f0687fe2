import CapsuleCore

extension Fault {
  /// Something has the name of the file that was to be written.
  static func taken(_ path: FilePath, hint: String) -> Fault {
    Fault(
      .refused, "'\(path.text)' exists already", hint: hint,
      details: ["path": .string(path.text)])
  }

}
