// Written by Scripts/bls12381_constants.py; Montgomery form, lowest limb first.

/// The curve E′: y² = x³ + A′x + B′ of RFC 9380 (section 8.8.1) and the 11-isogeny from it to E
/// (appendix E.2), whose polynomials begin with the lowest degree.
enum G1Isogeny {
  /// A′.
  static let a = Fp(
    l0: 0x2f65aa0e9af5aa51, l1: 0x86464c2d1e8416c3, l2: 0xb85ce591b7bd31e2, l3: 0x27e11c91b5f24e7c,
    l4: 0x28376eda6bfc1835, l5: 0x155455c3e5071d85)

  /// B′.
  static let b = Fp(
    l0: 0xfb996971fe22a1e0, l1: 0x9aa93eb35b742d6f, l2: 0x8c476013de99c5c4, l3: 0x873e27c3a221e571,
    l4: 0xca72b5e45a52d888, l5: 0x06824061418a386b)

  /// Z = 11.
  static let z = Fp(
    l0: 0x886c00000023ffdc, l1: 0x0f70008d3090001d, l2: 0x77672417ed5828c3, l3: 0x9dac23e943dc1740,
    l4: 0x50553f1b9c131521, l5: 0x078c712fbe0ab6e8)

  /// √(−Z), the constant c2 of RFC 9380, appendix F.2.1.2.
  static let rootOfMinusZ = Fp(
    l0: 0xf37b0ced8fb71e24, l1: 0xf02dc8a4535a8779, l2: 0x732ed835f7eb14ea, l3: 0x524ca41ecb2bce0d,
    l4: 0x095e3801e90b5fc1, l5: 0x0252ad055472a90e)

  static let xNumerator: [Fp] = [
    Fp(
      l0: 0x4d18b6f3af00131c, l1: 0x19fa219793fee28c, l2: 0x3f2885f1467f19ae,
      l3: 0x23dcea34f2ffb304, l4: 0xd15b58d2ffc00054, l5: 0x0913be200a20bef4),
    Fp(
      l0: 0x898985385cdbbd8b, l1: 0x3c79e43cc7d966aa, l2: 0x1597e193f4cd233a,
      l3: 0x8637ef1e4d6623ad, l4: 0x11b22deed20d827b, l5: 0x07097bc5998784ad),
    Fp(
      l0: 0xa542583a480b664b, l1: 0xfc7169c026e568c6, l2: 0x5ba2ef314ed8b5a6,
      l3: 0x5b5491c05102f0e7, l4: 0xdf6e99707d2a0079, l5: 0x0784151ed7605524),
    Fp(
      l0: 0x494e212870f72741, l1: 0xab9be52fbda43021, l2: 0x26f5577994e34c3d,
      l3: 0x049dfee82aefbd60, l4: 0x65dadd7828505289, l5: 0x0e93d431ea011aeb),
    Fp(
      l0: 0x90ee774bd6a74d45, l1: 0x7ada1c8a41bfb185, l2: 0x0f1a8953b325f464,
      l3: 0x104c24211be4805c, l4: 0x169139d319ea7a8f, l5: 0x09f20ead8e532bf6),
    Fp(
      l0: 0x6ddd93e2f43626b7, l1: 0xa5482c9aa1ccd7bd, l2: 0x143245631883f4bd,
      l3: 0x2e0a94ccf77ec0db, l4: 0xb0282d480e56489f, l5: 0x18f4bfcbb4368929),
    Fp(
      l0: 0x23c5f0c953402dfd, l1: 0x7a43ff6958ce4fe9, l2: 0x2c390d3d2da5df63,
      l3: 0xd0df5c98e1f9d70f, l4: 0xffd89869a572b297, l5: 0x1277ffc72f25e8fe),
    Fp(
      l0: 0x79f4f0490f06a8a6, l1: 0x85f894a88030fd81, l2: 0x12da3054b18b6410,
      l3: 0xe2a57f6505880d65, l4: 0xbba074f260e400f1, l5: 0x08b76279f621d028),
    Fp(
      l0: 0xe67245ba78d5b00b, l1: 0x8456ba9a1f186475, l2: 0x7888bff6e6b33bb4,
      l3: 0xe21585b9a30f86cb, l4: 0x05a69cdcef55feee, l5: 0x09e699dd9adfa5ac),
    Fp(
      l0: 0x0de5c357bff57107, l1: 0x0a0db4ae6b1a10b2, l2: 0xe256bb67b3b3cd8d,
      l3: 0x8ad456574e9db24f, l4: 0x0443915f50fd4179, l5: 0x098c4bf7de8b6375),
    Fp(
      l0: 0xe6b0617e7dd929c7, l1: 0xfe6e37d442537375, l2: 0x1dafdeda137a489e,
      l3: 0xe4efd1ad3f767ceb, l4: 0x4a51d8667f0fe1cf, l5: 0x054fdf4bbf1d821c),
    Fp(
      l0: 0x72db2a50658d767b, l1: 0x8abf91faa257b3d5, l2: 0xe969d6833764ab47,
      l3: 0x464170142a1009eb, l4: 0xb14f01aadb30be2f, l5: 0x18ae6a856f40715d),
  ]

