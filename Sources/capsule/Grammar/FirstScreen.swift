/// `capsule help`: the commands of every day and the nouns, on one screen of 80 columns and 24 lines.
enum FirstScreen {
  private static let everyday = [
    "create", "list", "show", "open", "add", "edit", "delete", "agenda", "countdown", "search",
    "check",
  ]

  /// What else there is, a line each.
  private static let others = [
    ("event", "dates to count down to, deadlines, calendars"),
    ("item", "things you own or look after, and their history"),
    ("beneficiary", "people: who inherits, and who gets letters"),
    ("bequest", "what each person receives: bequeath, deliver, estate"),
    ("trustees", "people who can open things together after your death"),
    ("switch", "dead man's switch: tell people when you stop checking in"),
    ("sync", "one store on several machines"),
    ("store", "keep it safe: protect, accept; verify, repair, backup, trash"),
    ("settings", "how dates, lists and pictures are shown"),
  ]

  static func lines(_ table: CommandTable, columns: Int) -> [StyledText] {
    let width = others.map(\.0.count).max() ?? 0
    func line(_ name: String, _ text: String) -> StyledText {
      let padding = String(repeating: " ", count: width - name.count)
      let line: StyledText = "  \(name, .bold)\(padding)  \(text)"
      return line.cut(to: columns)
    }
    var lines: [StyledText] = ["\("Usage:", .bold) capsule COMMAND [OPTION…] [OPERAND…]"]
    lines += everyday.compactMap { name in
      table.command([name]).map { line(name, $0.summary) }
    }
    lines.append("\("More:", .bold)")
    lines += others.map { line($0, $1) }
    lines.append("Learn more: capsule help COMMAND. Everything: capsule help --all.")
    return lines
  }
}
