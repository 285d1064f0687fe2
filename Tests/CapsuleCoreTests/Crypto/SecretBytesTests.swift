import CapsuleAge
import CapsulePlatform
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct SecretBytesTests {
  @Test func `bytes are copied, and taken over from an array that is emptied`() {
    var source: [UInt8] = [1, 2, 3]
    expect(SecretBytes(copying: source).bytes, is: [1, 2, 3])
    expect(source, is: [1, 2, 3])
    expect(SecretBytes(taking: &source).bytes, is: [1, 2, 3])
    expect(source.isEmpty)
    expect(SecretBytes(copying: []).count, is: 0)
  }

  @Test func `bytes are made in place from zeros`() {
    let secret = SecretBytes(count: 4) { buffer in
      expect(buffer.allSatisfy { $0 == 0 })
      buffer[2] = 9
    }
    expect(secret.bytes, is: [0, 0, 9, 0])
    expect(secret.withUnsafeBytes { $0.count }, is: 4)
  }

  @Test func `an array, a buffer and a value are overwritten`() {
    var array: [UInt8] = [1, 2, 3]
    array.withUnsafeMutableBytes { buffer in
      wipe(UnsafeMutableRawBufferPointer(rebasing: buffer[1...]))
    }
    expect(array, is: [1, 0, 0])
    wipe(&array)
    expect(array.isEmpty)
    var value: UInt64 = 5
    wipe(value: &value)
    expect(value, is: 0)
  }

  @Test func `equality in constant time is equality`() {
    expect(constantTimeEqual([], []))
    expect(!constantTimeEqual([0], []))
    let bytes = VectorFile.stream(1, 40)
    expect(constantTimeEqual(bytes, Array(bytes)))
    for bit in 0..<320 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      expect(!constantTimeEqual(bytes, other))
    }
  }

  #if !canImport(Darwin)
    /// A file of `/proc/self`, whose size nobody knows before it is read; `nil` where there is none.
    private static func contents(of file: String) -> String? {
      guard let stream = fopen("/proc/self/\(file)", "r") else { return nil }
      defer { fclose(stream) }
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = fread(&part, 1, part.count, stream)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += part[..<count]
      }
    }

    /// The value of a line of a file in `/proc/self`; `nil` where there is none.
    private static func value(_ name: String, in file: String) -> Substring? {
      let lines = (contents(of: file) ?? "").split(separator: "\n")
      return lines.first { $0.hasPrefix(name) }?.dropFirst(name.count)
        .split { $0 == " " || $0 == "\t" }.first
    }

    private static let mayLock =
      value("Max locked memory", in: "limits").map { $0 != "0" } == true
      && value("VmLck:", in: "status") != nil

    @Test(.enabled(if: mayLock, "this system lets no memory be locked"))
    func `secrets are kept out of swap`() throws {
      let secret = SecretBytes(copying: [1, 2, 3])
      let locked = try require(Self.value("VmLck:", in: "status").flatMap { Int($0) })
      expect(locked > 0)
      expect(secret.count, is: 3)
    }

    private static let mayLockMore =
      value("Max locked memory", in: "limits")
      .map { $0 == "unlimited" || (Int($0) ?? 0) >= 4 << 20 } == true && smaps != nil

    private static var smaps: String? {
      contents(of: "smaps")
    }

    /// In a process of its own: what many tests lock together may be more than a user may.
    @Test(.enabled(if: mayLockMore, "this system lets little memory be locked"))
    func `the very pages of a secret are kept out of swap`() async {
      await #expect(processExitsWith: .success) {
        let size = 1 << 18
        let secret = SecretBytes(copying: [UInt8](repeating: 1, count: size))
        let middle = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } + UInt(size / 2)
        // Each mapping has a line of its addresses, and later one of its flags: `lo` is locked.
        var isOwn = false
        var flags: [Substring] = []
        for line in try require(Self.smaps).split(separator: "\n") {
          let ends = (line.split(separator: " ").first ?? "").split(separator: "-")
            .compactMap { UInt($0, radix: 16) }
          if ends.count == 2 { isOwn = (ends[0]..<ends[1]).contains(middle) }
          if isOwn, line.hasPrefix("VmFlags:") { flags = line.split(separator: " ") }
        }
        try require(flags.contains("lo"), "\(flags)")
        try require(secret.count == size)
      }
    }
  #endif
}
