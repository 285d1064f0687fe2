import CapsuleCore

/// One of the two output streams: lines, tables, bytes; buffered.
///
/// A failed write is kept, and thrown by `flush`.
final class TextOutput {
  /// Whether a person sees it.
  let isTerminal: Bool
  let colors: ColorDepth
  private let port: OutputPort
  private let forcedWidth: Int?
  private var buffer: [UInt8] = []
  private var failure: Fault?
  /// Whether all bytes are kept in the buffer: they go to whoever asks for them.
  private var isCollecting = false

  init(_ port: OutputPort, isTerminal: Bool, colors: ColorDepth, forcedWidth: Int?) {
    self.port = port
    self.isTerminal = isTerminal
    self.colors = colors
    self.forcedWidth = forcedWidth
  }

  /// The most columns of a line; `nil` when it goes to no terminal: nothing is cut there.
  var width: Int? {
    guard isTerminal else { return nil }
    return forcedWidth ?? port.size()?.columns ?? 80
  }

  /// The columns at which lines are broken; `nil` when it goes to no terminal, or the terminal does not say
  /// how many it has.
  var wrapWidth: Int? {
    isTerminal ? forcedWidth ?? port.size()?.columns : nil
  }

  /// The columns of a terminal that is drawn on in place: no more than it has, whatever was asked for.
  var drawingWidth: Int {
    let columns = port.size()?.columns ?? 80
    return min(forcedWidth ?? columns, columns)
  }

  /// The number of rows of the terminal.
  var height: Int? {
    isTerminal ? port.size()?.rows ?? 24 : nil
  }

  /// Returns the bytes that a body prints, which are sent nowhere: the same lines as here.
  func collect(colors: ColorDepth, _ body: (TextOutput) throws -> Void) rethrows -> [UInt8] {
    let other = TextOutput(port, isTerminal: isTerminal, colors: colors, forcedWidth: forcedWidth)
    other.isCollecting = true
    try body(other)
    return other.buffer
  }

  /// Whether a write has failed: later output is not shown.
  var isBroken: Bool { failure != nil }

  /// Prints a line that is read: what is wider than the terminal goes on in the next lines, broken at words.
  ///
  /// - Parameter indent: the columns before each line but the first; without it, two more than the text has.
  func line(_ text: StyledText = "", indent: Int? = nil) {
    guard let wrapWidth, !text.isEmpty else { return row(text) }
    for line in text.wrapped(to: wrapWidth, indent: indent) { row(line) }
  }

  /// Prints a line as it is: a row that has been cut, or something to be copied.
  func row(_ text: StyledText) {
    write(text)
    append(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Prints a line of fields with a tab between each two.
  func line(tabbed fields: [StyledText]) {
    Self.append(fields, to: &buffer, colors)
    spill()
  }

  private static func append(
    _ fields: [StyledText], to bytes: inout [UInt8], _ colors: ColorDepth
  ) {
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "\t")) }
      field.write(to: &bytes, colors: colors)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Prints text without the end of a line.
  func write(_ text: StyledText) {
    text.write(to: &buffer, colors: colors)
    spill()
  }

  /// Prints lines of text from outside, as they are: made harmless on a terminal only.
  func block(_ text: String) {
    append((isTerminal ? SafeText.block(text) : text).utf8)
    if text.utf8.last != UInt8(ascii: "\n") { append(CollectionOfOne(UInt8(ascii: "\n"))) }
  }

  /// Prints a text that somebody wrote, as ``block(_:)`` does: on a terminal with its long lines broken at
  /// words.
  func letter(_ text: String) {
    guard let wrapWidth else { return block(text) }
    block(WordWrap.letter(SafeText.block(text), columns: wrapWidth))
  }

  /// Prints exactly these bytes.
  func bytes(_ bytes: some Collection<UInt8>) {
    append(bytes)
  }

  /// Prints exactly these bytes; many at once go out without a copy.
  func bytes(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.bufferLimit, !isCollecting else { return append(bytes) }
    send()
    send(bytes)
  }

  /// Prints a JSON value on a line of its own.
  func jsonLine(_ value: JSON) {
    json(value.encoded(.compact))
    append(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Prints a JSON value as the whole answer: indented for a person, on one line otherwise.
  func json(_ value: JSON) {
    if isTerminal {
      json(value.encoded(.pretty))
    } else {
      jsonLine(value)
    }
  }

  /// Prints whole values of JSON, or parts that end between characters of UTF-8: on a terminal,
  /// characters that turn or hide text are escapes.
  func json(_ text: [UInt8]) {
    append(isTerminal ? SafeText.json(text) : text)
  }

  /// Prints text of the program's own, control sequences included.
  func raw(_ text: String) {
    append(text.utf8)
  }

  /// Sends the buffered bytes.
  ///
  /// - Throws: the failure of the first write that failed, now or before.
  func flush() throws(Fault) {
    send()
    if let failure { throw failure }
  }

  private func append(_ bytes: some Collection<UInt8>) {
    buffer.append(contentsOf: bytes)
    spill()
  }

  /// The number of buffered bytes from which on they are sent.
  private static let bufferLimit = 65_536

  private func spill() {
    if buffer.count >= Self.bufferLimit, !isCollecting { send() }
  }

  private func send() {
    buffer.withUnsafeBytes { send($0) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil, !bytes.isEmpty else { return }
    do { try port.write(bytes) } catch { failure = error }
  }
}

/// Standard output as a sink.
struct OutputSink: ByteSink {
  private let out: TextOutput

  init(_ out: TextOutput) {
    self.out = out
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    out.bytes(bytes)
    if out.isBroken { try out.flush() }
  }
}
