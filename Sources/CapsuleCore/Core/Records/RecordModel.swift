/// A value that is a record of its own, one file in the store.
package protocol RecordModel: RecordPart, Sendable {
  static var kind: RecordKind { get }
  var header: RecordHeader { get set }
  /// The files that are kept with the record as they were.
  var attachments: [Attachment] { get }
  // These four are requirements although nobody else implements them, as those of ``RecordPart`` are.
  /// The part of the record that the index keeps.
  var indexContribution: IndexContribution { get }
  /// Everything in it that may be read as text: its title or name first, where it has one of its own.
  var searchFields: [SearchField] { get }
  /// Writes the fields that answers have under their own names (``FieldTraits/answered``).
  func writeAnswered(to writer: inout JSONTextWriter)
  func writeAnswered(to object: inout JSONObject)
  /// The blobs that the record names.
  var blobs: [BlobName] { get }
  /// The blobs, each with the size in bytes that the record says.
  var sizedBlobs: [(BlobName, Int64)] { get }
  /// What lists show of fields that the index does not keep.
  associatedtype Digest: RecordDigest = NoDigest
  var digest: Digest { get }
  /// The title or name; empty for a record that has none of its own.
  var title: String { get }
  /// The text that it is found by in the index: its title, or that of its twin; `nil` for none.
  var indexedName: String? { get }
  /// The number of Unix seconds by which lists are sorted.
  var sortKey: Int64 { get }
  /// The earliest Unix second at which something may have to be announced; `nil` for never.
  var earliestDue: Int64? { get }
  /// The name that no other record of the kind may have; `nil` where names may repeat.
  var uniqueName: String? { get }
  /// A text that no other live record of the kind may have; `nil` where that does not matter.
  var twinKey: String? { get }
  /// The records that the record names. They must be there as long as it is.
  var references: [RecordReference] { get }
  /// Returns this earlier version as a new edit of a record; fields that never go back stay as the
  /// record has them.
  func edit(of current: Self) -> Self
  /// The version of the record format that a reader must know for this record.
  var schemaNeeded: Int64 { get }
  /// Checks the rules of the kind that reading does not.
  func checkRules() throws(Fault)
  /// Returns the first rule for changes that the record breaks; `nil` when the change is allowed.
  ///
  /// - Parameter before: the record as it was read.
  func brokenRule(after before: Self) -> ChangeRule?
  /// Returns the first rule that the record breaks, where it was put together from changes of several machines;
  /// `nil` when it may take the other one's place.
  ///
  /// - Parameter before: the record that is there.
  func brokenMergeRule(after before: Self) -> ChangeRule?
}

extension RecordModel {
  package var id: RecordID { header.id }
  package var createdAt: Instant { header.createdAt }
  package var updatedAt: Instant { header.updatedAt }
  package var digest: NoDigest { NoDigest() }
  package var indexedName: String? { title }
  package var sortKey: Int64 { createdAt.seconds }
  package var earliestDue: Int64? { nil }
  package var attachments: [Attachment] { [] }
  package var blobs: [BlobName] { sizedBlobs.map(\.0) }
  package var sizedBlobs: [(BlobName, Int64)] { attachments.map { ($0.blob, $0.size) } }
  package var uniqueName: String? { nil }
  package var twinKey: String? { nil }
  package var references: [RecordReference] { [] }
  package var schemaNeeded: Int64 { 1 }
  package func brokenRule(after before: Self) -> ChangeRule? { nil }
  package func brokenMergeRule(after before: Self) -> ChangeRule? { nil }

  /// The part that a list shows.
  package var brief: Brief<Self> { Brief(of: self) }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: sortKey, madeAt: header.madeAt, due: earliestDue,
      nameHash: indexedName.map { NameKey($0).hash } ?? 0, summary: Brief.encoded(self))
  }

  package func edit(of current: Self) -> Self {
    var model = self
    model.header = current.header
    return model
  }

  /// Checks that the record may be written: it keeps the rules of its kind, and can be read again.
  ///
  /// - Throws: the first rule that it breaks.
  package func validate() throws(Fault) {
    try checkRules()
    do { _ = try Self(fields: fields) } catch { throw .refused(.unreadable(error)) }
  }

  /// The first rule that the record breaks; `nil` when it may be written.
  var fault: Fault? {
    do { try validate() } catch { return error }
    return nil
  }
}

