/// scrypt's BlockMix (RFC 7914 §4) on Salsa20/8 (§3), with the square's diagonals in four vectors.
enum SalsaBlockMix {
  /// Mixes 8 · r vectors into as many others.
  static func mix(
    _ input: UnsafePointer<SIMD4<UInt32>>, into output: UnsafeMutablePointer<SIMD4<UInt32>>, r: Int
  ) {
    let last = 8 &* r &- 4
    var x0 = input[last], x1 = input[last &+ 1], x2 = input[last &+ 2], x3 = input[last &+ 3]
    for chunk in 0..<(2 &* r) {
      let place = 4 &* chunk
      x0 ^= input[place]
      x1 ^= input[place &+ 1]
      x2 ^= input[place &+ 2]
      x3 ^= input[place &+ 3]
      salsa8(&x0, &x1, &x2, &x3)
      // Even chunks go to the first half, odd ones to the second.
      let target = output + 4 &* ((chunk &>> 1) &+ (chunk & 1) &* r)
      target[0] = x0
      target[1] = x1
      target[2] = x2
      target[3] = x3
    }
  }

  /// Mixes the sum of 8 · r vectors and as many others.
  static func mix(
    _ input: UnsafePointer<SIMD4<UInt32>>, adding other: UnsafePointer<SIMD4<UInt32>>,
    into output: UnsafeMutablePointer<SIMD4<UInt32>>, r: Int
  ) {
    let last = 8 &* r &- 4
    var x0 = input[last] ^ other[last], x1 = input[last &+ 1] ^ other[last &+ 1]
    var x2 = input[last &+ 2] ^ other[last &+ 2], x3 = input[last &+ 3] ^ other[last &+ 3]
    for chunk in 0..<(2 &* r) {
      let place = 4 &* chunk
      x0 ^= input[place] ^ other[place]
      x1 ^= input[place &+ 1] ^ other[place &+ 1]
      x2 ^= input[place &+ 2] ^ other[place &+ 2]
      x3 ^= input[place &+ 3] ^ other[place &+ 3]
      salsa8(&x0, &x1, &x2, &x3)
      let target = output + 4 &* ((chunk &>> 1) &+ (chunk & 1) &* r)
      target[0] = x0
      target[1] = x1
      target[2] = x2
      target[3] = x3
    }
  }

  @inline(__always)
  private static func salsa8(
    _ x0: inout Lanes, _ x1: inout Lanes, _ x2: inout Lanes, _ x3: inout Lanes
  ) {
    let (i0, i1, i2, i3) = (x0, x1, x2, x3)
    for _ in 0..<4 {
      x1 = x1.xor((x0 &+ x3).rotated(7))
      x2 = x2.xor((x1 &+ x0).rotated(9))
      x3 = x3.xor((x2 &+ x1).rotated(13))
      x0 = x0.xor((x3 &+ x2).rotated(18))
      x1 = Lanes(x1[3], x1[0], x1[1], x1[2])
      x2 = Lanes(x2[2], x2[3], x2[0], x2[1])
      x3 = Lanes(x3[1], x3[2], x3[3], x3[0])
      x3 = x3.xor((x0 &+ x1).rotated(7))
      x2 = x2.xor((x3 &+ x0).rotated(9))
      x1 = x1.xor((x2 &+ x3).rotated(13))
      x0 = x0.xor((x1 &+ x2).rotated(18))
      x1 = Lanes(x1[1], x1[2], x1[3], x1[0])
      x2 = Lanes(x2[2], x2[3], x2[0], x2[1])
      x3 = Lanes(x3[3], x3[0], x3[1], x3[2])
    }
    x0 &+= i0
    x1 &+= i1
    x2 &+= i2
    x3 &+= i3
  }
}
