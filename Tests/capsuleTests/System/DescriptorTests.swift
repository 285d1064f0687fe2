import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import capsule

@Suite struct DescriptorTests {
  @Test func `what cannot be read is refused at once`() throws {
    let directory = open("/", O_RDONLY)
    defer { close(directory) }
    var bytes = [UInt8](repeating: 0, count: 8)
    let fault = expect(throws: Fault.self) {
      try bytes.withUnsafeMutableBytes { try Descriptor.read(directory, into: $0, "read '/'") }
    }
    expect(fault.map { "\($0)" }, is: "cannot read '/': is a directory")
  }
}