/// The fields that every record has.
package struct RecordHeader: Hashable, Sendable {
  /// The version of the record's format that it was written in.
  package internal(set) var schema: Int64 = 1
  package private(set) var id = RecordID.zero
  /// How often the record was written: 1 when new.
  package var revision: Int64 = 1
  package private(set) var createdAt = Instant.epoch
  /// Nanoseconds from ``createdAt`` until the record came into a store; `nil` in records of earlier
  /// versions, which were made before all others of their second.
  package private(set) var createdNanos: Int64?
  package var updatedAt = Instant.epoch

  /// The latest version of the record format that this program writes; a record has the least that
  /// it needs.
  package static let currentSchema: Int64 = 4
}

extension RecordHeader {
  /// The header of a new record.
  package init(id: RecordID, createdAt: Instant) {
    self.init()
    self.id = id
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The time at which the record came into a store, in nanoseconds since 1970: the order in which
  /// records were made, also within one second.
  package var madeAt: Int64 {
    createdAt.nanoseconds.addingClamped(createdNanos ?? 0)
  }

  /// Notes when the record comes into a store, in nanoseconds since 1970.
  mutating func noteMaking(at nanoseconds: Int64) {
    let (past, isTooMuch) = nanoseconds.subtractingReportingOverflow(createdAt.nanoseconds)
    createdNanos = isTooMuch ? 0 : max(0, past)
  }

  /// Takes the id that a record's file is named by.
  mutating func take(_ id: RecordID) { self.id = id }

  /// Names the fields, which stand among those of the record itself.
  mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.field("schema", &schema, [], .greatest)
    try walk.field("id", &id, .fixed, .once)
    try walk.field("rev", &revision, [], .greatest)
    try walk.field("createdAt", &createdAt, .listed, .least.of("created"))
    try walk.optional("createdNanos", &createdNanos, [], .least.of("created"), writesNull: false)
    try walk.field("updatedAt", &updatedAt, .listed, .greatest)
    try walk.require(revision > 0, "rev", .invalid(String(revision)))
    try walk.require(
      createdNanos ?? 0 >= 0, "createdNanos", .invalid(String(createdNanos ?? 0)))
  }
}

/// A value that is a JSON object in a record, or a record itself.
package protocol RecordPart: FieldValue {
  /// An empty one, whose fields a reader fills.
  static var blank: Self { get }
  /// Names every field, with what is to be known of it, in the order of the file.
  ///
  /// - Throws: a reader's ``FieldError``; a writer throws nothing.
  mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure)
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
    try walk(&reader)
  }

  package var fields: JSONObject {
    var part = self
    var writer = FieldWriter()
    part.walk(&writer)
    return writer.object
  }

  package init(json: JSON) throws(FieldError) {
    guard case .object(let object) = json else { throw FieldError(.notA("object")) }
    do { try self.init(fields: object) } catch { throw error.inside(".") }
  }

  package var json: JSON { .object(fields) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Self?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var part = value ?? .blank
    try part.walk(&walk)
    value = part
  }

  package static func fingerprint(_ walk: inout FieldFingerprint) {
    var blank = blank
    blank.walk(&walk)
  }
}

