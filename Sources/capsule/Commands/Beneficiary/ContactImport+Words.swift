import CapsuleCore

extension ContactImport.Problem {
  /// The reason why the card is skipped, behind "the card on line 3 is skipped:".
  var words: String {
    switch self {
    case .fault(.noCard): "it belongs to no vCard"
    case .fault(.noEnd): "it has no END:VCARD"
    case .fault(.noName): "it names neither a person nor an organisation"
    case .fault(.notAProperty(let line)): "line \(line) is no property of a vCard"
    case .fault(.charset(let name, let line)):
      "line \(line) is in the character set '\(name)', which is not known"
    case .fault(.tooLong(let property, let limit)): "its \(property) has more than \(limit) bytes"
    case .fault(.tooLarge(let limit)): "it has more than \(limit) bytes of text"
    case .fault(.tooMany(let limit)):
      "it comes after \(limit) others, and so are all behind it"
    case .replaced(let line): "the card on line \(line) has the same UID, and counts"
    case .severalOfName(let name):
      "several people are called '\(name)', and it has no UID to tell which one is meant"
    case .severalOfUID: "several people are linked to its UID"
    case .unreadable(let id): "the record '\(id)' of the person cannot be changed"
    }
  }

  /// The whole sentence.
  func message(line: Int) -> String {
    if case .fault(.noCard) = self { return "line \(line) is skipped: \(words)" }
    return "the card on line \(line) is skipped: \(words)"
  }

  var hint: String? {
    switch self {
    case .fault(.noCard): "a card begins with BEGIN:VCARD; is this a file of vCards?"
    case .fault(.noEnd): "perhaps the file was cut off; export it again"
    case .fault(.noName): "give it a name in the program that it comes from"
    case .fault(.notAProperty): "a property is a name, a colon and a value; mend the line"
    case .fault(.charset): "save the file in UTF-8"
    case .fault(.tooLong), .fault(.tooLarge): "shorten it in the program that it comes from"
    case .fault(.tooMany): "import the file in parts"
    case .replaced: nil
    case .severalOfName: "'capsule beneficiary edit' changes the right one by hand"
    case .severalOfUID: "'capsule beneficiary delete' removes the ones too many"
    case .unreadable: "'capsule verify' says what is damaged, 'capsule repair' mends what can be"
    }
  }
}
