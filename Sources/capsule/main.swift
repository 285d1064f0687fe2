import CapsuleCore

_ = Instant(seconds: 0)
