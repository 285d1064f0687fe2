import CapsuleCore

/// What is seen of an item in lists and wherever one is told: as JSON and as text.
struct ItemView {
  /// How it stands with an item's reminder.
  enum DueState: String, Hashable, Sendable {
    case upcoming, due, overdue, off
  }

  let summary: ItemSummary
  /// What is wrong with its record.
  let problem: IndexProblem
  let dueAt: Instant?
  private let session: Session
  let now: Instant

  init(
    _ summary: ItemSummary, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    self.summary = summary
    self.problem = problem
    self.session = session
    self.now = now ?? session.now
    dueAt = summary.due(in: session.zone)
  }

  var dueState: DueState? {
    guard let reminder = summary.reminder else { return nil }
    guard reminder.isOn else { return .off }
    guard let dueAt, dueAt <= now else { return .upcoming }
    let zone = session.zone
    return zone.civil(at: dueAt).date < zone.civil(at: now).date ? .overdue : .due
  }

  static func json(_ money: Money?) -> JSON {
    money.map { .object($0.fields) } ?? .null
  }

  /// The members of the object, for all commands that tell of an item.
  var members: JSONObject {
    let instants = InstantFields(zone: session.zone)
    let figures = summary.figures
    func seconds(_ value: Int64?) -> JSON { value.map { .integer($0) } ?? .null }
    var members: JSONObject = [
      "id": .string(summary.id.description),
      "kind": "item",
      "name": .string(summary.name),
      "description": .string(summary.description),
      "category": summary.category.isEmpty ? .null : .string(summary.category),
      "location": summary.location.isEmpty ? .null : .string(summary.location),
      "value": Self.json(summary.value),
      "replacementValue": Self.json(summary.replacementValue),
      "quantity": .integer(summary.quantity),
      "tags": .array(summary.tags.map { .string($0) }),
      "mediaCount": .integer(summary.mediaCount),
      "entryCount": .integer(figures.count),
      "averageSeconds": seconds(figures.average),
      "longestSeconds": seconds(figures.longest),
      "lastValue": figures.lastValue?.json ?? .null,
      "lastNotes": summary.lastNotes.isEmpty ? .null : .string(summary.lastNotes),
      "secondsSince": seconds(figures.last.map { now.seconds(since: $0) }),
      "reminder": Self.reminder(summary.reminder, instants),
      "dueState": dueState.map { .string($0.rawValue) } ?? .null,
      "zone": .string(session.localZone.label),
      "problem": problem == .none ? .null : .string(problem.words),
    ]
    instants.add(figures.last, as: "lastAt", to: &members)
    instants.add(dueAt, as: "dueAt", to: &members)
    instants.add(summary.createdAt, as: "createdAt", to: &members)
    instants.add(summary.updatedAt, as: "updatedAt", to: &members)
    return members
  }

  private static func reminder(_ reminder: Reminder?, _ instants: InstantFields) -> JSON {
    guard let reminder else { return .null }
    var members: JSONObject = [
      "every": .integer(Int64(reminder.count)), "unit": .string(reminder.unit.name),
      "name": reminder.name.isEmpty ? .null : .string(reminder.name),
      "time": reminder.time.map { .string($0.shortText) } ?? .null,
      "on": .bool(reminder.isOn),
    ]
    instants.add(reminder.from, as: "fromAt", to: &members)
    return .object(members)
  }

  /// How long ago the last entry was, in the settings' style.
  func since(_ settings: StoreSettings) -> String {
    guard let last = summary.figures.last else { return "" }
    return session.relative(.instant(last), at: now, settings)
  }

  /// When it is to be done, for lists.
  func dueText(_ settings: StoreSettings) -> StyledText {
    switch dueState {
    case nil: return ""
    case .off: return StyledText("off", .dim)
    case .upcoming:
      return dueAt.map { StyledText(session.relative(.instant($0), at: now, settings)) } ?? ""
    case .due: return StyledText("due", .yellow)
    case .overdue:
      let ago = dueAt.map { session.relative(.instant($0), at: now, settings) } ?? ""
      return StyledText("overdue, \(ago)", .boldRed)
    }
  }

  /// The name as lists show it.
  var nameText: StyledText {
    problem == .none ? StyledText(summary.name, .bold) : StyledText("damaged", .boldRed)
  }
}
