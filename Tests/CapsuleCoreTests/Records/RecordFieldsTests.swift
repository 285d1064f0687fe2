import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The one list of fields of each record, read and written.
@Suite struct RecordFieldsTests {
  /// The fault that reading other fields as a record of the kind gives.
  private func fault<Model: RecordModel>(_ model: Model, _ fields: JSONObject) -> FieldError? {
    do throws(FieldError) { _ = try Model(fields: fields) } catch { return error }
    return nil
  }

  private func reread<Model: RecordModel>(_ model: Model) throws -> JSONObject {
    try Model(fields: model.fields).fields
  }

  @Test func `every field that is written is read back`() throws {
    for model in try RecordSamples.all {
      let fields = model.fields
      try expect(reread(model), is: fields, "\(type(of: model))")
      for member in fields {
        expect(member.value != .null || ["date", "item", "doneAt"].contains(member.key))
      }
    }
    try expect(Capsule(fields: RecordSamples.capsule.fields), is: RecordSamples.capsule)
    try expect(Event(fields: RecordSamples.event.fields), is: RecordSamples.event)
    try expect(Item(fields: RecordSamples.item.fields), is: RecordSamples.item)
    try expect(Beneficiary(fields: RecordSamples.beneficiary.fields), is: RecordSamples.beneficiary)
    try expect(Bequest(fields: RecordSamples.bequest.fields), is: RecordSamples.bequest)
    try expect(TrusteeGroup(fields: RecordSamples.trustees.fields), is: RecordSamples.trustees)
  }

  /// The fields without which no record of the kind can be read.
  private static let required: [RecordKind: Set<String>] = [
    .capsule: ["title", "unlockAt", "unlockZone", "lock"], .event: ["title", "at"],
    .item: ["name"], .beneficiary: ["name"], .bequest: ["beneficiary", "access"],
    .trustees: ["name", "recipient", "identifier", "threshold", "shares"],
  ]

  @Test func `a field that must be there is named where it is absent or null`() throws {
    for model in try RecordSamples.all {
      let kind = type(of: model).kind
      let required = try require(Self.required[kind])
        .union(["schema", "id", "rev", "createdAt", "updatedAt"])
      for member in model.fields {
        for value in [nil, JSON.null] {
          var fields = model.fields
          fields[member.key] = value
          let fault = fault(model, fields)
          if required.contains(member.key) {
            expect(fault, is: FieldError(path: member.key, problem: .missing))
          } else if ["capsule", "accessAt"].contains(member.key) {
            // One of two is there; a rule has its date.
            expect(fault?.problem, is: .missing)
          } else {
            expect(fault == nil, "\(kind) \(member.key)")
          }
        }
      }
    }
  }

  @Test func `the name of a record has 1024 bytes at most`() throws {
    for model in try RecordSamples.all where type(of: model).kind != .bequest {
      var fields = model.fields
      let key = try require(["title", "name"].first { fields[$0] != nil })
      fields[key] = .string(String(repeating: "a", count: 1024))
      expect(fault(model, fields) == nil, "\(type(of: model))")
      fields[key] = .string(String(repeating: "a", count: 1025))
      expect(
        fault(model, fields), is: FieldError(path: key, problem: .invalid("over 1024 bytes")))
    }
  }

  @Test func `a field of another type is named, with the type that it should have`() throws {
    for model in try RecordSamples.all {
      for member in model.fields {
        var fields = model.fields
        let isText = member.value.string != nil || member.value == .null
        fields[member.key] = isText ? 1 : "no"
        let fault = fault(model, fields)
        expect(fault?.path, is: member.key, "\(type(of: model)) \(member.key)")
        guard case .notA = fault?.problem else {
          Issue.record("\(type(of: model)) \(member.key): \(String(describing: fault))")
          continue
        }
      }
    }
  }

  @Test func `members that are not known survive in every object of a record`() throws {
    /// Adds a member to an object and to all objects in it.
    func marked(_ value: JSON) -> JSON {
      switch value {
      case .array(let elements): .array(elements.map(marked))
      case .object(let object):
        .object(JSONObject(object.map { ($0.key, marked($0.value)) } + [("zzz", [.null, 1])]))
      default: value
      }
    }
    for model in try RecordSamples.all {
      guard case .object(var fields) = marked(.object(model.fields)) else { return }
      // An amount is two fields, and no more.
      for name in ["value", "replacementValue", "price"] where fields[name] != nil {
        fields[name] = model.fields[name]
      }
      func reread<Model: RecordModel>(_ model: Model) throws -> JSONObject {
        try Model(fields: fields).fields
      }
      try expect(reread(model), is: fields, "\(type(of: model))")
    }
  }