  static let xDenominator: [Fp] = [
    Fp(
      l0: 0xb962a077fdb0f945, l1: 0xa6a9740fefda13a0, l2: 0xc14d568c3ed6c544,
      l3: 0xb43fc37b908b133e, l4: 0x9c0b3ac929599016, l5: 0x0165aa6c93ad115f),
    Fp(
      l0: 0x23279a3ba506c1d9, l1: 0x92cfca0a9465176a, l2: 0x3b294ab13755f0ff,
      l3: 0x116dda1c5070ae93, l4: 0xed4530924cec2045, l5: 0x083383d6ed81f1ce),
    Fp(
      l0: 0x9885c2a6449fecfc, l1: 0x4a2b54ccd37733f0, l2: 0x17da9ffd8738c142,
      l3: 0xa0fba72732b3fafd, l4: 0xff364f36e54b6812, l5: 0x0f29c13c660523e2),
    Fp(
      l0: 0xe349cc118278f041, l1: 0xd487228f2f3204fb, l2: 0xc9d325849ade5150,
      l3: 0x43a92bd69c15c2df, l4: 0x1c2c7844bc417be4, l5: 0x12025184f407440c),
    Fp(
      l0: 0x587f65ae6acb057b, l1: 0x1444ef325140201f, l2: 0xfbf995e71270da49,
      l3: 0xccda066072436a42, l4: 0x7408904f0f186bb2, l5: 0x13b93c63edf6c015),
    Fp(
      l0: 0xfb918622cd141920, l1: 0x4a4c64423ecaddb4, l2: 0x0beb232927f7fb26,
      l3: 0x30f94df6f83a3dc2, l4: 0xaeedd424d780f388, l5: 0x06cc402dd594bbeb),
    Fp(
      l0: 0xd41f761151b23f8f, l1: 0x32a92465435719b3, l2: 0x64f436e888c62cb9,
      l3: 0xdf70a9a1f757c6e4, l4: 0x6933a38d5b594c81, l5: 0x0c6f7f7237b46606),
    Fp(
      l0: 0x693c08747876c8f7, l1: 0x22c9850bf9cf80f0, l2: 0x8e9071dab950c124,
      l3: 0x89bc62d61c7baf23, l4: 0xbc6be2d8dad57c23, l5: 0x17916987aa14a122),
    Fp(
      l0: 0x1be3ff439c1316fd, l1: 0x9965243a7571dfa7, l2: 0xc7f7f62962f5cd81,
      l3: 0x32c6aa9af394361c, l4: 0xbbc2ee18e1c227f4, l5: 0x0c102cbac531bb34),
    Fp(
      l0: 0x997614c97bacbf07, l1: 0x61f86372b99192c0, l2: 0x5b8c95fc14353fc3,
      l3: 0xca2b066c2a87492f, l4: 0x16178f5bbf698711, l5: 0x12a6dcd7f0f4e0e8),
    Fp(
      l0: 0x760900000002fffd, l1: 0xebf4000bc40c0002, l2: 0x5f48985753c758ba,
      l3: 0x77ce585370525745, l4: 0x5c071a97a256ec6d, l5: 0x15f65ec3fa80e493),
  ]

