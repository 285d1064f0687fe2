ThisProcess.reserveDescriptors()
ThisProcess.keepPrivate()
ThisProcess.exit(Program(table: .capsule, host: .system()).run())
