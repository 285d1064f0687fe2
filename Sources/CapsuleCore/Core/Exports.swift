// `import CapsuleCore` is all that a user of the library writes.
@_exported public import CapsuleAge
@_exported public import CapsuleBytes
@_exported public import CapsuleCalendar
@_exported public import CapsuleFormats
