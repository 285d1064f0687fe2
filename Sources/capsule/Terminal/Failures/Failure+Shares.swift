import CapsuleCore

extension Fault {
  /// Words that are no share, in words that never say which one would be right.
  init(_ fault: ShareFault) {
    switch fault {
    case .empty:
      self.init(.damaged, "there are no words of a share", hint: "type them, or their numbers")
    case .tooLong:
      self.init(.damaged, "there is more text than any share has", hint: "give one share alone")
    case .word(let word, let place, let nearest):
      self.init(
        .damaged, "word \(place + 1), '\(word)', is not in the list of words",
        hint: nearest.isEmpty
          ? "compare it with the sheet"
          : "compare it with the sheet; near it are \(nearest.joined(separator: ", "))",
        details: [
          "place": .integer(Int64(place + 1)), "nearest": .array(nearest.map { .string($0) }),
        ])
    case .number(let number, let place):
      self.init(
        .damaged, "number \(place + 1), '\(number)', is not from 0 to 1023",
        hint: "compare it with the sheet", details: ["place": .integer(Int64(place + 1))])
    case .count(let count):
      self.init(
        .damaged,
        "a share of an identity has \(Share.identityWordCount) words, and \(count == 1 ? "this is" : "these are") \(count)",
        hint: count < Share.identityWordCount
          ? "a word or a row of them is missing" : "a word or a row of them stands twice",
        details: ["words": .integer(Int64(count))])
    case .checksum(.word(let place)):
      self.init(
        .damaged, "the checksum of the share does not fit: word \(place + 1) is likely wrong",
        hint: "compare it with the sheet", details: ["place": .integer(Int64(place + 1))])
    case .checksum(.swapped(let place)):
      self.init(
        .damaged,
        "the checksum of the share does not fit: words \(place + 1) and \(place + 2) are likely swapped",
        hint: "compare them with the sheet", details: ["place": .integer(Int64(place + 1))])
    case .checksum(.unknown):
      self.init(
        .damaged, "the checksum of the share does not fit: more than one word is wrong",
        hint: "compare every word with the sheet")
    case .groups:
      self.init(.damaged, "the share asks for more groups than it says that there are")
    case .padding:
      self.init(.damaged, "the share is not one of SLIP-0039: its first bits are not 0")
    }
  }

  /// A share that does not go with those before it, in words.
  init(_ fault: ShareSet.Problem) {
    switch fault {
    case .otherSet:
      self.init(
        .key, "the share is of another set than those before it",
        hint: "shares go together when their first two words are the same")
    case .same: self.init(.key, "the share was given already", hint: "give another one")
    case .sameNumber:
      self.init(
        .key, "the share has the number of another one, and other words",
        hint: "one of the two is not genuine")
    case .tooMany:
      self.init(
        .key, "the share is one too many",
        hint: "exactly as many are taken as are needed; leave one out")
    case .exponent(let exponent):
      self.init(
        .refused, "the share asks for too much work: its exponent is \(exponent), above 10",
        hint: "it was not made by a program that means well")
    }
  }

  /// Shares that do not join, in words.
  init(_ fault: ShareSet.JoinFault) {
    switch fault {
    case .missing(let count):
      self.init(
        .key, "\(count) more share\(count == 1 ? " is" : "s are") needed",
        hint: "give each with '--share FILE', or type them on a terminal",
        details: ["missing": .integer(Int64(count))])
    case .digest:
      self.init(
        .damaged, "the shares do not fit together: at least one is not genuine",
        hint: "compare each with its sheet; 'capsule trustees verify' looks at one alone")
    }
  }

  /// Shares that are not the identity that was wanted, in words.
  init(_ fault: TrusteeGroup.IdentityFault) {
    switch fault {
    case .join(let fault): self.init(fault)
    case .length(let count):
      self.init(
        .key, "the shares are of a secret of \(8 * count) bits, and an identity has 256",
        hint: "they may be those of a wallet: they were not made here")
    case .otherRecipient(let group):
      self.init(
        .damaged, "'\(group)': the shares join to another identity than the record says",
        hint: "the record of the group was changed: restore it from a backup")
    }
  }

  /// Returns the same failure, with the subject in front of its message.
  func about(_ subject: String) -> Fault {
    var failure = self
    failure.message = "\(subject): \(message)"
    return failure
  }
}
