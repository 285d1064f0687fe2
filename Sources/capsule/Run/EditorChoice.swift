import CapsuleCore

/// The choice of an editor, as git-var(1) has it.
enum EditorChoice {
  /// Returns the command line of the editor: VISUAL before EDITOR where the terminal can draw, then
  /// `vi`; `nil` where none is named and the terminal cannot draw.
  static func command(_ environment: EnvironmentVariables) -> String? {
    let terminal = environment.text("TERM") ?? ""
    let canDraw = !terminal.isEmpty && terminal != "dumb"
    let names = canDraw ? ["VISUAL", "EDITOR"] : ["EDITOR", "VISUAL"]
    let named = names.lazy.compactMap { environment.text($0) }.first { !$0.trimmed.isEmpty }
    return named ?? (canDraw ? "vi" : nil)
  }
}