/// A version of the record format: the number that `schema` has in a record, by which a reader knows that
/// there is something in it that it must understand.
package struct RecordFormat: Sendable {
  package let number: Int64
  /// The program that wrote it first.
  package let program: String
  /// The reason for it, in sentences.
  package let summary: String
  /// The members that made the version, by the kind: the version before does not have them.
  package let members: [RecordKind: [String]]
  /// The members that came since without a version of their own, because every reader may pass over them.
  package var optional: [RecordKind: [String]] = [:]

  /// Every version, the first of them first. A member that comes is named in the last one: in `optional`, or in
  /// a new one's `members` where a reader must know it.
  package static let all = [
    RecordFormat(number: 1, program: "0.1.0", summary: "The first.", members: [:]),
    RecordFormat(
      number: 2, program: "0.1.0",
      summary: """
        Post-quantum recipients (`age1pq1…`), and a second sealed copy of a capsule's key. Only a record \
        that has one of them is of this version.
        """,
      members: [.capsule: ["lock.spare"]]),
    RecordFormat(
      number: 3, program: "0.1.0",
      summary: """
        Events repeated on named days of the week. Only a record that has such a rule is of this version. \
        An event may also name the calendar's entry that it came from: every reader may pass over that, and \
        the record stays of the version that it has.
        """,
      members: [.event: ["repeat.weekdays", "repeat.nth"]],
      optional: [.event: ["uid", "uidSequence", "uidModified"]]),
    RecordFormat(
      number: 4, program: "0.1.0",
      summary: """
        All that calendars say of an event: how long it takes, rules of RFC 5545, the end of a repetition, and \
        occurrences that are left out, added, different, done or skipped; also tags, and deadlines that are \
        repeated. Only a record that has one of them is of this version. An event may also say that its year is not \
        known, and which reader imported it, and an item when, where and for how much it was bought, its serial \
        number and its warranty: every reader may pass over that.
        """,
      members: [
        .event: [
          "length", "endZone", "floating", "repeat.rule", "until", "times", "except", "also",
          "moved",
          "moved.of", "moved.date", "moved.at", "moved.zone", "moved.length", "moved.title",
          "moved.notes", "moved.tags", "moved.color", "moved.alerts", "moved.uidSequence",
          "moved.uidModified", "settled", "settled.of", "settled.doneAt", "tags", "calendar",
        ]
      ],
      optional: [
        .event: ["uidReader", "yearUnknown"],
        .item: ["price", "serial", "boughtOn", "boughtFrom", "warrantyUntil"],
      ]),
  ]

  /// Returns the paths of the members of a kind that the version before does not have.
  package func newMembers(of kind: RecordKind) -> [String] {
    (members[kind] ?? []) + (optional[kind] ?? [])
  }

  /// Returns the paths of the members of a kind that only later versions have.
  package func laterMembers(of kind: RecordKind) -> Set<String> {
    Set(Self.all.filter { $0.number > number }.flatMap { $0.newMembers(of: kind) })
  }
}

extension RecordKind {
  /// The word for one of them.
  package var word: String { self == .trustees ? "trustee group" : rawValue }

  /// The command that lists them.
  package var listCommand: String {
    self == .capsule ? "capsule list" : "capsule \(rawValue) list"
  }

  /// A thing that no two live records of the kind share; `nil` for none.
  package var uniqueness: String? {
    switch self {
    case .capsule, .event: nil
    case .item, .trustees: "`name`, whatever the case and the Unicode form"
    case .beneficiary: "`cardUID`, where there is one"
    case .bequest: "the item or capsule together with the beneficiary"
    }
  }
}

