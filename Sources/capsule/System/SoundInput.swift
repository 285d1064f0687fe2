/// The source of sound, in the words of the programs that record it.
enum SoundInput {
  /// ffmpeg's words for the default microphone.
  #if canImport(Darwin)
    static let ffmpeg = ["-f", "avfoundation", "-i", ":0"]
  #else
    static let ffmpeg = ["-f", "alsa", "-i", "default"]
  #endif
}