  static let yNumerator: [Fp] = [
    Fp(
      l0: 0x2b567ff3e2837267, l1: 0x1d4d9e57b958a767, l2: 0xce028fea04bd7373,
      l3: 0xcc31a30a0b6cd3df, l4: 0x7d7b18a682692693, l5: 0x0d300744d42a0310),
    Fp(
      l0: 0x99c2555fa542493f, l1: 0xfe7f53cc4874f878, l2: 0x5df0608b8f97608a,
      l3: 0x14e03832052b49c8, l4: 0x706326a6957dd5a4, l5: 0x0a8dadd9c2414555),
    Fp(
      l0: 0x13d942922a5cf63a, l1: 0x357e33e36e261e7d, l2: 0xcf05a27c8456088d,
      l3: 0x0000bd1de7ba50f0, l4: 0x83d0c7532f8c1fde, l5: 0x13f70bf38bbf2905),
    Fp(
      l0: 0x5c57fd95bfafbdbb, l1: 0x28a359a65e541707, l2: 0x3983ceb4f6360b6d,
      l3: 0xafe19ff6f97e6d53, l4: 0xb3468f4550192bf7, l5: 0x0bb6cde49d8ba257),
    Fp(
      l0: 0x590b62c7ff8a513f, l1: 0x314b4ce372cacefd, l2: 0x6bef32ce94b8a800,
      l3: 0x6ddf84a095713d5f, l4: 0x64eace4cb0982191, l5: 0x0386213c651b888d),
    Fp(
      l0: 0xa5310a31111bbcdd, l1: 0xa14ac0f5da148982, l2: 0xf9ad9cc95423d2e9,
      l3: 0xaa6ec095283ee4a7, l4: 0xcf5b1f022e1c9107, l5: 0x01fddf5aed881793),
    Fp(
      l0: 0x65a572b0d7a7d950, l1: 0xe25c2d8183473a19, l2: 0xc2fcebe7cb877dbd,
      l3: 0x05b2d36c769a89b0, l4: 0xba12961be86e9efb, l5: 0x07eb1b29c1dfde1f),
    Fp(
      l0: 0x93e09572f7c4cd24, l1: 0x364e929076795091, l2: 0x8569467e68af51b5,
      l3: 0xa47da89439f5340f, l4: 0xf4fa918082e44d64, l5: 0x0ad52ba3e6695a79),
    Fp(
      l0: 0x911429844e0d5f54, l1: 0xd03f51a3516bb233, l2: 0x3d587e5640536e66,
      l3: 0xfa86d2a3a9a73482, l4: 0xa90ed5adf1ed5537, l5: 0x149c9c326a5e7393),
    Fp(
      l0: 0x462bbeb03c12921a, l1: 0xdc9af5fa0a274a17, l2: 0x9a558ebde836ebed,
      l3: 0x649ef8f11a4fae46, l4: 0x8100e1652b3cdc62, l5: 0x1862bd62c291dacb),
    Fp(
      l0: 0x05c9b8ca89f12c26, l1: 0x0194160fa9b9ac4f, l2: 0x6a643d5a6879fa2c,
      l3: 0x14665bdd8846e19d, l4: 0xbb1d0d53af3ff6bf, l5: 0x12c7e1c3b28962e5),
    Fp(
      l0: 0xb55ebf900b8a3e17, l1: 0xfedc77ec1a9201c4, l2: 0x1f07db10ea1a4df4,
      l3: 0x0dfbd15dc41a594d, l4: 0x389547f2334a5391, l5: 0x02419f98165871a4),
    Fp(
      l0: 0xb416af000745fc20, l1: 0x8e563e9d1ea6d0f5, l2: 0x7c763e17763a0652,
      l3: 0x01458ef0159ebbef, l4: 0x8346fe421f96bb13, l5: 0x0d2d7b829ce324d2),
    Fp(
      l0: 0x93096bb538d64615, l1: 0x6f2a2619951d823a, l2: 0x8f66b3ea59514fa4,
      l3: 0xf563e63704f7092f, l4: 0x724b136c4cf2d9fa, l5: 0x046959cfcfd0bf49),
    Fp(
      l0: 0xea748d4b6e405346, l1: 0x91e9079c2c02d58f, l2: 0x41064965946d9b59,
      l3: 0xa06731f1d2bbe1ee, l4: 0x07f897e267a33f1b, l5: 0x1017290919210e5f),
    Fp(
      l0: 0x872aa6c17d985097, l1: 0xeecc53161264562a, l2: 0x07afe37afff55002,
      l3: 0x54759078e5be6838, l4: 0xc4b92d15db8acca8, l5: 0x106d87d1b51d13b9),
  ]

