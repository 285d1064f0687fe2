import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct BequestTests {
  private let now = Instant(seconds: 1_800_000_000)

  private func bequest(
    _ access: AccessRule = .immediate, of kind: RecordKind = .item
  ) -> Bequest {
    Bequest(
      header: RecordHeader(id: RecordID(high: 1, low: 2), createdAt: now),
      subject: RecordReference(kind, RecordID(high: 3, low: 4)),
      beneficiary: RecordID(high: 5, low: 6), access: access, message: "Dear Mia\n")
  }

  private func reread(_ fields: JSONObject) throws -> Bequest {
    return try Bequest(fields: fields)
  }

  @Test(
    arguments: [AccessRule.immediate, .afterDate(Instant(seconds: 2_000_000_000)), .uponPassing],
    [RecordKind.item, .capsule])
  func `a record holds all of a bequest, and what it does not know`(
    access: AccessRule, kind: RecordKind
  ) throws {
    var bequest = bequest(access, of: kind)
    expect(bequest.mark(DeliveryChange(.sent, at: now, notes: "by post"), now: now) == nil)
    var fields = bequest.fields
    fields["witness"] = "Ida"
    var change = try require(bequest.delivery.first).fields
    change["carrier"] = "DHL"
    fields["delivery"] = .array([.object(change)])
    let read = try reread(fields)
    expect(read.fields, is: fields)
    expect(read.unknown, is: ["witness": "Ida"])
    expect(read.access == access && read.subject == bequest.subject && read.state == .sent)
    expect(
      read.references, is: [bequest.subject, RecordReference(.beneficiary, bequest.beneficiary)])
  }

  @Test(
    arguments: [
      ("item", JSON.null), ("item", "x"), ("capsule", "00000000-0000-0003-0000-000000000004"),
      ("beneficiary", .null), ("access", "never"), ("access", "afterDate"),
      ("accessAt", "2030-01-01T00:00:00Z"), ("delivery", [["state": "accepted", "at": 1]]),
      ("delivery", [["state": "accepted", "at": "2030-01-01T00:00:00Z"]]),
      ("delivery", [["state": "notSent", "at": "2030-01-01T00:00:00Z"]]),
    ] as [(String, JSON)])
  func `what cannot stand there is refused by its name`(field: String, value: JSON) throws {
    var fields = bequest().fields
    fields[field] = value
    expect {
      _ = try reread(fields)
    } throws: { error in
      (error as? FieldError).map { $0.path.hasPrefix(field) || $0.path == "accessAt" } ?? false
    }
  }

  /// Every pair of states; what is not here is refused.
  @Test func `states follow one another in one order only`() throws {
    let allowed: Set<[DeliveryState]> = [
      [.notSent, .sent], [.notSent, .revoked], [.sent, .accepted], [.sent, .declined],
      [.sent, .revoked],
    ]
    for from in DeliveryState.allCases {
      for to in DeliveryState.allCases {
        var bequest = bequest()
        let way: [DeliveryState] =
          switch from {
          case .notSent: []
          case .sent, .revoked: [from]
          case .accepted, .declined: [.sent, from]
          }
        for state in way {
          expect(bequest.mark(DeliveryChange(state, at: now, notes: ""), now: now) == nil)
        }
        let before = bequest
        if let problem = bequest.mark(DeliveryChange(to, at: now, notes: ""), now: now) {
          expect(!allowed.contains([from, to]), "\(from) to \(to)")
          expect(problem, is: .order(from: from, to: to))
          expect(bequest, is: before)
        } else {
          expect(allowed.contains([from, to]), "\(from) to \(to)")
          expect(bequest.state == to && bequest.delivery.count == before.delivery.count + 1)
        }
      }
    }
  }

  @Test func `a change is not before the one in front of it`() throws {
    var bequest = bequest()
    let later = now.adding(seconds: 10)
    expect(bequest.mark(DeliveryChange(.sent, at: later, notes: ""), now: later) == nil)
    expect(
      bequest.mark(
        DeliveryChange(.accepted, at: now.adding(seconds: 9), notes: ""), now: later)
        == .beforeLast(later))
    expect(bequest.stateSince, is: later)
  }

  @Test func `what was handed over before it was written down can be dated`() throws {
    var bequest = bequest()
    let then = now.adding(seconds: -86_400)
    expect(bequest.mark(DeliveryChange(.sent, at: then, notes: ""), now: now) == nil)
    expect(bequest.state == .sent && bequest.stateSince == then)
  }

  @Test func `a change that is still to come, of a clock that was ahead, holds nothing up`() throws
  {
    var bequest = bequest()
    expect(bequest.mark(DeliveryChange(.sent, at: now, notes: ""), now: now) == nil)
    let present = now.adding(seconds: -86_400)
    expect(
      bequest.mark(
        DeliveryChange(.accepted, at: present.adding(seconds: -1), notes: ""), now: present)
        == .beforeLast(now))
    expect(bequest.mark(DeliveryChange(.accepted, at: present, notes: ""), now: present) == nil)
    expect(bequest.state == .accepted && bequest.stateSince == present)
  }

  @Test func `a rule tells from when on`() {
    let date = Instant(seconds: 2_000_000_000)
    let passing = Instant(seconds: 1_900_000_000)
    expect(AccessRule.immediate.accessible(since: now, passing: nil), is: now)
    expect(AccessRule.afterDate(date).accessible(since: now, passing: passing), is: date)
    expect(AccessRule.uponPassing.accessible(since: now, passing: nil) == nil)
    expect(AccessRule.uponPassing.accessible(since: now, passing: passing), is: passing)
  }

  @Test func `a summary tells what its bequest does, through the index's form too`() throws {
    for access in [AccessRule.immediate, .afterDate(now), .uponPassing] {
      var bequest = bequest(access)
      let line = bequest.indexContribution
      expect(line.due, is: access.date?.seconds)
      expect(Brief<Bequest>(id: bequest.id, encoded: line.summary), is: bequest.brief)
      expect(bequest.mark(DeliveryChange(.revoked, at: now, notes: ""), now: now) == nil)
      expect(bequest.indexContribution.due == nil)
      let read = Brief<Bequest>(id: bequest.id, encoded: bequest.indexContribution.summary)
      expect(read == bequest.brief && read?.digest.state == .revoked)
      for end in 0..<bequest.indexContribution.summary.count {
        let cut = Array(bequest.indexContribution.summary.prefix(end))
        expect(Brief<Bequest>(id: bequest.id, encoded: cut) == nil)
      }
    }
  }

  @Test func `a passing survives beside the settings, and settings beside it`() throws {
    var settings = StoreSettings(["future": 1, "owner": "Anna"])
    settings.passing = Passing(at: now, declaredAt: now)
    expect(settings.passing, is: Passing(at: now, declaredAt: now))
    expect(settings.owner == "Anna" && settings.values["future"] == 1)
    settings.set(.owner, to: nil)
    expect(settings.passing != nil)
    settings.passing = nil
    expect(settings.values, is: ["future": 1])
  }
}
