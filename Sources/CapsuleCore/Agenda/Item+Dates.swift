/// Items on the timeline: what their reminders say.
package struct ItemTimeline: TimelineSource {
  package var kind: RecordKind { .item }

  package func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.item, now: context.now)
    // What is overdue is not over: it stands at the span's beginning.
    typealias Found = (
      at: Instant, title: String, entry: IndexEntry, reminder: Reminder, due: Instant
    )
    var first = FirstSorted<Found>(limit: span.limit) { left, right in
      left.at == right.at
        ? (left.title, left.entry.id) < (right.title, right.entry.id) : left.at < right.at
    }
    index.forEach(dueAfter: .min, through: span.end.seconds) { entry in
      // Nothing is due before the index says so.
      if let bound = first.bound, entry.due > bound.at.seconds { return false }
      guard let (last, reminder) = ItemSummary.timing(encoded: entry.summary), let reminder,
        reminder.isOn, let due = reminder.due(last: last, in: context.zone), due < span.end,
        due >= span.start || span.start <= context.asOf
      else { return true }
      first.insert((max(due, span.start), kind.title(of: entry), entry, reminder, due))
      return true
    }
    return first.elements.map { found in
      let name = found.reminder.name
      return Occurrence(
        kind: .item, id: found.entry.id, title: found.title, what: .reminder,
        moment: .instant(found.at),
        detail: (name.isEmpty ? "" : "\(name), ") + found.reminder.words
          + (found.due < span.start ? ", overdue" : ""))
    }
  }

  package func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence] { [] }

  package func series(_ context: TimelineContext) -> [Series] {
    var index = context.store.index(.item, now: context.now)
    var found: [Series] = []
    index.forEach(.ascending) { entry in
      guard let timing = ItemSummary.timing(encoded: entry.summary), timing.reminder?.isOn == true,
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
