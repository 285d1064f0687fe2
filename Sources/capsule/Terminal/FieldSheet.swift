/// The fields of one record, a line each, their values under one another; a long value goes on
/// beneath itself.
struct FieldSheet {
  let out: TextOutput
  /// The columns that names take.
  let width: Int

  init(_ out: TextOutput, width: Int) {
    self.out = out
    self.width = width
  }

  func field(_ name: String, _ value: StyledText) {
    let padding = String(repeating: " ", count: max(0, width - name.count))
    out.line("\(name, .dim)\(padding) \(value)", indent: width + 1)
  }

  func field(_ name: String, _ value: String) {
    field(name, StyledText(value))
  }

  /// Writes a field that has a value.
  func field(_ name: String, ifAny value: StyledText) {
    if value.width > 0 { field(name, value) }
  }

  /// Writes a field that has a value.
  func field(_ name: String, ifAny value: String) {
    field(name, ifAny: StyledText(value))
  }

  /// Writes a text of several lines below the fields, if there is one.
  func block(_ text: String) {
    guard !text.isEmpty else { return }
    out.line()
    out.letter(text)
  }
}
