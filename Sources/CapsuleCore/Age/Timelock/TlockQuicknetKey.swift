// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.

extension TlockChain {
  /// The public key of quicknet.
  static let quicknetKey = G2.Affine(
    x: Fp2(
      c0: Fp(
        l0: 0xdc1deee8b9865d75, l1: 0x54daa4e2cd8b01cc, l2: 0xc43b020381b8d1ea,
        l3: 0x973f4dba025c3101, l4: 0x13182ac1836bebc9, l5: 0x07ff9905097c7079),
      c1: Fp(
        l0: 0x588c3290ab8e9a1b, l1: 0xdf449017fcd0cd50, l2: 0x6214c2a05901d4e7,
        l3: 0x4f187955e7527d8c, l4: 0xa1c0c225c1df1d6d, l5: 0x0dd14109f13e918d)),
    y: Fp2(
      c0: Fp(
        l0: 0xad2dd6d6ea143eff, l1: 0x9df22bdbc9b2e07c, l2: 0xece30c476acfa198,
        l3: 0xaa31ad58f3d23540, l4: 0x7bc24f2c03bfefea, l5: 0x149a50673874e7f7),
      c1: Fp(
        l0: 0x07232e23fea77fbc, l1: 0x4d82df539d9518a3, l2: 0x41550eb3a385cc97,
        l3: 0x6d328584eea88ec2, l4: 0x53e1ce02a6ed918d, l5: 0x07cb6a2611693d25)))
}
