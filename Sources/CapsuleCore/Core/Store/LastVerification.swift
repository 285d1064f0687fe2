/// This machine's memory of the last verification of a store, and of one that goes on part by part.
package struct LastVerification: Hashable, Sendable {
  /// The times at which all of the store was looked at last, from its first part to its last.
  package struct Whole: Hashable, Sendable {
    package let began: Instant
    package let ended: Instant
  }

  /// A verification of all parts that has not come to its end.
  package struct Round: Hashable, Sendable {
    package let began: Instant
    package let next: VerificationStep
  }

  /// One thing that was damaged or missing when it was looked at last.
  package struct Loss: Hashable, Sendable {
    package let isMissing: Bool
    package let kind: RecordKind?
    package let id: RecordID?
    package let path: String?
    /// The part of the store that it belongs to; `nil` for what each verification looks at.
    fileprivate let step: VerificationStep?
  }

  package fileprivate(set) var whole: Whole?
  package fileprivate(set) var round: Round?
  /// The things that were found, at most ``findingLimit``.
  package fileprivate(set) var findings: [Loss] = []

  package static let findingLimit = 1_000

  fileprivate init() {}

  private init(_ object: JSONObject) {
    func instant(_ value: JSON?) -> Instant? { value?.integer.map { Instant(seconds: $0) } }
    if let began = instant(object["whole"]?["began"]),
      let ended = instant(object["whole"]?["ended"])
    {
      whole = Whole(began: began, ended: ended)
    }
    if let began = instant(object["round"]?["began"]),
      let next = object["round"]?["next"]?.string.flatMap(VerificationStep.init)
    {
      round = Round(began: began, next: next)
    }
    findings = (object["findings"]?.array ?? []).prefix(Self.findingLimit).map { finding in
      Loss(
        isMissing: finding["missing"] == .bool(true),
        kind: finding["kind"]?.string.flatMap(RecordKind.init),
        id: finding["id"]?.string.flatMap { RecordID($0) }, path: finding["path"]?.string,
        step: finding["step"]?.string.flatMap(VerificationStep.init))
    }
  }

  private var object: JSONObject {
    var object: JSONObject = [:]
    if let whole {
      object["whole"] = [
        "began": .integer(whole.began.seconds), "ended": .integer(whole.ended.seconds),
      ]
    }
    if let round {
      object["round"] = [
        "began": .integer(round.began.seconds), "next": .string(round.next.text),
      ]
    }
    object["findings"] = .array(
      findings.map { finding in
        var members: JSONObject = ["missing": .bool(finding.isMissing)]
        if let kind = finding.kind { members["kind"] = .string(kind.rawValue) }
        if let id = finding.id { members["id"] = .string(id.description) }
        if let path = finding.path { members["path"] = .string(path) }
        if let step = finding.step { members["step"] = .string(step.text) }
        return .object(members)
      })
    return object
  }

  /// Reads what was kept of a store; nothing where that is nothing that can be used.
  package init(of store: Store) {
    self = StateFile(store, "verified")?.readObject().map { Self($0) } ?? Self()
  }

  fileprivate func keep(for store: Store) {
    guard self != Self(of: store) else { return }
    StateFile(store, "verified")?.write(object)
  }

  /// Takes in what a verification found in the parts that it looked at.
  fileprivate mutating func add(
    _ problems: [Finding], from start: VerificationStep, upTo end: VerificationStep?
  ) {
    findings.removeAll { finding in
      guard let step = finding.step else { return true }
      return start <= step && (end.map { step < $0 } ?? true)
    }
    findings += problems.filter(\.isDamage).map { Loss($0) }
    findings = Array(findings.prefix(Self.findingLimit))
  }
}

extension VerificationStep: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.records(let left), .records(let right)): left < right
    case (.records, .blobs): true
    case (.blobs, .records): false
    case (.blobs(let left), .blobs(let right)): left < right
    }
  }
}

extension LastVerification.Loss {
  fileprivate init(_ finding: Finding) {
    isMissing = finding.isMissing
    (kind, id, path) = (finding.record?.kind, finding.record?.id, finding.own ?? finding.path)
    let isOfBlob = finding.kind == .blob || finding.kind == .unreadable && id == nil
    let blob = isOfBlob ? finding.file.flatMap { BlobName($0.lastComponent) } : nil
    step = blob.map { .blobs(from: $0) } ?? id.map { .records($0.shard) }
  }
}

extension BlobName {
  fileprivate init?(_ name: [UInt8]) {
    self.init(digits: name[...])
  }
}

extension StoreCare {
  /// Keeps what a verification that read the journals and the blobs found.
  ///
  /// - Parameters:
  ///   - start: the part that it began with; `nil` where it looked at the whole store.
  ///   - now: the real time.
  func remember(_ report: Verification, from start: VerificationStep?, now: Instant) {
    var last = LastVerification(of: store)
    last.add(report.problems, from: start ?? .first, upTo: report.next)
    // A round that began earlier goes on here; a whole verification ends it.
    let began = start == nil ? now : last.round?.began ?? now
    if let next = report.next {
      last.round = LastVerification.Round(began: began, next: next)
    } else {
      last.round = nil
      last.whole = LastVerification.Whole(began: began, ended: now)
    }
    last.keep(for: store)
  }

  /// Keeps what a repair left as it was.
  func remember(left problems: [Finding]) {
    var last = LastVerification(of: store)
    last.add(problems, from: .first, upTo: nil)
    last.keep(for: store)
  }
}
