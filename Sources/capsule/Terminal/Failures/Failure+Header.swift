import CapsuleCore

extension HeaderFault {
  /// The fault of a header, in words.
  var words: String {
    switch self {
    case .empty: "there is nothing to read"
    case .notAge: "it does not begin as one"
    case .unsupportedVersion: "it is of another version"
    case .carriageReturn(let line): "line \(line) ends with a carriage return"
    case .truncated: "it ends within the header"
    case .tooLong: "it is longer than a header may be"
    case .unexpectedLine(let line): "line \(line) has no place in a header"
    case .arguments(let line): "line \(line) has wrong arguments"
    case .body(let line): "line \(line) is not canonical base64"
    case .macLine: "its last line is not a MAC"
    case .noStanza: "it names nobody that can open it"
    case .stanza(let kind): "a stanza of the kind '\(kind)' breaks that kind's rules"
    case .fileKeyLength(let kind): "a stanza of the kind '\(kind)' has a body of another length"
    case .scryptNotAlone: "a passphrase stands beside other recipients"
    case .workFactor: "its passphrase asks for too much work"
    case .lowOrderShare: "a share in it is not a usable key"
    case .nonce: "it ends before its payload begins"
    case .otherRecipient: "it is not sealed to this capsule"
    case .timelock: "its timelock was changed"
    }
  }
}

extension ArmorFault {
  /// The fault of an armor, in words.
  var words: String {
    switch self {
    case .begin(let line): "line \(line) is not its begin line"
    case .line(let line): "line \(line) is not 64 columns of canonical base64"
    case .end(let line): "line \(line) is not its end line"
    case .truncated: "its end line is missing"
    case .trailing: "something follows its end line"
    }
  }
}
