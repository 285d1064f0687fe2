/// The words of simple shell lines, for the examples in help.
enum ShellWords {
  /// The commands of a line, parted by `|`, `&&` and `;`; redirections are left out, and a command
  /// inside of `<( )` or `$( )` is one of its own.
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word = ""
    var isWord = false
    var quote: Character?
    func end() {
      if isWord { commands[commands.count - 1].append(word) }
      word = ""
      isWord = false
    }
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
        continue
      }
      switch character {
      case "'", "\"":
        quote = character
        isWord = true
      case " ": end()
      case "|", "&", ";", "(", ")":
        end()
        commands.append([])
      default:
        word.append(character)
        isWord = true
      }
    }
    end()
    return commands.map(withoutRedirections).filter { !$0.isEmpty }
  }

  private static func withoutRedirections(_ words: [String]) -> [String] {
    var result: [String] = []
    var skips = false
    for word in words {
      if skips {
        skips = false
      } else if word.drop(while: \.isNumber).hasPrefix(">") || word.hasPrefix("<") {
        skips = [">", ">>", "<", "2>"].contains(word)
      } else {
        result.append(word)
      }
    }
    return result
  }
}
