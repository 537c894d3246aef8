/// mpv's options, and values of options, that mean nothing to this player. Scripts and other programs pass them to mpv,
/// so that the player accepts them with a warning instead of failing.
enum IgnoredOptions {
    /// The names of the ignored options.
    private static let names = Set(nameList.split(whereSeparator: \.isWhitespace).map(String.init))
    /// The ends of names with which mpv changes a list, such as `vf-add`.
    private static let listSuffixes = ["add", "append", "clr", "del", "pre", "remove", "set", "toggle"]
    /// mpv's own profiles.
    private static let profiles: Set<String> = [
        "builtin-pseudo-gui", "encoding", "fast", "gpu-hq", "high-quality", "libmpv", "low-latency", "opengl-hq",
        "pseudo-gui", "sw-fast",
    ]
    /// mpv's names of video outputs that draw in a window.
    private static let windowOutputs: Set<String> = [
        "dmabuf-wayland", "gpu", "gpu-next", "opengl", "opengl-hq", "sdl", "vaapi", "vdpau", "wlshm", "xv",
    ]
    /// mpv's names of audio outputs for sound servers and devices.
    private static let deviceOutputs: Set<String> = [
        "coreaudio", "jack", "openal", "oss", "pipewire", "pulse", "sdl", "sndio", "wasapi",
    ]

    /// Whether mpv has an option with this name that has no effect here; the name may begin with `no-`.
    static func contains(_ name: String) -> Bool {
        if names.contains(name) || name.hasPrefix("no-") && names.contains(String(name.dropFirst(3))) { return true }
        guard let hyphen = name.lastIndex(of: "-"), listSuffixes.contains(String(name[name.index(after: hyphen)...]))
        else { return false }
        return names.contains(String(name[..<hyphen]))
    }

    /// Whether mpv has a profile with this name of its own.
    static func containsProfile(_ name: String) -> Bool { profiles.contains(name) }

    /// Returns the part of a list of outputs that this player has.
    ///
    /// mpv tries the outputs of the list one after the other, so that the first one which exists here is used.
    ///
    /// - Parameters:
    ///   - option: `vo` or `ao`.
    ///   - value: A name, or several names separated by commas.
    /// - Returns: The name of the output; nil if all names are outputs of mpv that this player replaces by its own. The
    ///   unchanged value if it contains an unknown name.
    static func output(_ option: String, _ value: String) -> String? {
        let mpvOutputs = option == "vo" ? windowOutputs : deviceOutputs
        let isSupported =
            option == "vo" ? { VideoOutputOption(parsing: $0) != nil } : { ["alsa", "null"].contains($0) }
        // mpv accepts parameters after a colon, as in `gpu:sw`.
        let outputs = value.split(separator: ",").map { String($0.prefix { $0 != ":" }) }
        guard !outputs.isEmpty, outputs.allSatisfy({ mpvOutputs.contains($0) || isSupported($0) }) else { return value }
        return outputs.first(where: isSupported)
    }
}
