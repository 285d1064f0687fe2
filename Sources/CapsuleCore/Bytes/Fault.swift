/// Something that could not be done: said once, where it went wrong, in the words that people read.
///
/// Every function of the library that can fail above its parsers throws this. ``code`` is for a program that
/// branches, ``message`` for its user, ``details`` for a script.
public struct Fault: Error, Sendable {
  /// One pointer wide, so that a function that can fail costs no more than one that cannot.
  private final class Body: Sendable {
    let code: Code
    let message: Message?
    let cause: (any Sendable)?
    let details: JSONObject?
    let list: [String]
    let hint: String?

    init(
      _ code: Code, _ message: Message?, _ cause: (any Sendable)?, _ details: JSONObject?,
      _ list: [String], _ hint: String?
    ) {
      self.code = code
      self.message = message
      self.cause = cause
      self.details = details
      self.list = list
      self.hint = hint
    }
  }

  private var body: Body

  /// A fault.
  ///
  /// - Parameters:
  ///   - message: what failed, about what, by name: lower case, no full stop, a value quoted.
  ///   - list: the things that it is about, a line each.
  ///   - hint: the way out, where it depends on more than the code.
  ///   - cause: what a caller may branch on further.
  package init(
    _ code: Code, _ message: Message, list: [String] = [], hint: String? = nil,
    details: JSONObject = [:], cause: (any Sendable)? = nil
  ) {
    body = Body(code, message, cause, details, list, hint)
  }

  /// A fault whose message was put together as text.
  @_disfavoredOverload
  package init(
    _ code: Code, _ text: String, list: [String] = [], hint: String? = nil,
    details: JSONObject = [:], cause: (any Sendable)? = nil
  ) {
    self.init(code, Message(text), list: list, hint: hint, details: details, cause: cause)
  }

  /// A fault whose words are made when they are read.
  package init(_ cause: some FaultCause) {
    body = Body(cause.code, nil, cause, nil, [], nil)
  }

  /// The kind of fault.
  public var code: Code {
    get { body.code }
    set { body = Body(newValue, body.message, body.cause, body.details, list, hint) }
  }

  /// A sentence for people: lower case, no full stop, the offending value quoted.
  public var message: Message {
    get { body.message ?? (body.cause as? any FaultCause)?.message ?? "" }
    set { body = Body(code, newValue, body.cause, body.details, list, hint) }
  }

  /// The values that a script asks for: ids, paths, times.
  package var details: JSONObject {
    get { body.details ?? (body.cause as? any FaultCause)?.details ?? [:] }
    set { body = Body(code, body.message, body.cause, newValue, list, hint) }
  }

  /// The things that the message is about, a line each.
  public var list: [String] {
    get { body.list }
    set { body = Body(code, body.message, body.cause, body.details, newValue, hint) }
  }

  /// The way out, where the code alone does not know it.
  package var hint: String? {
    get { body.hint ?? (body.cause as? any FaultCause)?.hint }
    set { body = Body(code, body.message, body.cause, body.details, list, newValue) }
  }

  /// What a caller may branch on further.
  package var cause: (any Sendable)? {
    get { body.cause }
    set { body = Body(code, body.message, newValue, body.details, list, hint) }
  }

  /// Returns the same fault, with the subject in front of its message.
  package func about(_ subject: String) -> Fault {
    var fault = self
    fault.message = "\(subject): \(message)"
    return fault
  }

  /// Returns the same fault, with the name that its message left open.
  package func naming(_ name: String) -> Fault {
    var fault = self
    fault.message = message.naming(name)
    return fault
  }
}

/// What a fault came from, where its words are made only when they are read.
package protocol FaultCause: Sendable {
  var code: Fault.Code { get }
  var message: Fault.Message { get }
  var hint: String? { get }
  var details: JSONObject { get }
}

extension FaultCause {
  package var hint: String? { nil }
  package var details: JSONObject { [:] }
}

extension Fault: Hashable {
  public static func == (left: Fault, right: Fault) -> Bool {
    left.body === right.body
      || left.code == right.code && left.message == right.message && left.details == right.details
        && left.list == right.list && left.hint == right.hint
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

extension Fault: CustomStringConvertible {
  /// The message, with instants as RFC 3339 has them and control characters escaped.
  public var description: String { "\(message)" }
}

extension Fault {
  /// A message in pieces: an instant is shown in the zone, and in the form, of who reads it.
  public struct Message: Hashable, Sendable, ExpressibleByStringInterpolation {
    package enum Piece: Hashable, Sendable {
      case words(String)
      /// Seconds since 1970, shown with its date and the time of day.
      case instant(Int64, InstantForm)
      /// A name that only who shows the message knows: ``Fault/Message/naming(_:)``.
      case name
    }

    /// How an instant is shown.
    package enum InstantForm: Hashable, Sendable {
      /// With date and time of day: "Wed 15 Jun 2044 08:00".
      case clock
      /// As the user's settings have dates.
      case date
      /// Beside now: "in 17 years".
      case distance
    }

    package private(set) var pieces: [Piece]

    package init(pieces: [Piece] = []) {
      self.pieces = pieces
    }

    public init(stringLiteral words: String) {
      pieces = words.isEmpty ? [] : [.words(words)]
    }

    public init(stringInterpolation: Interpolation) {
      pieces = stringInterpolation.pieces
    }

    package init(_ words: String) {
      self.init(stringLiteral: words)
    }

    /// Returns the message with the name that was left open.
    package func naming(_ name: String) -> Message {
      Message(pieces: pieces.map { $0 == .name ? .words(name) : $0 })
    }

    package static func + (left: Message, right: Message) -> Message {
      Message(pieces: left.pieces + right.pieces)
    }

    /// Returns the text, each instant as the caller shows it.
    package func text(_ shown: (_ seconds: Int64, InstantForm) -> String) -> String {
      pieces.reduce(into: "") { text, piece in
        switch piece {
        case .words(let words): text += words
        case .instant(let seconds, let form): text += shown(seconds, form)
        case .name: break
        }
      }
    }

    public struct Interpolation: StringInterpolationProtocol {
      fileprivate(set) var pieces: [Piece] = []

      public init(literalCapacity: Int, interpolationCount: Int) {
        pieces.reserveCapacity(2 * interpolationCount + 1)
      }

      public mutating func appendLiteral(_ words: String) {
        append(words)
      }

      public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
        append(value.description)
      }

      public mutating func appendInterpolation(_ message: Message) {
        pieces += message.pieces
      }

      /// Leaves a name open, which only the caller that shows the message knows.
      package mutating func appendInterpolation(open piece: Piece) {
        append(piece)
      }

      package mutating func append(_ piece: Piece) {
        pieces.append(piece)
      }

      private mutating func append(_ words: String) {
        if case .words(let before)? = pieces.last {
          pieces[pieces.count - 1] = .words(before + words)
        } else if !words.isEmpty {
          pieces.append(.words(words))
        }
      }
    }
  }
}
