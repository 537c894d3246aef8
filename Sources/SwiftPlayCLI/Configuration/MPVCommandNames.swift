/// The names of mpv's commands, by which a misspelt command in `input.conf` is recognized. Some of them fail when they
/// are executed, because this player does not have them.
enum MPVCommandNames {
    /// Whether mpv, or this player, has a command with this name, spelt with hyphens.
    static func contains(_ name: String) -> Bool { names.contains(name) }

    private static let names: Set<String> = [
        "ignore", "seek", "revert-seek", "quit", "quit-watch-later", "stop", "frame-step", "frame-back-step",
        "playlist-next", "playlist-prev", "playlist-next-playlist", "playlist-prev-playlist", "playlist-play-index",
        "playlist-shuffle", "playlist-unshuffle", "playlist-clear", "playlist-remove", "playlist-move", "sub-step",
        "sub-seek", "print-text", "show-text", "expand-text", "expand-path", "show-progress", "sub-add", "audio-add",
        "video-add", "sub-remove", "audio-remove", "video-remove", "sub-reload", "audio-reload", "video-reload",
        "rescan-external-files", "screenshot", "screenshot-to-file", "screenshot-raw", "loadfile", "loadlist", "run",
        "subprocess", "set", "del", "change-list", "add", "cycle", "multiply", "cycle-values", "enable-section",
        "disable-section", "define-section", "ab-loop", "drop-buffers", "af", "vf", "af-command", "vf-command",
        "ao-reload", "script-binding", "script-message", "script-message-to", "overlay-add", "overlay-remove",
        "osd-overlay", "write-watch-later-config", "delete-watch-later-config", "mouse", "keybind", "keypress",
        "keydown", "keyup", "apply-profile", "load-script", "load-config-file", "load-input-conf", "dump-cache",
        "ab-loop-dump-cache", "ab-loop-align-cache", "begin-vo-dragging", "context-menu", "normalize-path",
        "escape-ass", "notify-property", "raw",
    ]
}
