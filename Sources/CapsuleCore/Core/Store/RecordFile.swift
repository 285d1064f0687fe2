/// The reason why a record cannot be taken as it stands.
public enum RecordDamage: Error, Hashable, Sendable {
  /// The file is not JSON.
  case notJSON(JSONError)
  /// The file is JSON, but not an object.
  case notAnObject
  /// A field is missing or wrong.
  case field(FieldError)
  /// The record says another id than its file's name.
  case otherID(RecordID)
  /// The bytes are not those that the checksum was made of: a flipped bit, or a change by hand.
  case checksum
  /// There is no file.
  case missing
  /// The file says no checksum: nothing tells what was written.
  case noChecksum
  /// The record is of a newer format than this program's.
  case newer(Int64)
}

/// A record's file: pretty-printed JSON with a checksum over its own bytes.
package enum RecordFile {
  /// The largest record that is read or written, in bytes.
  package static let sizeLimit = 64 << 20

  /// The beginning of the checksum's line at the top level; nested objects stand further in, and a
  /// quote inside a string is escaped, so it is found nowhere else in what this program wrote.
  static let marker = Array("\n  \"checksum\": \"".utf8)
  private static let zeros = String(repeating: "0", count: 64)

  /// Returns the bytes of a record with these fields, its checksum made.
  package static func encode(_ fields: JSONObject) -> [UInt8] {
    var fields = fields
    fields["checksum"] = .string(zeros)
    var bytes = JSON.object(fields).encoded(.pretty)
    if let digits = checksumRange(in: bytes) {
      bytes.replaceSubrange(digits, with: Array(Hex.encode(SHA256.hash(bytes)).utf8))
    }
    return bytes
  }

  /// Reads a record's fields but for its checksum.
  ///
  /// - Returns: the fields, and the damage of bytes that are not those that were written.
  package static func decode(
    _ bytes: [UInt8]
  ) throws(RecordDamage) -> (fields: JSONObject, integrity: RecordDamage?) {
    let value: JSON
    do throws(JSONError) { value = try JSON.parseRecord(bytes) } catch { throw .notJSON(error) }
    guard case .object(var fields) = value else { throw .notAnObject }
    fields["checksum"] = nil
    return (fields, integrity(of: bytes))
  }

  /// The `rev` of a record's bytes; 0 where it cannot be read.
  static func revision(of bytes: [UInt8]) -> Int64 {
    guard case .integer(let revision)? = (try? decode(bytes))?.fields["rev"] else {
      return 0
    }
    return revision
  }

  /// Compares a file's bytes with its own checksum; `nil` when they agree.
  package static func integrity(of bytes: [UInt8]) -> RecordDamage? {
    guard let range = checksumRange(in: bytes) else {
      return storedChecksum(of: bytes) == nil ? .noChecksum : .checksum
    }
    var hash = SHA256()
    bytes.withUnsafeBytes { buffer in
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<range.lowerBound]))
      hash.update(Array(zeros.utf8))
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[range.upperBound...]))
    }
    let expected = Array(Hex.encode(hash.finalize()).utf8)
    return expected.elementsEqual(bytes[range]) ? nil : .checksum
  }

  /// Returns where the checksum's 64 digits stand.
  static func checksumRange(in bytes: [UInt8]) -> Range<Int>? {
    // Only "rev", "schema", "tags" and the like sort behind "checksum"; most of a record does too,
    // so the search ends after a few lines.
    let start: Int? = bytes.withUnsafeBufferPointer { buffer in
      guard buffer.count >= marker.count + 65 else { return nil }
      for position in 0...(buffer.count - marker.count - 65)
      where buffer[position] == marker[0] && buffer[position + 3] == marker[3] {
        if buffer[position..<(position + marker.count)].elementsEqual(marker) {
          return position + marker.count
        }
      }
      return nil
    }
    guard let start, bytes[start + 64] == UInt8(ascii: "\"") else { return nil }
    return start..<(start + 64)
  }

  /// Reads a record as its model.
  ///
  /// - Returns: the model, and the damage of its bytes although they can be read.
  package static func decode<Model: RecordModel>(
    _ bytes: [UInt8], as type: Model.Type, id: RecordID
  ) throws(RecordDamage) -> (model: Model, integrity: RecordDamage?) {
    let (fields, integrity) = try decode(bytes)
    var newer: RecordDamage?
    if case .integer(let schema)? = fields["schema"], schema > RecordHeader.currentSchema {
      newer = .newer(schema)
    }
    let model: Model
    do throws(FieldError) {
      model = try Model(fields: fields)
    } catch {
      throw newer ?? .field(error)
    }
    guard model.header.id == id else { throw .otherID(model.header.id) }
    // A record of a newer version is read as far as it can be, and never written.
    return (model, integrity ?? newer)
  }
}
