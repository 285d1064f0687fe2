/// The reason why bytes are not a beacon, of whatever content.
package enum TlockBeaconFault: Error, Hashable, Sendable {
  /// Neither a JSON object nor 96 hexadecimal digits.
  case malformed
  /// A JSON object without a signature in hexadecimal digits, or in Lotus' base64.
  case signature
  /// A JSON object whose round is not a whole number.
  case round
}

extension TlockBeacon {
  /// A number of bytes larger than any beacon's; a reader may stop there.
  package static let maximumByteCount = 16 << 10

  /// Reads drand's JSON, of API version 1 or 2; the form in which Filecoin's Lotus writes the beacons
  /// of its block headers, `{"Round": …, "Data": …}` with the signature in base64; or the signature's
  /// 96 hexadecimal digits alone. ASCII white space may stand around each.
  ///
  /// `randomness` and all other members are passed over: only the signature proves anything.
  ///
  /// - Throws: `.malformed`, `.signature` or `.round`.
  package init(parsing bytes: [UInt8]) throws(TlockBeaconFault) {
    guard bytes.count <= Self.maximumByteCount else { throw .malformed }
    if let object = (try? JSON.parse(bytes))?.object {
      if object["signature"] == nil, let data = object["Data"]?.string {
        guard let signature = Base64.decode(data, padded: true) else { throw .signature }
        self.init(round: try Self.round(in: object, named: "Round"), signature: signature)
        return
      }
      guard let text = object["signature"]?.string, let signature = Hex.decode(text) else {
        throw .signature
      }
      self.init(round: try Self.round(in: object, named: "round"), signature: signature)
      return
    }
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let digits = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    guard
      let signature = Hex.decode(String(decoding: digits, as: UTF8.self)),
      signature.count == G1.byteCount
    else { throw .malformed }
    self.init(round: nil, signature: signature)
  }

  private static func round(
    in object: JSONObject, named name: String
  ) throws(TlockBeaconFault) -> UInt64? {
    switch object[name] {
    case nil: return nil
    case .integer(let value): if let round = UInt64(exactly: value) { return round }
    // The number is beyond 63 bits.
    case .number(let value): if let round = UInt64(value.text) { return round }
    default: break
    }
    throw .round
  }
}
