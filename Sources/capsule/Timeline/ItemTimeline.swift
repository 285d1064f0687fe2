import CapsuleCore

/// Items on the timeline: what their reminders say.
struct ItemTimeline: TimelineSource {
  var kind: RecordKind { .item }

  func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.item, now: context.now)
    var found: [Occurrence] = []
    for entry in index.entries(dueAfter: .min, through: span.end.seconds) {
      guard let (figures, reminder) = ItemSummary.head(encoded: entry.summary), let reminder,
        reminder.isOn, let due = reminder.due(last: figures.last, in: context.zone),
        due < span.end
      else { continue }
      // What is overdue is not over: it stands at the span's beginning.
      let isOverdue = due < span.start
      found.append(
        Occurrence(
          kind: .item, id: entry.id, title: kind.title(of: entry), what: .reminder,
          moment: .instant(isOverdue ? span.start : due),
          detail: (reminder.name.isEmpty ? "" : "\(reminder.name), ") + reminder.words
            + (isOverdue ? ", overdue" : "")))
    }
    return found
  }

  func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence] { [] }

  func series(_ context: TimelineContext) -> [Series] {
    var index = context.store.index(.item, now: context.now)
    var found: [Series] = []
    index.forEach(.ascending) { entry in
      guard let head = ItemSummary.head(encoded: entry.summary), head.reminder?.isOn == true,
        let item = try? context.store.read(Item.self, entry.id).model,
        let reminder = item.reminder,
        let due = reminder.due(last: item.history.last?.at, in: context.zone)
      else { return true }
      let title = reminder.name.isEmpty ? item.name : "\(item.name): \(reminder.name)"
      found.append(
        Series(
          kind: .item, id: item.id, title: title, notes: item.description, what: .reminder,
          moment: .instant(due), zone: "",
          recurrence: Recurrence(every: reminder.count, reminder.unit), alerts: [],
          createdAt: item.createdAt, updatedAt: item.updatedAt, revision: item.header.revision,
          tags: item.tags))
      return true
    }
    return found
  }
}
