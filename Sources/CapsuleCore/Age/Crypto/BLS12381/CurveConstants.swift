// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.

extension Fp {
  /// 0.
  package static let zero = Fp(
    l0: 0x0000000000000000, l1: 0x0000000000000000, l2: 0x0000000000000000, l3: 0x0000000000000000,
    l4: 0x0000000000000000, l5: 0x0000000000000000)

  /// 1.
  package static let one = Fp(
    l0: 0x760900000002fffd, l1: 0xebf4000bc40c0002, l2: 0x5f48985753c758ba, l3: 0x77ce585370525745,
    l4: 0x5c071a97a256ec6d, l5: 0x15f65ec3fa80e493)

  /// 1/2.
  static let half = Fp(
    l0: 0x1804000000015554, l1: 0x855000053ab00001, l2: 0x633cb57c253c276f, l3: 0x6e22d1ec31ebb502,
    l4: 0xd3916126f2d14ca2, l5: 0x17fbb8571a006596)

  /// 2²⁵⁶, which joins the halves of a 512-bit number.
  static let toThe256 = Fp(
    l0: 0x075b3cd7c5ce820f, l1: 0x3ec6ba621c3edb0b, l2: 0x168a13d82bff6bce, l3: 0x87663c4bf8c449d2,
    l4: 0x15f34c83ddc8d830, l5: 0x0f9628b49caa2e85)

  /// R = 2³⁸⁴: multiplying plain limbs by it brings them into Montgomery form.
  static let montgomeryRadix = Fp(
    l0: 0xf4df1f341c341746, l1: 0x0a76e6a609d104f1, l2: 0x8de5476c4c95b6d5, l3: 0x67eb88a9939d83c0,
    l4: 0x9a793e85b519952d, l5: 0x11988fe592cae3aa)

  /// p − 2.
  static let inverseExponent: [UInt64] = [
    0xb9feffffffffaaa9, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf,
    0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a,
  ]

  /// (p − 3)/4.
  static let rootExponent: [UInt64] = [
    0xee7fbfffffffeaaa, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89, 0xd91dd2e13ce144af,
    0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6,
  ]

  /// x of the generator that every user of the curve shares.
  package static let generatorX = Fp(
    l0: 0x5cb38790fd530c16, l1: 0x7817fc679976fff5, l2: 0x154f95c7143ba1c1, l3: 0xf0ae6acdf3d0e747,
    l4: 0xedce6ecc21dbf440, l5: 0x120177419e0bfb75)

  /// y of the generator that every user of the curve shares.
  package static let generatorY = Fp(
    l0: 0xbaac93d50ce72271, l1: 0x8c22631a7918fd8e, l2: 0xdd595f13570725ce, l3: 0x51ac582950405194,
    l4: 0x0e1c8c3fad0059c0, l5: 0x0bbc3efc5008a26a)

  /// The cube root of 1 for which (βx, y) is [−x²](x, y) on the subgroup.
  static let beta = Fp(
    l0: 0x30f1361b798a64e8, l1: 0xf3b8ddab7ece5a2a, l2: 0x16a8ca3ac61577f7, l3: 0xc26a2ff874fd029b,
    l4: 0x3636b76660701c6e, l5: 0x051ba4ab241b6160)
}

