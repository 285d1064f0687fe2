import CapsuleCore

/// Whatever a file of vCards holds, it is read to its end: what is told of it stands in the order of
/// its lines, and every person has a name on one line.
func fuzzCards(_ input: [UInt8]) {
  let entries = ContactFile(input).entries
  require(
    zip(entries, entries.dropFirst()).allSatisfy { $0.line < $1.line },
    "the entries of a file stand in its order")
  for case .card(let card) in entries {
    require(!card.name.isEmpty, "everybody has a name")
    require(!card.name.contains(where: \.isNewline), "a name stands on one line")
    require(card.recipient.isEmpty || RecipientText.isUsable(card.recipient), "a key is one")
  }
}
