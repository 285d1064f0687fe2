StandardDescriptors.reserve()
ProcessEnd.exit(Program(table: .capsule, host: .system()).run())
