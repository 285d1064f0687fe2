import CapsuleCore

extension ColorDepth {
  /// Decides for one stream: the option, `CLICOLOR_FORCE`, `NO_COLOR`, `TERM=dumb`, then whether it
  /// is a terminal; never in JSON.
  init(options: RunOptions, environment: EnvironmentVariables, isTerminal: Bool) {
    guard options.form == .text, Self.isWanted(options.color, environment, isTerminal) else {
      self = .none
      return
    }
    let truecolor = environment.text("COLORTERM") ?? ""
    if truecolor == "truecolor" || truecolor == "24bit" {
      self = .full
    } else if environment.text("TERM")?.contains(run: "256color") ?? false {
      self = .palette
    } else {
      self = .basic
    }
  }

  private static func isWanted(
    _ choice: ColorChoice, _ environment: EnvironmentVariables, _ isTerminal: Bool
  ) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let force = environment.text("CLICOLOR_FORCE"), !force.isEmpty, force != "0" { return true }
    if !(environment.text("NO_COLOR") ?? "").isEmpty { return false }
    if environment.text("TERM") == "dumb" { return false }
    return isTerminal
  }
}
