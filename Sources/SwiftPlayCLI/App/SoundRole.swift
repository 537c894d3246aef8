import Glibc

/// What kind of sound this is, for the sound server's own rules (which programs are lowered for a call, say):
/// PulseAudio's and PipeWire's clients, which ALSA's plug-ins are, read it from the environment when they connect, and
/// have no other way.
enum SoundRole: String {
    case video, music

    private static let soundExtensions: Set<String> = [
        "aac", "aif", "aiff", "ape", "dsf", "flac", "m4a", "m4b", "mka", "mp2", "mp3", "oga", "ogg", "opus", "wav",
        "wma", "wv",
    ]

    /// By the names alone: the environment can be changed only while there is one thread, and then no file has been
    /// opened.
    init(files: [String], hasPicture: Bool) {
        let isSound = files.allSatisfy { file in
            let name = file.split(separator: "?").first?.split(separator: "/").last ?? ""
            return name.contains(".")
                && Self.soundExtensions.contains((name.split(separator: ".").last ?? "").lowercased())
        }
        self = isSound || !hasPicture ? .music : .video
    }

    /// Before the first thread starts. What the user has set stays.
    func announce() {
        setenv("PULSE_PROP_media.role", rawValue, 0)
        setenv("PIPEWIRE_PROPS", "{ media.role = \(self == .video ? "Movie" : "Music") }", 0)
    }
}