  /// A place in a record, what is put there, and the fault that follows.
  private static let nested: [(RecordKind, [String], JSON, String, FieldError.Problem)] = [
    (.capsule, ["contents", "2", "kind"], "smell", "contents[2].kind", .invalid("smell")),
    (.capsule, ["contents", "1", "id"], .null, "contents[1].id", .missing),
    (.capsule, ["contents", "1"], 5, "contents[1]", .notA("object")),
    (.capsule, ["contents", "1", "blob"], "ab", "contents[1].blob", .invalid("ab")),
    (.capsule, ["tags", "1"], 5, "tags[1]", .notA("string")),
    (.capsule, ["lock", "kind"], "honor", "lock.timelock", .invalid("honor")),
    (.capsule, ["lock", "timelock"], .null, "lock.timelock", .missing),
    (.capsule, ["lock", "timelock", "round"], 0, "lock.timelock.round", .invalid("0")),
    (.capsule, ["lock", "timelock", "inner"], "honor", "lock.timelock.inner", .invalid("honor")),
    (.capsule, ["lock", "timelock", "escrow", "0"], 1, "lock.timelock.escrow[0]", .notA("string")),
    (.capsule, ["rev"], 0, "rev", .invalid("0")),
    (.event, ["alerts", "0"], "soon", "alerts[0]", .invalid("soon")),
    (.event, ["date"], "2026-01-01", "at", .invalid("both a date and an instant")),
    (.event, ["repeat", "every"], 1001, "repeat.every", .invalid("1001")),
    (.event, ["repeat", "unit"], "hour", "repeat.unit", .invalid("hour")),
    (.event, ["image", "size"], -1, "image.size", .invalid("-1")),
    (.event, ["image", "name"], .null, "image.name", .missing),
    (.event, ["image", "blob"], .null, "image.blob", .missing),
    (.item, ["media", "0", "nameBase64"], "!", "media[0].nameBase64", .invalid("!")),
    (.item, ["media", "0", "modifiedAt"], "x", "media[0].modifiedAt", .invalid("x")),
    (.item, ["history", "0", "value"], "1", "history[0].value", .notA("number")),
    (.item, ["value", "currency"], "XXY", "value.currency", .invalid("XXY")),
    (.item, ["value", "amount"], "-1", "value.amount", .invalid("-1")),
    (.item, ["reminder", "every"], 0, "reminder.every", .invalid("0")),
    (.item, ["reminder", "unit"], "second", "reminder.unit", .invalid("second")),
    (.item, ["reminder", "time"], "9:00", "reminder.time", .invalid("9:00")),
    (.item, ["quantity"], 0, "quantity", .invalid("0")),
    (
      .bequest, ["item"], "00000000-0000-0001-0000-000000000002", "capsule",
      .invalid("00000000-0000-0001-0000-000000000002")
    ),
    (.bequest, ["delivery", "0", "state"], "accepted", "delivery[0].state", .invalid("accepted")),
  ]

  @Test(arguments: nested.indices)
  func `a fault in a record is named by its place`(index: Int) throws {
    let (kind, place, value, path, problem) = Self.nested[index]
    func put(_ place: ArraySlice<String>, in json: JSON) -> JSON {
      guard let key = place.first else { return value }
      if case .array(var elements) = json, let position = Int(key) {
        elements[position] = put(place.dropFirst(), in: elements[position])
        return .array(elements)
      }
      var object = json.object ?? [:]
      object[key] = put(place.dropFirst(), in: object[key] ?? .null)
      return .object(object)
    }
    let model = try require(RecordSamples.all.first { type(of: $0).kind == kind })
    let fields = try require(put(place[...], in: .object(model.fields)).object)
    expect(fault(model, fields), is: FieldError(path: path, problem: problem))
  }

  @Test func `a file's name that is not UTF-8 is kept in base64, and one of both stays beside it`()
    throws
  {
    let details = ContentDetails(name: [0xed, 0xa0, 0x80], mediaType: "text/plain", size: 1)
    var fields = details.fields
    expect(fields["nameBase64"] == "7aCA" && fields["name"] == nil && fields["text"] == nil)
    try expect(ContentDetails(fields: fields), is: details)
    fields["nameBase64"] = nil
    expect(try ContentDetails(fields: fields).name.isEmpty)
    var file = try require(RecordSamples.item.media.first).file.fields
    file["name"] = "both"
    try expect(CapsuleCore.Attachment(fields: file).fields, is: file)
  }
}
