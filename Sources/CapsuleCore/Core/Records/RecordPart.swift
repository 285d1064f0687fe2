/// A value that is a JSON object in a record, or a record itself.
package protocol RecordPart: FieldValue {
  /// An empty one, whose fields a reader fills.
  static var blank: Self { get }
  /// Names every field, in one list that reads and writes.
  ///
  /// - Throws: a reader's ``FieldError``; a writer throws nothing.
  mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure)
  /// Reads an object's fields.
  init(fields: JSONObject) throws(FieldError)
  /// The object's fields, also those that this version does not know.
  var fields: JSONObject { get }
}

// `init(fields:)` and `fields` are requirements although nobody else implements them: their
// witnesses are specialised for each type, so that a call through `any RecordModel.Type` is not slow.
extension RecordPart {
  package init(fields: JSONObject) throws(FieldError) {
    self = .blank
    var reader = FieldReader(fields)
    try code(with: &reader)
  }

  package var fields: JSONObject {
    var part = self
    var writer = FieldWriter()
    part.code(with: &writer)
    return writer.object
  }

  package init(json: JSON) throws(FieldError) {
    guard case .object(let object) = json else { throw FieldError(.notA("object")) }
    do throws(FieldError) { try self.init(fields: object) } catch { throw error.inside(".") }
  }

  package var json: JSON { .object(fields) }
}
