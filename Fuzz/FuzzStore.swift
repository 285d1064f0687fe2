@testable import CapsuleCore

/// `store.json` is read or refused whatever its bytes are, and a pin says what the header it was made of says.
func fuzzStoreHeader(_ input: [UInt8]) {
  guard let (fields, _) = try? RecordFile.decode(input),
    let header = try? StoreHeader(fields: fields)
  else { return }
  _ = (header.hasOwnForm, header.isKnown, RecordFile.encode(header.fields))
  for identity in header.identities { _ = (identity.isUsable, identity.isImported) }
  let pin = RecipientsPin(header)
  require(RecipientsPin(pin.words) == pin, "a pin says what it was made of")
}
