/// The choice of when colours are used.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}