  static let yDenominator: [Fp] = [
    Fp(
      l0: 0xeb6c359d47e52b1c, l1: 0x18ef5f8a10634d60, l2: 0xddfa71a0889d5b7e,
      l3: 0x723e71dcc5fc1323, l4: 0x52f45700b70d5c69, l5: 0x0a8b981ee47691f1),
    Fp(
      l0: 0x616a3c4f5535b9fb, l1: 0x6f5f037395dbd911, l2: 0xf25f4cc5e35c65da,
      l3: 0x3e50dffea3c62658, l4: 0x6a33dca523560776, l5: 0x0fadeff77b6bfe3e),
    Fp(
      l0: 0x2be9b66df470059c, l1: 0x24a2c159a3d36742, l2: 0x115dbe7ad10c2a37,
      l3: 0xb6634a652ee5884d, l4: 0x04fe8bb2b8d81af4, l5: 0x01c2a7a256fe9c41),
    Fp(
      l0: 0xf27bf8ef3b75a386, l1: 0x898b367476c9073f, l2: 0x24482e6b8c2f4e5f,
      l3: 0xc8e0bbd6fe110806, l4: 0x59b0c17f7631448a, l5: 0x11037cd58b3dbfbd),
    Fp(
      l0: 0x31c7912ea267eec6, l1: 0x1dbf6f1c5fcdb700, l2: 0xd30d4fe3ba86fdb1,
      l3: 0x3cae528fbee9a2a4, l4: 0xb1cce69b6aa9ad9a, l5: 0x044393bb632d94fb),
    Fp(
      l0: 0xc66ef6efeeb5c7e8, l1: 0x9824c289dd72bb55, l2: 0x71b1a4d2f119981d,
      l3: 0x104fc1aafb0919cc, l4: 0x0e49df01d942a628, l5: 0x096c3a09773272d4),
    Fp(
      l0: 0x9abc11eb5fadeff4, l1: 0x32dca50a885728f0, l2: 0xfb1fa3721569734c,
      l3: 0xc4b76271ea6506b3, l4: 0xd466a75599ce728e, l5: 0x0c81d4645f4cb6ed),
    Fp(
      l0: 0x4199f10e5b8be45b, l1: 0xda64e495b1e87930, l2: 0xcb353efe9b33e4ff,
      l3: 0x9e9efb24aa6424c6, l4: 0xf08d33680a237465, l5: 0x0d3378023e4c7406),
    Fp(
      l0: 0x7eb4ae92ec74d3a5, l1: 0xc341b4aa9fac3497, l2: 0x5be603899e907687,
      l3: 0x03bfd9cca75cbdeb, l4: 0x564c2935a96bfa93, l5: 0x0ef3c33371e2fdb5),
    Fp(
      l0: 0x7ee91fd449f6ac2e, l1: 0xe5d5bd5cb9357a30, l2: 0x773a8ca5196b1380,
      l3: 0xd0fda172174ed023, l4: 0x6cb95e0fa776aead, l5: 0x0d22d5a40cec7cff),
    Fp(
      l0: 0xf727e09285fd8519, l1: 0xdc9d55a83017897b, l2: 0x7549d8bd057894ae,
      l3: 0x178419613d90d8f8, l4: 0xfce95ebdeb5b490a, l5: 0x0467ffaef23fc49e),
    Fp(
      l0: 0xc1769e6a7c385f1b, l1: 0x79bc930deac01c03, l2: 0x5461c75a23ede3b5,
      l3: 0x6e20829e5c230c45, l4: 0x828e0f1e772a53cd, l5: 0x116aefa749127bff),
    Fp(
      l0: 0x101c10bf2744c10a, l1: 0xbbf18d053a6a3154, l2: 0xa0ecf39ef026f602,
      l3: 0xfc009d4996dc5153, l4: 0xb9000209d5bd08d3, l5: 0x189e5fe4470cd73c),
    Fp(
      l0: 0x7ebd546ca1575ed2, l1: 0xe47d5a981d081b55, l2: 0x57b2b625b6d4ca21,
      l3: 0xb0a1ba04228520cc, l4: 0x98738983c2107ff3, l5: 0x13dddbc4799d81d6),
    Fp(
      l0: 0x09319f2e39834935, l1: 0x039e952cbdb05c21, l2: 0x55ba77a9a2f76493,
      l3: 0xfd04e3dfc6086467, l4: 0xfb95832e7d78742e, l5: 0x0ef9c24eccaf5e0e),
    Fp(
      l0: 0x760900000002fffd, l1: 0xebf4000bc40c0002, l2: 0x5f48985753c758ba,
      l3: 0x77ce585370525745, l4: 0x5c071a97a256ec6d, l5: 0x15f65ec3fa80e493),
  ]
}
