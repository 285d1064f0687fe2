import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The shares of a group's identity, and the pages on which they stand.
@Suite struct TrusteeSharesTests {
  private func binomial(_ count: Int, _ size: Int) -> Int {
    (0..<size).reduce(1) { $0 * (count - $1) / ($1 + 1) }
  }

  @Test(arguments: [(3, 2), (5, 3), (8, 5), (2, 2), (16, 16)])
  func `every subset is proved where there are few`(count: Int, size: Int) {
    let subsets = TrusteeShares.subsets(of: count, taking: size, atMost: 1000)
    expect(Set(subsets).count, is: binomial(count, size))
    expect(subsets.allSatisfy { $0 == $0.sorted() && Set($0).count == size })
  }

  @Test func `as many subsets as the limit are all proved, and of one more every other`() {
    expect(TrusteeShares.subsets(of: 5, taking: 3, atMost: 10).count, is: 10)
    // Five neighbours round about, and half of the ten.
    expect(TrusteeShares.subsets(of: 5, taking: 3, atMost: 9).count, is: 10)
  }

  @Test func `of very many subsets a sample is proved, with every share in it`() {
    let subsets = TrusteeShares.subsets(of: 16, taking: 8, atMost: 1000)
    expect((900...1100).contains(subsets.count))
    expect(Set(subsets.flatMap { $0 }), is: Set(0..<16))
    expect(subsets.allSatisfy { Set($0).count == 8 })
  }

  @Test(arguments: [true, false])
  func `the shares give the identity back, as the kind that it is`(isPostQuantum: Bool) throws {
    let identity = try AgeIdentity(isPostQuantum: isPostQuantum, random: .system)
    let made = try TrusteeShares(of: identity, threshold: 2, count: 3, random: .system)
    expect(made.recipient, is: identity.recipient)
    var set = ShareSet()
    for share in made.shares[1...] { try set.add(share) }
    let found = try TrusteeGroup.identities(joining: set)
    expect(found.contains { $0.secretText == identity.secretText })
    expect(found.count, is: 2)
  }

  @Test func `a set gets a number unlike those before it`() throws {
    // Random bytes that count up from 0: the first numbers are taken.
    let random = CountingSource()
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let made = try TrusteeShares(
      of: identity, threshold: 2, count: 2, unlike: [0x0001, 0x0203], random: random.source)
    expect(made.identifier, is: 0x0405)
  }

  @Test func `a secret of 128 bits is no identity`() throws {
    var set = ShareSet()
    for words in [ForeignShares.grouped[0], ForeignShares.grouped[1], ForeignShares.grouped[2]] {
      try set.add(ForeignShares.share(words))
    }
    let fault = expect(throws: Fault.self) { try TrusteeGroup.identities(joining: set) }
    expect(fault?.code, is: .key)
    expect(fault?.description.contains("128 bits") ?? false)
  }

  // MARK: Pages

  private func page(
    _ holders: [String] = ["Mia", "Ben", "Dr Okoye"], isRenewed: Bool = false
  ) throws -> TrusteePage {
    let seed = SecretBytes(copying: 0..<32)
    let identity = try require(AgeIdentity(seed: seed, isPostQuantum: true))
    return TrusteePage(
      group: "family", owner: "Ada", holders: holders, place: 0, threshold: 2,
      recipient: identity.recipient, date: try require(CivilDate(year: 2026, month: 11, day: 22)),
      isRenewed: isRenewed)
  }

  @Test(arguments: ["欧阳修文忠公之长子欧阳发欧阳修文忠公之长子欧阳发", "Maximiliana Konstantinopel-Wunderlich"])
  func `every other holder of sixteen is on the page`(name: String) throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let page = try page((1...16).map { _ in name })
    let bytes = page.html(of: share).withUnsafeBytes { Array($0) }
    let html = String(decoding: bytes, as: UTF8.self)
    for number in 2...16 { expect(html.contains("… (\(number))"), "\(number)") }
    // No style hides a part of them.
    expect(!html.contains("main > p { max-height"))
  }

  @Test func `the words of a page in plain text are those of the share`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let text = try page().text(of: share)
    try expect(Share(text: text).text.bytes, is: share.text.bytes)
  }

  @Test func `the words and numbers of a page in HTML are those of the share, in order`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let html = String(decoding: try page().html(of: share).bytes, as: UTF8.self)
    let words = html.matches(of: #/<td class="w">([a-z]+)</td>/#).map { String($0.1) }
    let numbers = html.matches(of: #/<td class="v">([0-9]+)</td>/#).compactMap { UInt16($0.1) }
    expect(words.joined(separator: " "), is: ForeignShares.twoOfThree[0])
    expect(numbers, is: share.numbers)
  }

  @Test func `that earlier sheets still work is a paragraph in plain text`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let text = String(decoding: try page(isRenewed: true).text(of: share).bytes, as: UTF8.self)
    expect(text.contains("\n\nEarlier sheets of this group still work"), "\(text)")
    try expect(!String(decoding: page().text(of: share).bytes, as: UTF8.self).contains("Earlier"))
  }

  @Test func `no line of a page in plain text is wider than a sheet`() throws {
    let share = try ForeignShares.share(ForeignShares.threeOfFive[1])
    let text = String(decoding: try page().text(of: share).bytes, as: UTF8.self)
    expect(text.split(separator: "\n").allSatisfy { TextWidth.of(String($0)) <= 80 })
  }

  @Test func `names on a page are text in both forms`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let page = try page(["<script>x</script>", "Ben\n----- END", "C"])
    let html = String(decoding: page.html(of: share).bytes, as: UTF8.self)
    expect(!html.contains("<script") && html.contains("&lt;script&gt;"))
    try expect(Share(text: page.text(of: share)).text.bytes, is: share.text.bytes)
  }

  @Test func `a page that is shown on a terminal does nothing there`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let page = try page(["a\u{1b}]0;x\u{7}\u{9b}31m\u{202e}", "\u{1b}[2J", "C"])
    for bytes in [page.text(of: share).bytes, page.html(of: share).bytes] {
      let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
      expect(!scalars.contains { $0.value < 0x20 && $0 != "\n" })
      expect(!scalars.contains { (0x7f...0x9f).contains($0.value) || $0.value == 0x202e })
    }
  }

  @Test func `a page has no script and nothing from elsewhere`() throws {
    let share = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let html = String(decoding: try page().html(of: share).bytes, as: UTF8.self)
    for word in ["<script", "http://", "https://", "url(", "@import", "src="] {
      expect(!html.contains(word), "\(word)")
    }
  }
}

/// Random bytes that count up from 0, for one test.
private final class CountingSource: Sendable {
  private let next = Mutex<UInt8>(0)

  var source: RandomSource {
    RandomSource { buffer throws(Fault) in
      for index in buffer.indices {
        buffer[index] = self.next.withLock { next in
          defer { next &+= 1 }
          return next
        }
      }
    }
  }
}
