import CapsuleCore

/// Deliveries, made or only planned, as JSON and as text.
struct DeliverAnswer {
  let session: Session
  let isSealed: Bool
  let isDryRun: Bool

  func json(_ delivery: PersonalDelivery) -> JSON {
    .object([
      "beneficiary": .object([
        "id": .string(delivery.person.id.description), "name": .string(delivery.person.name),
      ]),
      "form": .string(isSealed ? "sealed" : "folder"),
      "path": delivery.path.flatMap { delivery.gifts.isEmpty ? nil : .string($0.text) } ?? .null,
      "state": .string(state(of: delivery)),
      "isMarkedSent": .bool(delivery.outcome == .marked),
      "mail": .null,
      "size": .integer(delivery.size),
      "gifts": .array(delivery.gifts.map(gift)),
      "leftOut": .array(delivery.leftOut.map(leftOut)),
      "error": failure(of: delivery).map(error) ?? .null,
    ])
  }

  func error(_ problem: Failure) -> JSON {
    .object([
      "kind": .string(problem.kind.rawValue),
      "message": .string(problem.message(in: session.zone)),
      "hint": problem.hint.map { .string($0) } ?? .null,
    ])
  }

  /// The problem of a delivery in words; `nil` where there is none.
  func failure(of delivery: PersonalDelivery) -> Failure? {
    delivery.problem.map { Failure($0) }
  }

  private func state(of delivery: PersonalDelivery) -> String {
    if delivery.outcome != .planned { return "made" }
    if delivery.problem != nil { return "failed" }
    return delivery.gifts.isEmpty ? "nothing" : "planned"
  }

  private func gift(_ gift: PlannedGift) -> JSON {
    .object([
      "bequest": .string(gift.bequest.model.id.description),
      "id": .string(gift.bequest.model.subject.id.description),
      "kind": .string(gift.gift.kind.rawValue), "title": .string(gift.gift.title),
      "isSealed": .bool(gift.gift.opening != nil),
      "message": .string(gift.gift.message), "description": .string(gift.gift.description),
      "details": .array(
        gift.gift.details.map {
          .object(["label": .string($0.label), "value": .string($0.value)])
        }),
      "files": .array(
        gift.gift.files.map {
          .object([
            "path": .string($0.path), "mediaType": .string($0.mediaType),
            "size": .integer($0.size),
          ])
        }),
    ])
  }

  private func leftOut(_ leftOut: PersonalDelivery.LeftOut) -> JSON {
    let subject = leftOut.bequest.model.subject
    var members: JSONObject = [
      "bequest": .string(leftOut.bequest.model.id.description),
      "id": .string(subject.id.description),
      "kind": .string(subject.kind.rawValue), "title": .string(leftOut.title),
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(leftOut.until, as: "sealedUntil", to: &members)
    return .object(members)
  }

  func text(_ deliveries: [PersonalDelivery], _ out: TextOutput) {
    for delivery in deliveries {
      // Failures were reported on standard error.
      if delivery.problem != nil, delivery.outcome == .planned { continue }
      if session.isQuiet {
        if delivery.outcome != .planned, let path = delivery.path { out.row("\(path.text)") }
        continue
      }
      out.line(headline(delivery))
      for gift in delivery.gifts {
        out.line("  \(gift.gift.title)\(gift.gift.opening == nil ? "" : ", as its sealed files")")
        guard isDryRun else { continue }
        if !gift.gift.message.isEmpty {
          out.line("    with a message of \(count(gift.gift.message.count, "character"))")
        }
        for detail in gift.gift.details { out.line("    \(detail.label, .dim)  \(detail.value)") }
        for file in gift.gift.files { out.line("    \(file.path)  \(file.factsText, .dim)") }
      }
      for leftOut in delivery.leftOut {
        out.line("  \(leftOut.title), not yet: sealed until \(session.dates.text(leftOut.until))")
      }
    }
  }

  private func headline(_ delivery: PersonalDelivery) -> StyledText {
    let name = delivery.person.name
    guard !delivery.gifts.isEmpty else { return "Nothing yet for '\(name, .bold)'" }
    let path = delivery.path.map { StyledText(" in '\($0.text)'") } ?? ""
    let amount =
      "\(count(delivery.gifts.count, "gift")), \(count(delivery.files.count, "file")), "
      + ByteSize.text(delivery.size)
    switch delivery.outcome {
    case .planned: return "'\(name, .bold)' would receive \(amount)\(path)"
    case .made: return "Made \(amount) for '\(name, .bold)'\(path)"
    case .marked: return "Made \(amount) for '\(name, .bold)'\(path), and marked it sent"
    }
  }

  private func count(_ number: Int, _ noun: String) -> String { .counting(number, noun) }
}
