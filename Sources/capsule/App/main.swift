StandardDescriptors.reserve()
ProcessMemory.keepPrivate()
Arguments.requireKnown()
ProcessEnd.exit(Program(table: .capsule, host: .system()).run())
