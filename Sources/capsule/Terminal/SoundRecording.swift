import CapsuleCore

/// A sound that another program records from the microphone.
enum SoundRecording {
  /// Records into a file of its own: by the first of `arecord`, `sox` and `ffmpeg` that is there, as WAV.
  ///
  /// - Parameters:
  ///   - seconds: the length of the recording; until Ctrl-C if `nil`.
  ///   - store: the store, where there is one yet.
  static func make(
    _ session: Session, seconds: Int?, in store: Store?
  ) throws -> PrivateFile {
    let limit = seconds.map { [String($0)] } ?? []
    let local = session.zone.civil(at: session.now)
    let time = [local.time.hour, local.time.minute, local.time.second].map(\.twoDigits).joined()
    let file = try PrivateFile(
      named: Array("recorded-\(local.date.description)-\(time).wav".utf8), as: .recording, session,
      in: store)
    let isSaid = !session.isQuiet && session.options.form == .text
    let errorOutput = session.host.errorOutput
    do {
      let program = try session.viewer.runFirst(
        [
          ("arecord", ["-q", "-f", "cd"] + (limit.isEmpty ? [] : ["-d"] + limit)),
          ("sox", ["-q", "-d"]),
          (
            "ffmpeg",
            ["-nostdin", "-loglevel", "error"] + SoundInput.ffmpeg
              + (limit.isEmpty ? [] : ["-t"] + limit)
          ),
        ], with: file.path, to: "record",
        after: ["sox": limit.isEmpty ? [] : ["trim", "0"] + limit],
        whenStarted: {
          guard isSaid else { return }
          // The recording goes on even if this line cannot be written.
          Array("Recording; Ctrl-C ends it.\n".utf8).withUnsafeBytes { try? errorOutput.write($0) }
        }
      ).program
      let recorded = try? session.host.files.statusIfPresent(file.path)
      guard let recorded, recorded.size > 0 else {
        throw Failure(
          .io, "'\(program)' recorded nothing", hint: "is there a microphone, and is it free?")
      }
      return file
    } catch {
      file.remove()
      throw error
    }
  }
}
