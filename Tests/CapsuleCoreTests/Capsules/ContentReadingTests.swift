import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Contents and attachments that are read as a whole, or as a text.
@Suite struct ContentReadingTests {
  private static let now = StoreScenario.now
  private static let lines = "\u{feff}one\r\ntwo\rthree\n"
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
  }

  private func write(_ text: String, to path: String) throws {
    try files.writeTemporary(FilePath(path), Array(text.utf8), mode: 0o600)
  }

  private func open(_ sources: [ContentSource]) throws -> OpenedCapsule {
    let capsule = try store.capsules.create(
      NewCapsule(title: "C", unlockAt: Self.now, contents: sources), limit: 1 << 22, now: Self.now)
    var opening = try CapsuleOpening(try store.read(Capsule.self, capsule.id), in: store)
    return try opening.open(with: Keys.none, beacons: Keys.none, now: Self.now)
  }

  @Test func `a text file is read without its mark and the line ends of other systems`() throws {
    try write(Self.lines, to: "/text.txt")
    let opened = try open([.file("/text.txt"), .text("a\r\nb")])
    try expect(opened.readableText(at: 0), is: "one\ntwo\rthree\n")
    try expect(opened.readableText(at: 0, isExact: true), is: Self.lines)
    try expect(opened.readableText(at: 1), is: "a\nb")
    try expect(opened.readableText(at: 1, isExact: true), is: "a\r\nb")
  }

  @Test(arguments: ["\u{feff}one", "one\r\ntwo", "\u{fefe}one", "one"])
  func `a mark alone goes, and a line end alone, and nothing like them`(text: String) throws {
    let opened = try open([.text(text)])
    let expected: [String: String] = ["\u{feff}one": "one", "one\r\ntwo": "one\ntwo"]
    try expect(opened.readableText(at: 0), is: expected[text] ?? text)
  }

  @Test func `a file as large as the limit is read, and no larger one`() throws {
    try write("12345", to: "/text.txt")
    let opened = try open([.file("/text.txt")])
    try expect(opened.readableText(at: 0, limit: 5), is: "12345")
    expect(try opened.readableText(at: 0, limit: 4) == nil)
    try expect(opened.bytes(at: 0, limit: 5), is: Array("12345".utf8))
    expect(try opened.bytes(at: 0, limit: 4) == nil)
  }

  @Test func `what is no text is read as bytes alone`() throws {
    try files.writeTemporary(FilePath("/file"), [0, 1, 2, 0xff], mode: 0o600)
    let opened = try open([.file("/file")])
    expect(try opened.readableText(at: 0) == nil)
    try expect(opened.bytes(at: 0, limit: 4), is: [0, 1, 2, 0xff])
  }

  @Test func `an attachment is read as a content is`() throws {
    try write(Self.lines, to: "/text.txt")
    try files.writeTemporary(FilePath("/file"), [0, 1, 2, 0xff], mode: 0o600)
    func stage(_ path: String, _ number: UInt8) throws -> CapsuleCore.Attachment {
      let staged = try store.blobs.stageAttachment(FilePath(path), limit: 1 << 20)
      var event = Event(
        header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.now), title: path,
        moment: .instant(Self.now), zone: "UTC")
      event.image = staged.attachment
      try store.insert(event, blobs: [staged.blob])
      return staged.attachment
    }
    let (text, bytes) = (try stage("/text.txt", 1), try stage("/file", 2))
    let size = Int64(Self.lines.utf8.count)
    try expect(store.blobs.readableText(of: text, limit: size), is: "one\ntwo\rthree\n")
    expect(try store.blobs.readableText(of: text, limit: size - 1) == nil)
    try expect(store.blobs.bytes(of: text, limit: size), is: Array(Self.lines.utf8))
    expect(try store.blobs.bytes(of: text, limit: size - 1) == nil)
    expect(try store.blobs.readableText(of: bytes, limit: size) == nil)
    try expect(store.blobs.bytes(of: bytes, limit: 4), is: [0, 1, 2, 0xff])
  }

  @Test func `a directory is no attachment, and no content`() throws {
    try files.createDirectory(FilePath("/folder"), mode: 0o700)
    expect {
      try store.blobs.stageAttachment(FilePath("/folder"), limit: 1 << 20)
    } throws: { error in
      error as? Fault == .sourceIsDirectory(path: "/folder")
    }
    expect {
      try open([.file("/folder")])
    } throws: { error in
      error as? Fault == .sourceIsDirectory(path: "/folder")
    }
    expect(files.files(under: "/s/tmp").isEmpty)
  }

  @Test func `a word means a content by its number, its id or its name`() throws {
    try files.createDirectory(FilePath("/other"), mode: 0o700)
    for path in ["/one.txt", "/two.txt", "/other/TWO.txt"] { try write(path, to: path) }
    let opened = try open(
      [.file("/one.txt"), .text("no name"), .file("/two.txt"), .file("/other/TWO.txt")])
    let ids = opened.capsule.contents.map(\.id.description)
    expect(try opened.place(of: "1") == 0 && opened.place(of: "4") == 3)
    expect(try opened.place(of: ids[1]) == 1 && opened.place(of: String(ids[2].prefix(13))) == 2)
    try expect(opened.place(of: "ONE.txt"), is: 0)
    for word in ["0", "5", "-1", "", "three.txt"] {
      expect {
        try opened.place(of: word)
      } throws: { error in
        (error as? Fault)?.code == .unknownContent && "\(error)".contains(word)
      }
    }
    expect {
      try opened.place(of: "two.txt")
    } throws: { error in
      (error as? Fault)?.code == .ambiguousContent && "\(error)".contains("3, 4")
    }
    expect(throws: Fault.self) { try self.open([]).place(of: "1") }
  }

  @Test func `texts, short text files, names and captions are searched`() throws {
    try write("in a file", to: "/short.txt")
    try write(String(repeating: "long ", count: 300_000), to: "/long.txt")
    try files.writeTemporary(FilePath("/bytes"), [0, 1, 2, 0xff], mode: 0o600)
    let opened = try open([
      .text("a text"), .file("/short.txt"), .file("/long.txt"),
      ContentSource(.file(FilePath("/bytes")), caption: "a caption"),
    ])
    let fields = try opened.searchFields()
    expect(
      fields.map(\.text),
      is: [
        "a text", "short.txt", "in a file", "long.txt", "bytes", "a caption",
      ])
    expect(fields.map(\.number), is: [1, 2, 2, 3, 4, 4])
  }

  @Test(arguments: [("a text", true), ("%PDF-1.4 and more", false)])
  func `what comes through a stream is a text where it is plain text`(
    text: String, isText: Bool
  ) throws {
    let source = ContentSource(.stream(MemorySource(Array(text.utf8)), name: []))
    let opened = try open([source])
    expect(opened.details[0].text == (isText ? text : nil))
    try expect(opened.bytes(at: 0, limit: 100), is: Array(text.utf8))
  }

  @Test func `a part that is not what its details say is refused by its number`() throws {
    try write("12345", to: "/five.txt")
    try write("1", to: "/one.txt")
    let opened = try open([.file("/five.txt"), .file("/one.txt"), .text("a")])
    func fault(_ part: Int, as details: Int) -> Fault? {
      expect(throws: Fault.self) {
        var sink = MemorySink()
        try opened.write(opened.capsule.contents[part], opened.details[details], to: &sink)
      }
    }
    let size = fault(0, as: 1)
    expect(size?.description, is: "part 1 has 5 bytes instead of 1")
    expect(size?.hint, is: "restore the file from a backup")
    let none = fault(2, as: 1)
    expect(none?.description, is: "part 3 has neither a text nor a file")
    expect(none?.hint, is: "restore the record from a backup")
  }

  @Test func `the type of a file is that of its beginning, whole characters or not`() throws {
    let long = String(repeating: "a", count: MediaType.headSize - 1) + "é and more"
    try write(long, to: "/long")
    try files.writeTemporary(FilePath("/cut"), Array("abc".utf8) + [0xc3], mode: 0o600)
    var bytes = Array("%PDF-1.4\n".utf8)
    bytes += [UInt8](repeating: 0, count: 100_000)
    let opened = try open([
      .file("/long"), .file("/cut"), ContentSource(.stream(MemorySource(bytes), name: [])),
    ])
    let types = opened.details.map(\.mediaType)
    expect(types[0], is: MediaType.plainText.description)
    expect(types[1] != MediaType.plainText.description)
    expect(types[2], is: "application/pdf")
  }
}
