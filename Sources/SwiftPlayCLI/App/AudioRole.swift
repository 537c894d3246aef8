import Glibc

/// The media role that the program reports to the sound server, with its name and icon. The server's rules use the
/// role, for example to lower music during a phone call; mixers show name and icon.
///
/// ALSA's plug-ins are clients of PulseAudio or PipeWire. When they connect to the server, they read these properties
/// only from the environment variables.
enum AudioRole: String {
    /// `video`: the program plays video. `music`: the program plays music or other audio without video.
    case video, music

    /// The file name extensions of audio files without video.
    private static let audioExtensions: Set<String> = [
        "aac", "aif", "aiff", "ape", "dsf", "flac", "m4a", "m4b", "mka", "mp2", "mp3", "oga", "ogg", "opus", "wav",
        "wma", "wv",
    ]

    /// Determines the role from the file names alone, without opening the files: environment variables can be changed
    /// safely only before the program starts its second thread.
    init(files: [String], hasPicture: Bool) {
        let isAudioOnly = files.allSatisfy { file in
            let name = file.split(separator: "?").first?.split(separator: "/").last ?? ""
            return name.contains(".")
                && Self.audioExtensions.contains((name.split(separator: ".").last ?? "").lowercased())
        }
        self = isAudioOnly || !hasPicture ? .music : .video
    }

    /// Sets the environment variables from which the sound server reads role, name and icon. Call before the program
    /// starts a thread. Existing values stay.
    func exportToEnvironment() {
        setenv("PULSE_PROP_media.role", rawValue, 0)
        // ALSA's plug-in for PulseAudio sets the name "ALSA plug-in [swiftplay]", which only this variable replaces.
        setenv("PULSE_PROP_OVERRIDE_application.name", "swiftplay", 0)
        setenv("PULSE_PROP_application.icon_name", "swiftplay", 0)
        let role = self == .video ? "Movie" : "Music"
        setenv(
            "PIPEWIRE_PROPS",
            "{ media.role = \(role) application.name = swiftplay application.icon-name = swiftplay }", 0)
    }
}
