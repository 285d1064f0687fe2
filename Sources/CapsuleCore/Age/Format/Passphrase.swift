/// A passphrase: one or more bytes, taken as they are.
package struct Passphrase: Sendable {
  package let bytes: SecretBytes

  /// A passphrase of exactly these bytes; `nil` for none.
  package init?(_ bytes: SecretBytes) {
    guard bytes.count > 0 else { return nil }
    self.bytes = bytes
  }

  /// The passphrase in a file or in a program's output: all of it but one line end, LF or CRLF;
  /// `nil` when nothing is left.
  package init?(fileContents bytes: SecretBytes) {
    self.init(
      bytes.withUnsafeBytes { bytes in
        var count = bytes.count
        if count > 0, bytes[count - 1] == UInt8(ascii: "\n") {
          count -= 1
          if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      })
  }

  /// The number of words of a generated passphrase; each of them brings 10 bits.
  package static let generatedWordCount = 10

  /// Draws a passphrase of ten words out of ``WordList``, with a space between two: 100 bits.
  ///
  /// - Throws: ``RandomSource/Failure`` where the system gives no random bytes.
  package init(generatedBy random: RandomSource) throws(RandomSource.Failure) {
    var drawn = try random.bytes(2 * Self.generatedWordCount)
    defer { wipe(&drawn) }
    var text: [UInt8] = []
    // At most eight letters a word, so that no copy is left behind where the array grows.
    text.reserveCapacity(9 * Self.generatedWordCount)
    for place in stride(from: 0, to: drawn.count, by: 2) {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      // 1024 numbers of ten bits for 1024 words: each is as likely.
      let number = Int(drawn[place]) << 8 | Int(drawn[place + 1])
      text.append(contentsOf: WordList.words[number & 0x3ff].utf8)
    }
    bytes = SecretBytes(taking: &text)
  }
}

/// A recipient that is everyone who knows a passphrase, and nobody else.
package struct ScryptRecipient: Sendable {
  /// The base-2 logarithm of the work factor that files are made with.
  package static let defaultWorkFactor = 18

  let passphrase: Passphrase
  let workFactor: Int

  /// A recipient whose stanza costs 2 to the `workFactor`, of 1 to 22 the nearest.
  package init(_ passphrase: Passphrase, workFactor: Int = defaultWorkFactor) {
    self.passphrase = passphrase
    self.workFactor = min(max(workFactor, 1), ScryptStanza.maximumWorkFactor)
  }
}

extension ScryptRecipient: Recipient {
  package var standsAlone: Bool { true }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    let salt: [UInt8]
    do throws(RandomSource.Failure) {
      salt = try random.bytes(ScryptStanza.saltByteCount)
    } catch {
      throw .random(error)
    }
    let key: SecretBytes
    do throws(Scrypt.OutOfMemory) {
      key = try ScryptStanza.wrapKey(passphrase, .init(salt: salt, workFactor: workFactor))
    } catch {
      throw .memory
    }
    return [
      Stanza(
        arguments: [ScryptStanza.kind, Base64.encode(salt, padded: false), "\(workFactor)"],
        body: WrappedFileKey.seal(fileKey, with: key))
    ]
  }
}

/// An identity that opens with a passphrase.
package struct ScryptIdentity: Sendable {
  /// The highest work factor of a file that may come from somebody else: 1 GiB of memory for each try.
  package static let foreignLimit = 20
  /// The highest work factor of all: 4 GiB of memory.
  package static let highestLimit = ScryptStanza.maximumWorkFactor

  let passphrase: Passphrase
  private let limit: Int

  /// - Parameter limit: the highest work factor that is computed. A file's maker chooses its work; what this
  ///   store sealed may ask for the highest.
  package init(_ passphrase: Passphrase, upTo limit: Int = foreignLimit) {
    self.passphrase = passphrase
    self.limit = limit
  }
}

extension ScryptIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    guard let stanza = stanzas.first(where: { $0.kind == ScryptStanza.kind }) else {
      return .noMatch
    }
    do {
      try ScryptStanza.check(stanzas)
      let parameters = try ScryptStanza.parameters(stanza)
      guard parameters.workFactor <= limit else {
        return .tooMuchWork(workFactor: parameters.workFactor, limit: limit)
      }
      let key = try ScryptStanza.wrapKey(passphrase, parameters)
      return WrappedFileKey.open(stanza.body, with: key).map { .fileKey($0) } ?? .noMatch
    } catch let fault as HeaderFault {
      return .damaged(fault)
    } catch {
      return .outOfMemory
    }
  }
}
