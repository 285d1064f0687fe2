StandardDescriptors.reserve()
Arguments.requireKnown()
ProcessEnd.exit(Program(table: .capsule, host: .system()).run())
