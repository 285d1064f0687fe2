import CapsuleCore

/// The choice of an editor, as git-var(1) has it.
enum EditorChoice {
  /// Returns the command line of the editor: VISUAL before EDITOR where the terminal can draw, then
  /// `vi`; `nil` where none is named and no terminal is there that can draw. One that is named may be
  /// a script, which needs none.
  static func command(_ environment: EnvironmentVariables, hasTerminal: Bool) -> String? {
    let terminal = environment.text("TERM") ?? ""
    let canDraw = !terminal.isEmpty && terminal != "dumb"
    let names = canDraw ? ["VISUAL", "EDITOR"] : ["EDITOR", "VISUAL"]
    let named = names.lazy.compactMap { environment.text($0) }.first { !$0.trimmed.isEmpty }
    return named ?? (canDraw && hasTerminal ? "vi" : nil)
  }
}
