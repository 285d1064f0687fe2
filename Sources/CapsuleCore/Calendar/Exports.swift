// Every file of this target sees what it is built on, and so does whoever imports it.
@_exported public import CapsuleBytes
