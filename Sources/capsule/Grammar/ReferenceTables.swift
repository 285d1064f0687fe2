import CapsuleCore

/// The pages of the reference that are made from lists of the program.
enum ReferenceTables {
  /// The page about settings.
  static var settings: String {
    let rows = Setting.all.sorted { $0.name < $1.name }.map { key in
      let fallback = key.fallback.string ?? key.fallback.integer.map { String($0) } ?? ""
      let shown = fallback.isEmpty ? "" : "`\(fallback.parts(at: ",").joined(separator: "`, `"))`"
      return "| `\(key.name)` | \(key.summary) | \(key.accepted) | \(shown) |"
    }
    return """
      <!-- Made from the list of settings by Scripts/generate. -->

      # Settings

      A setting belongs to the store, and so to every machine that uses the store.

      ```sh
      capsule settings list
      capsule settings set timeOfDay 09:00
      capsule settings unset timeOfDay
      ```

      | setting | decides | takes | default |
      | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      Names of programs and addresses are never settings of the store. They are in
      [files of the machine](files-and-environment.md).

      """
  }

  /// The page about exit statuses.
  static var exitStatuses: String {
    let rows = ExitCode.allCases.map { code in
      let kinds = code.kinds.map { "`\($0)`" }.joined(separator: ", ")
      return "| \(code.rawValue) | \(code.meaning) | \(kinds) |"
    }
    return """
      <!-- Made from the list of exit statuses by Scripts/generate. -->

      # Exit statuses

      Each outcome has a status. Any other status means failure. If there are several outcomes, the worst counts: damage
      comes before every other failure, and partial success comes last.

      | status | meaning | `kind` in JSON |
      | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      Every command may exit with 0, 2, 10 or 13. [Commands](commands.md) lists the others for each command.

      """
  }
}
