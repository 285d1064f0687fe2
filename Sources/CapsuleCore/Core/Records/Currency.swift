/// A currency or fund by its code of ISO 4217, with the number of digits that its minor unit has.
public struct Currency: Hashable, Sendable {
  /// Three capital letters, as `EUR`.
  public let code: String
  /// How many digits stand behind the point: 2 for EUR, 0 for JPY.
  public let exponent: Int

  /// The currency of a code, in capitals or not; `nil` for what ISO 4217 does not list.
  package init?(_ code: some StringProtocol) {
    guard code.utf8.count == 3 else { return nil }
    let wanted = code.uppercased()
    guard let exponent = Self.exponents[wanted] else { return nil }
    self.code = wanted
    self.exponent = exponent
  }

  private init(code: String, exponent: Int) {
    self.code = code
    self.exponent = exponent
  }

  /// The currency of an amount that is not read yet.
  static let unread = Currency(code: "", exponent: 0)

  /// The exponents by their codes: a list of thousands of items asks as often.
  private static let exponents = Dictionary(
    codes.flatMap { entry in
      entry.codes.split(separator: " ").map { (String($0), entry.exponent) }
    }, uniquingKeysWith: { first, _ in first })

  /// List one of ISO 4217 as the maintenance agency (SIX) publishes it, of 2025, by the exponent of
  /// the minor unit; without metals, test codes and what has no minor unit.
  private static let codes: [(exponent: Int, codes: String)] = [
    (
      2,
      """
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD \
      CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL \
      GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR \
      LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD \
      PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC \
      SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR \
      ZMW ZWG
      """
    ),
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
  ]
}

/// A currency is its code in capitals; a record may have it in others.
extension Currency: FieldText {
  package init?(fieldText: String) { self.init(fieldText) }
  package var fieldText: String { code }
}