extension Fp2 {
  /// ξ^(k(p − 1)/6) for ξ = u + 1: what the Frobenius map does to w^k.
  static let frobenius1 = Fp2(
    c0: Fp(
      l0: 0x07089552b319d465, l1: 0xc6695f92b50a8313, l2: 0x97e83cccd117228f,
      l3: 0xa35baecab2dc29ee, l4: 0x1ce393ea5daace4d, l5: 0x08f2220fb0fb66eb),
    c1: Fp(
      l0: 0xb2f66aad4ce5d646, l1: 0x5842a06bfc497cec, l2: 0xcf4895d42599d394,
      l3: 0xc11b9cba40a8e8d0, l4: 0x2e3813cbe5a0de89, l5: 0x110eefda88847faf))
  static let frobenius2 = Fp2(
    c0: Fp(
      l0: 0x0000000000000000, l1: 0x0000000000000000, l2: 0x0000000000000000,
      l3: 0x0000000000000000, l4: 0x0000000000000000, l5: 0x0000000000000000),
    c1: Fp(
      l0: 0xcd03c9e48671f071, l1: 0x5dab22461fcda5d2, l2: 0x587042afd3851b95,
      l3: 0x8eb60ebe01bacb9e, l4: 0x03f97d6e83d050d2, l5: 0x18f0206554638741))
  static let frobenius3 = Fp2(
    c0: Fp(
      l0: 0x7bcfa7a25aa30fda, l1: 0xdc17dec12a927e7c, l2: 0x2f088dd86b4ebef1,
      l3: 0xd1ca2087da74d4a7, l4: 0x2da2596696cebc1d, l5: 0x0e2b7eedbbfd87d2),
    c1: Fp(
      l0: 0x7bcfa7a25aa30fda, l1: 0xdc17dec12a927e7c, l2: 0x2f088dd86b4ebef1,
      l3: 0xd1ca2087da74d4a7, l4: 0x2da2596696cebc1d, l5: 0x0e2b7eedbbfd87d2))
  static let frobenius4 = Fp2(
    c0: Fp(
      l0: 0x890dc9e4867545c3, l1: 0x2af322533285a5d5, l2: 0x50880866309b7e2c,
      l3: 0xa20d1b8c7e881024, l4: 0x14e4f04fe2db9068, l5: 0x14e56d3f1564853a),
    c1: Fp(
      l0: 0x0000000000000000, l1: 0x0000000000000000, l2: 0x0000000000000000,
      l3: 0x0000000000000000, l4: 0x0000000000000000, l5: 0x0000000000000000))
  static let frobenius5 = Fp2(
    c0: Fp(
      l0: 0x82d83cf50dbce43f, l1: 0xa2813e53df9d018f, l2: 0xc6f0caa53c65e181,
      l3: 0x7525cf528d50fe95, l4: 0x4a85ed50f4798a6b, l5: 0x171da0fd6cf8eebd),
    c1: Fp(
      l0: 0x3726c30af242c66c, l1: 0x7c2ac1aad1b6fe70, l2: 0xa04007fbba4b14a2,
      l3: 0xef517c3266341429, l4: 0x0095ba654ed2226b, l5: 0x02e370eccc86f7dd))

  /// x of the generator that every user of the curve shares.
  package static let generatorX = Fp2(
    c0: Fp(
      l0: 0xf5f28fa202940a10, l1: 0xb3f5fb2687b4961a, l2: 0xa1a893b53e2ae580,
      l3: 0x9894999d1a3caee9, l4: 0x6f67b7631863366b, l5: 0x058191924350bcd7),
    c1: Fp(
      l0: 0xa5a9c0759e23f606, l1: 0xaaa0c59dbccd60c3, l2: 0x3bb17e18e2867806,
      l3: 0x1b1ab6cc8541b367, l4: 0xc2b6ed0ef2158547, l5: 0x11922a097360edf3))

  /// y of the generator that every user of the curve shares.
  package static let generatorY = Fp2(
    c0: Fp(
      l0: 0x4c730af860494c4a, l1: 0x597cfa1f5e369c5a, l2: 0xe7e6856caa0a635a,
      l3: 0xbbefb5e96e0d495f, l4: 0x07d3a975f0ef25a2, l5: 0x0083fd8e7e80dae5),
    c1: Fp(
      l0: 0xadc0fc92df64b05d, l1: 0x18aa270a2b1461dc, l2: 0x86adac6a3be4eba0,
      l3: 0x79495c4ec93da33a, l4: 0xe7175850a43ccaed, l5: 0x0b2bc2a163de1bf2))

  /// ξ^(−(p − 1)/3): the factor of x in ψ.
  static let psiX = Fp2(
    c0: Fp(
      l0: 0x0000000000000000, l1: 0x0000000000000000, l2: 0x0000000000000000,
      l3: 0x0000000000000000, l4: 0x0000000000000000, l5: 0x0000000000000000),
    c1: Fp(
      l0: 0x890dc9e4867545c3, l1: 0x2af322533285a5d5, l2: 0x50880866309b7e2c,
      l3: 0xa20d1b8c7e881024, l4: 0x14e4f04fe2db9068, l5: 0x14e56d3f1564853a))

  /// ξ^(−(p − 1)/2): the factor of y in ψ.
  static let psiY = Fp2(
    c0: Fp(
      l0: 0x3e2f585da55c9ad1, l1: 0x4294213d86c18183, l2: 0x382844c88b623732,
      l3: 0x92ad2afd19103e18, l4: 0x1d794e4fac7cf0b9, l5: 0x0bd592fc7d825ec8),
    c1: Fp(
      l0: 0x7bcfa7a25aa30fda, l1: 0xdc17dec12a927e7c, l2: 0x2f088dd86b4ebef1,
      l3: 0xd1ca2087da74d4a7, l4: 0x2da2596696cebc1d, l5: 0x0e2b7eedbbfd87d2))
}
