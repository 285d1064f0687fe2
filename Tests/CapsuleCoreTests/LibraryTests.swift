import CapsuleCore
import Foundation
import Testing

@Suite struct LibraryTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test(arguments: libraryExamples.map(\.name))
  func `an example of the library gives its answer`(name: String) throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    let example = try #require(libraryExamples.first { $0.name == name })
    #expect(try example.run(place.path) == example.answer)
  }

  @Test func `the examples in the library's documentation are those that run here`() throws {
    let page = try String(
      contentsOf: folder.appending(path: "../../docs/library.md"), encoding: .utf8)
    let source = try String(
      contentsOf: folder.appending(path: "LibraryExamples.swift"), encoding: .utf8)
    let functions = source.components(separatedBy: "\nfunc ").dropFirst().map { "func " + $0 }
    #expect(functions.count == libraryExamples.count)
    for function in functions {
      let text = function.trimmingCharacters(in: .newlines)
      #expect(page.contains("```swift\n\(text)\n```"))
    }
  }

  @Test func `no value at the public door ends the process`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    var random = SystemRandomNumberGenerator()
    let seconds = [Int64.min, .min + 1, -62_135_596_801, -1, 0, 253_402_300_800, .max - 1, .max]
    let texts = ["", " ", "\0", "\u{600}|", "a\r\n", String(repeating: "é", count: 600)]
    for second in seconds {
      let time = Instant(seconds: second)
      let store = try Store.open(directory: place.path, clock: StoreClock { time })
      for text in texts {
        _ = try? store.seal(NewCapsule(title: text, unlockAt: time, contents: [.text(text)]))
        _ = try? store.seal(
          NewCapsule(title: "a", unlockAt: time, contents: [.file(text)], lock: .honor))
        _ = try? store.add(Event(title: text, on: .instant(time), zone: text))
        _ = try? store.add(Item(name: text))
        _ = try? LockRequest.recipients([text])
        _ = try? LockRequest.timelock(until: time, escrow: [text])
        _ = try? Keys(identities: [text], passphrase: text, beacon: text)
        _ = Instant(rfc3339: text)
        _ = CivilDate(iso8601: text)
        _ = store.records(Event.self, matching: text, limit: .min)
        _ = try? store.agenda(from: time, until: time, zone: text)
        _ = try? store.importPeople(Array(text.utf8))
      }
      _ = try? store.agenda(
        from: time, until: Instant(seconds: .random(in: .min ... .max, using: &random)), limit: .min
      )
      _ = try? store.due(since: time)
      _ = CivilDate(year: Int(clamping: second), month: .max, day: .min)
    }
    let store = try Store.open(directory: place.path, clock: .system)
    #expect(try store.verify().isSound)
    for capsule in store.records(Capsule.self) {
      #expect(throws: (any Error).self) {
        _ = try store.change(Capsule.self, capsule.id) {
          $0.title = "\0" + $0.title + "é" + $0.title
        }
        _ = try store.change(Capsule.self, capsule.id) {
          $0.title = String(repeating: "a", count: 1025)
        }
      }
    }
  }
}