/// A rule of its kind that a record breaks, so that it is not written.
package enum RecordFault: Hashable, Sendable {
  /// The fields that have rules, by their names in the record.
  package enum Field: String, Hashable, Sendable {
    case title, name, relationship, email, phone, cardUID, uid, message
    case unlockAt, at, accessAt, doneAt
  }

  /// A title or name is empty, or white space alone.
  case blank(RecordKind, Field)
  /// A text is longer than can be kept.
  case tooLong(Field, bytes: Int, limit: Int)
  /// A text is not an email address, or no phone number.
  case invalid(Field, String)
  /// A time is outside the years 1 to 9999, and cannot be written.
  case outOfRange(Field, Instant)
  /// An event has too many occurrences that are named one by one; the member by its name.
  case tooManyOccurrences(String, Int, limit: Int)
  /// An event is to be met, and is not a deadline.
  case noDeadline(title: String)
  /// A reminder that counts minutes or hours is to have a time of day; the unit by its name.
  case timeOfDay(unit: String)
  /// An event has too many alerts.
  case tooManyAlerts(Int, limit: Int)
  /// The record could not be read again.
  case unreadable(FieldError)

  /// Checks that a title or name says something, in at most a KiB.
  package static func check(
    name: String, _ field: Field = .name, of kind: RecordKind
  ) throws(Fault) {
    try check(name, field, limit: Capsule.titleLimit)
    if name.allSatisfy(\.isWhitespace) { throw .refused(.blank(kind, field)) }
  }

  /// Checks that a text is not longer than can be kept.
  package static func check(_ text: String, _ field: Field, limit: Int) throws(Fault) {
    let count = text.utf8.count
    guard count <= limit else { throw .refused(.tooLong(field, bytes: count, limit: limit)) }
  }

  /// Checks that a time can be written.
  static func check(_ time: Instant?, _ field: Field) throws(Fault) {
    if let time, !time.isRepresentable { throw .refused(.outOfRange(field, time)) }
  }
}

extension Fault {
  /// A record breaks a rule of its kind.
  package static func refused(_ rule: RecordFault) -> Fault {
    var fault = words(of: rule)
    fault.cause = rule
    return fault
  }

  private static func words(of fault: RecordFault) -> Fault {
    switch fault {
    case .blank(_, .title):
      Fault(
        .usage, "the title is empty")
    case .blank(let kind, _):
      Fault(
        .usage,
        "the name is empty",
        hint: kind == .item
          ? "give a name that no other item has"
          : "give a name")
    case .tooLong(.title, let bytes, let limit):
      Fault(
        .usage,
        "the title is \(bytes) bytes long; the limit is \(limit)",
        hint: "put the rest into the notes: --notes TEXT")
    case .tooLong(.message, let bytes, let limit):
      Fault(
        .refused, "the message has \(bytes) bytes; the limit is \(limit)",
        hint: "put a long letter into a capsule and leave that to the person")
    case .tooLong(.cardUID, _, let limit), .tooLong(.uid, _, let limit):
      Fault(
        .usage, "the UID is longer than \(limit) bytes")
    case .tooLong(let field, let bytes, let limit):
      Fault(
        .usage, "the \(field.rawValue) has \(bytes) bytes; the limit is \(limit)")
    case .invalid(.phone, let text):
      Fault(
        .usage,
        "'\(text)' is not a phone number",
        hint: "use digits with + - ( ) . / and spaces, and an extension, such as "
          + "'+33 6 12 34 56 78' or '555-0100 ext. 12', or '' for none; "
          + "put anything else into --contact")
    case .invalid(_, let text):
      Fault(
        .usage,
        "'\(text)' is not an email address",
        hint:
          "use one @ with text before and after it, no spaces, and no - | or / at the "
          + "start, such as 'zoe@example.org', or '' for none; put anything else into --contact")
    case .outOfRange(let field, _):
      Fault(
        .usage, "'\(field.rawValue)' is outside the years 1 to 9999")
    case .tooManyOccurrences(let member, let count, let limit):
      Fault(
        .usage, "the event names too many dates in '\(member)': \(count), and the limit is \(limit)"
      )
    case .noDeadline(let title):
      Fault(
        .refused, "'\(title)' is not a deadline",
        hint: "make it a deadline: capsule event edit REF --deadline")
    case .timeOfDay(let unit):
      Fault(
        .usage,
        "a time of day needs a unit of days or longer, not \(unit)s",
        hint: "leave out --time, or remove the time: --time none")
    case .tooManyAlerts(let count, let limit):
      Fault(
        .usage, "too many alerts: \(count), and the limit is \(limit)")
    case .unreadable(let error):
      Fault(.internal, "the new record cannot be read: \(error.words)")
    }
  }
}
