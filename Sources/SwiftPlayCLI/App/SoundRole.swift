import Glibc

/// The media role of the program, for the rules of the sound server, such as which programs it ducks during a call.
///
/// ALSA's plug-ins are clients of PulseAudio or PipeWire. They read the role only from the environment, when they
/// connect.
enum SoundRole: String {
    case video, music

    private static let soundExtensions: Set<String> = [
        "aac", "aif", "aiff", "ape", "dsf", "flac", "m4a", "m4b", "mka", "mp2", "mp3", "oga", "ogg", "opus", "wav",
        "wma", "wv",
    ]

    /// Determines the role from the file names alone. The environment can be changed only while the program has one
    /// thread, and no file is open by then.
    init(files: [String], hasPicture: Bool) {
        let isSound = files.allSatisfy { file in
            let name = file.split(separator: "?").first?.split(separator: "/").last ?? ""
            return name.contains(".")
                && Self.soundExtensions.contains((name.split(separator: ".").last ?? "").lowercased())
        }
        self = isSound || !hasPicture ? .music : .video
    }

    /// Sets the environment variables of the role. Call before the first thread starts. Existing values stay.
    func announce() {
        setenv("PULSE_PROP_media.role", rawValue, 0)
        setenv("PIPEWIRE_PROPS", "{ media.role = \(self == .video ? "Movie" : "Music") }", 0)
    }
}
