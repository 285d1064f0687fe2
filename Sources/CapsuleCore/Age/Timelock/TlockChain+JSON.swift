extension TlockChain {
  /// Reads drand's chain info, of API version 1 or 2, and compares the hash in it with the one that
  /// the parameters give.
  ///
  /// - Throws: any ``TlockChainFault``.
  package init(chainInfo bytes: [UInt8]) throws(TlockChainFault) {
    guard let info = (try? JSON.parse(bytes))?.object else { throw .malformed(key: nil) }
    let names = info["chain_hash"] == nil ? Names.first : Names.second
    let scheme = try names.string(names.scheme, in: info)
    guard scheme == Self.scheme else { throw .scheme(scheme) }
    let stated = try names.bytes(names.hash, in: info)
    try self.init(
      publicKey: names.bytes("public_key", in: info),
      period: names.number("period", in: info),
      genesis: names.number("genesis_time", in: info),
      seed: names.bytes(names.seed, in: info),
      beaconID: names.beaconID(in: info))
    guard hash == stated else {
      throw .hash(stated: Hex.encode(stated), computed: Hex.encode(hash))
    }
  }

  /// The names that a version of drand's API has for the parameters.
  private struct Names {
    let hash, seed, scheme: String

    static let first = Names(hash: "hash", seed: "groupHash", scheme: "schemeID")
    static let second = Names(hash: "chain_hash", seed: "genesis_seed", scheme: "scheme")

    func string(_ key: String, in info: JSONObject) throws(TlockChainFault) -> String {
      guard let text = info[key]?.string else { throw .malformed(key: key) }
      return text
    }

    func bytes(_ key: String, in info: JSONObject) throws(TlockChainFault) -> [UInt8] {
      guard let bytes = Hex.decode(try string(key, in: info)), !bytes.isEmpty else {
        throw .malformed(key: key)
      }
      return bytes
    }

    func number<Value: FixedWidthInteger>(
      _ key: String, in info: JSONObject
    ) throws(TlockChainFault) -> Value {
      guard let number = info[key]?.integer, let value = Value(exactly: number) else {
        throw .malformed(key: key)
      }
      return value
    }

    /// Version 1 has it one level down.
    func beaconID(in info: JSONObject) throws(TlockChainFault) -> String {
      if let id = info["beacon_id"]?.string ?? info["metadata"]?["beaconID"]?.string { return id }
      throw .malformed(key: "beacon_id")
    }
  }
}
