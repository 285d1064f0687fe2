extension SHA256 {
  /// Sixteen consecutive words of the message schedule (FIPS 180-4 §6.2.2, step 1), four a vector.
  struct Schedule {
    private var x0, x1, x2, x3: Lanes

    /// The words of a block.
    @_transparent
    init(_ block: UnsafeRawPointer) {
      x0 = Self.words(block)
      x1 = Self.words(block + 16)
      x2 = Self.words(block + 32)
      x3 = Self.words(block + 48)
    }

    @_transparent
    private static func words(_ bytes: UnsafeRawPointer) -> Lanes {
      Lanes(
        words: bytes.bigEndian(at: 0, as: UInt32.self), bytes.bigEndian(at: 4, as: UInt32.self),
        bytes.bigEndian(at: 8, as: UInt32.self), bytes.bigEndian(at: 12, as: UInt32.self))
    }

    /// Writes the words, each with its constant added.
    @_transparent
    func write(_ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer) {
      Self.write(x0, constants, words, at: 0)
      Self.write(x1, constants, words, at: 16)
      Self.write(x2, constants, words, at: 32)
      Self.write(x3, constants, words, at: 48)
    }

    /// Goes on by four words and writes these at a place.
    @_transparent
    mutating func advance(
      _ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer, at place: Int
    ) {
      (x0, x1, x2, x3) = (x1, x2, x3, Self.next(x0, x1, x2, x3))
      Self.write(x3, constants, words, at: place)
    }

    @_transparent
    private static func write(
      _ vector: Lanes, _ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer,
      at place: Int
    ) {
      let sum = vector &+ constants.loadUnaligned(fromByteOffset: place, as: Lanes.self)
      words.storeBytes(of: sum, toByteOffset: place, as: Lanes.self)
    }

    /// Returns the four words after sixteen.
    @_transparent
    private static func next(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes) -> Lanes {
      let (aw, bw, cw, dw) = (a.words, b.words, c.words, d.words)
      let back15 = Lanes(words: aw.1, aw.2, aw.3, bw.0)
      let back7 = Lanes(words: cw.1, cw.2, cw.3, dw.0)
      let sigma0 = back15.rotated(25).xor(back15.rotated(14)).xor(back15.shifted(3))
      // The first two words need the last two there are; the others need these two.
      let first = sigma1(Lanes(words: dw.2, dw.2, dw.3, dw.3)).words
      let half = a &+ back7 &+ sigma0 &+ Lanes(words: first.0, first.2, 0, 0)
      let hw = half.words
      let second = sigma1(Lanes(words: hw.0, hw.0, hw.1, hw.1)).words
      return half &+ Lanes(words: 0, 0, second.0, second.2)
    }

    /// Returns the function's values of two words that are each there twice, in lanes 0 and 2: a
    /// word beside itself is turned by one shift of 64 bits.
    @_transparent
    private static func sigma1(_ pairs: Lanes) -> Lanes {
      let wide = unsafeBitCast(pairs, to: (UInt64, UInt64).self)
      let turned17 = unsafeBitCast((wide.0 &>> 17, wide.1 &>> 17), to: Lanes.self)
      let turned19 = unsafeBitCast((wide.0 &>> 19, wide.1 &>> 19), to: Lanes.self)
      return turned17.xor(turned19).xor(pairs.shifted(10))
    }
  }
}
