/// The reason why an age file could not be opened or made.
package enum AgeFailure: Error {
  /// The header does not follow the format, or asks for something that is refused.
  case header(HeaderFault)
  /// A file key was found, but the header was changed after it was made.
  case headerMAC
  /// The payload was changed, cut or extended; every whole chunk before that was released.
  case payload(PayloadFault)
  /// The armor does not follow the format.
  case armor(ArmorFault)
  /// None of the identities fits: another key, or a wrong passphrase.
  case noMatch
  /// The file is timelocked until then.
  case tooEarly(until: Instant)
  /// The file is timelocked, and nothing proved that the time has come; holds the reason.
  case unproven(any Error)
  /// The recipients cannot be sealed to.
  case recipients(RecipientsFault)
  /// Reading the input failed.
  case source(any Error)
  /// Writing the output failed.
  case sink(any Error)
  /// The system gave no random bytes.
  case random(Fault)
  /// There is not enough memory for the work factor of the passphrase.
  case memory
  /// The passphrase costs 2 to the `workFactor`, which is more than 2 to the limit that its reader allows;
  /// nothing was computed.
  case tooMuchWork(workFactor: Int, limit: Int)
}

extension AgeFailure {
  /// Whether the file is not what was written; else the system failed, or it is not for who opens it.
  package var isDamage: Bool {
    switch self {
    case .header, .headerMAC, .payload, .armor: true
    case .noMatch, .tooEarly, .unproven, .recipients, .source, .sink, .random, .memory,
      .tooMuchWork:
      false
    }
  }
}

/// A fault in a header. Lines count from 1.
package enum HeaderFault: Hashable, Sendable {
  /// There is no input at all.
  case empty
  /// The first line is not that of an age file.
  case notAge
  /// It is an age file of another version.
  case unsupportedVersion
  /// A line ends with a carriage return, as after a transfer in text mode.
  case carriageReturn(line: Int)
  /// The input ends within the header.
  case truncated
  /// The header, a line of it, or the number of its stanzas is larger than `AgeHeader` allows.
  case tooLong
  /// A line starts neither a stanza nor the MAC.
  case unexpectedLine(Int)
  /// The arguments of a stanza are missing, empty, or hold a byte outside 0x21–0x7E.
  case arguments(line: Int)
  /// A line of a body is longer than 64 columns or is not canonical unpadded base64.
  case body(line: Int)
  /// The MAC line is not `--- ` and 43 digits of canonical base64.
  case macLine
  case noStanza
  /// A stanza of a known kind has another number of arguments, or one of another length or form.
  case stanza(kind: String)
  /// The body of a stanza of a known kind does not have the length of a wrapped file key.
  case fileKeyLength(kind: String)
  /// A passphrase stanza stands beside another stanza.
  case scryptNotAlone
  /// A passphrase stanza asks for more work than 2 to the 22; nothing was computed.
  case workFactor
  /// An X25519 share gives an all-zero shared secret.
  case lowOrderShare
  /// The payload's nonce is missing or short.
  case nonce
  /// A content is not sealed to the capsule that it is said to be in.
  case otherRecipient
  /// The file key in a timelock stanza does not pass its own check.
  case timelock
}

/// A fault in a payload. Chunks count from 0.
package enum PayloadFault: Hashable, Sendable {
  /// A chunk is another than the one that was sealed at its place.
  case chunk(UInt64)
  /// The payload ends without its last chunk.
  case truncated
  /// Bytes follow the last chunk.
  case trailing
  /// The last chunk is empty though others precede it.
  case emptyLastChunk
}

/// A fault in an armor. Lines count from 1.
package enum ArmorFault: Hashable, Sendable {
  /// The first line that is not white space is not the begin line.
  case begin(line: Int)
  /// A line is not 64 columns of canonical base64, nor a last, shorter one.
  case line(Int)
  /// The end line is another, or behind a line that cannot be the last.
  case end(line: Int)
  /// The input ends without the end line.
  case truncated
  /// Something other than white space follows the end line.
  case trailing
}

/// The reason why nothing can be sealed to a list of recipients.
package enum RecipientsFault: Hashable, Sendable {
  /// The list is empty.
  case none
  /// A passphrase is to be used together with other recipients, or two passphrases.
  case passphraseNotAlone
  /// The recipient's public key gives an all-zero shared secret: it is nobody's.
  case lowOrder
  /// The stanzas are more than a header may hold.
  case tooMany
  /// Some are post-quantum keys and others not, so that the others would open the file to a quantum
  /// computer; holds both.
  case mixed(postQuantum: [String], others: [String])

}

extension AgeWriter {
  /// Refuses recipients that cannot stand in one file.
  package static func check(_ recipients: [any Recipient]) throws(AgeFailure) {
    guard !recipients.isEmpty else { throw .recipients(.none) }
    guard recipients.count == 1 || !recipients.contains(where: \.standsAlone) else {
      throw .recipients(.passphraseNotAlone)
    }
    if recipients.contains(where: { $0.label == .timelock }) { return }
    let hybrid = recipients.filter { $0.label == .postQuantum }
    let others = recipients.filter { $0.label != .postQuantum }
    guard hybrid.isEmpty || others.isEmpty else {
      throw .recipients(
        .mixed(postQuantum: hybrid.map { "\($0)" }, others: others.map { "\($0)" }))
    }
  }
}
