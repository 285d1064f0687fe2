#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum SystemProcess {
  @Sendable static func run(_ request: ProcessRequest) throws(SystemError) -> ProcessOutcome {
    throw SystemError(code: ENOSYS, action: "run another program")
  }
}
