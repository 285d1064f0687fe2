StandardDescriptors.reserve()
ProcessMemory.keepPrivate()
ProcessEnd.exit(Program(table: .capsule, host: .system()).run())
