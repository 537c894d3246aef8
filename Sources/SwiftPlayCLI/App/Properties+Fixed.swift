/// mpv's options for features that SwiftPlay does not have. Each has the value that describes SwiftPlay's behaviour,
/// and only this value can be set.
extension PlayerProperty {
    static let fixedOptions: [PlayerProperty] = [
        // Playback
        fixed("ab-loop-count", .choice(["inf"]), "inf"), fixed("hr-seek", .choice(["yes"]), true),
        fixed("keep-open-pause", .flag, true),
        fixed("play-dir", .text, "forward"), fixed("cache-pause", .flag, true),
        fixed("cache-on-disk", .flag, false), fixed("force-media-title", .text, ""),
        fixed("ordered-chapters", .flag, false),
        // Video
        fixed("hwdec", .choice(["no"]), "no"), fixed("vf", .list, []),
        fixed("video-zoom", .number(), 0.0),
        fixed("video-pan-x", .number(), 0.0), fixed("video-pan-y", .number(), 0.0),
        fixed("video-align-x", .number(), 0.0), fixed("video-align-y", .number(), 0.0),
        fixed("panscan", .number(), 0.0), fixed("keepaspect", .flag, true), fixed("brightness", .integer(), 0),
        fixed("contrast", .integer(), 0), fixed("saturation", .integer(), 0), fixed("gamma", .integer(), 0),
        fixed("hue", .integer(), 0), fixed("interpolation", .flag, false), fixed("icc-profile", .text, ""),
        fixed("video-sync", .choice(["audio"]), "audio"), fixed("framedrop", .choice(["vo"]), "vo"),
        // Window
        fixed("on-all-workspaces", .flag, false),
        fixed("osd-level", .integer(), 1), fixed("cursor-autohide", .integer(), 1000),
        // Audio
        fixed("af", .list, []),
        fixed("audio-exclusive", .flag, false),
        fixed("audio-client-name", .text, "swiftplay"), fixed("audio-display", .choice(["embedded-first"]), true),
        // Subtitles
        fixed("sub-speed", .number(), 1.0),
        fixed("sub-ass-override", .choice(["yes", "no"]), true),
        // The program
        fixed("ytdl", .flag, false), fixed("load-scripts", .flag, false), fixed("scripts", .list, []),
        fixed("osc", .flag, true), fixed("input-default-bindings", .flag, true),
    ]

    /// mpv's properties that never have a value in SwiftPlay.
    static let unavailable: [PlayerProperty] = [
        ("edition", PropertyType.integer()), ("current-edition", .integer()), ("editions", .integer()),
        ("mistimed-frame-count", .integer()), ("vsync-ratio", .number()), ("vsync-jitter", .number()),
        ("total-avsync-change", .number()), ("display-fps", .number()), ("estimated-display-fps", .number()),
        ("display-names", .list), ("display-width", .integer()), ("display-height", .integer()),
        ("display-hidpi-scale", .number()), ("stream-pos", .bytes), ("mouse-pos", .object), ("vf-metadata", .object),
        ("af-metadata", .object), ("perf-info", .object), ("vo-passes", .object),
    ].map { name, type in PlayerProperty(name, type, changes: .never) { _ in nil } }
}
