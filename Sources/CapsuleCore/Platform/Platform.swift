// The C library of the system. Whoever imports this module sees all of it; those who import CapsuleCore see none.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif
