import ArgumentParser
import SwiftPlayKit

/// The command line options for decoding and showing video. Names and meanings are mpv's.
struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Video output: x11, terminal (or tct, sixel, kitty) or null. Default: x11 if there is a display, else \
            terminal if the output is a terminal, else null.
            """,
            valueName: "output"), completion: .list(["x11", "terminal", "tct", "sixel", "kitty", "null"]))
    var vo: String?

    @Option(
        name: .customLong("vo-tct-256"),
        help: ArgumentHelp("Draw 256 colours instead of 24-bit colours with --vo=tct.", valueName: "yes|no"))
    var voTct256 = "no"

    @Option(
        help: ArgumentHelp(
            "Use the X Present extension to show frames between two refreshes: auto, yes or no.",
            valueName: "mode"))
    var x11Present = "auto"

    @Option(
        help: ArgumentHelp(
            "Show one picture per field: auto (if the video is flagged as interlaced), yes (always) or no.",
            valueName: "auto|yes|no"))
    var deinterlace = "auto"

    @Option(
        help: ArgumentHelp(
            "Number of video decoder threads, 1 to 16; 0 selects a number that suits video and machine.",
            valueName: "number"))
    var vdLavcThreads = 0

    @OptionGroup var picture: PictureOptions

    @Flag(help: "Ignore timestamps; with --vo=null --ao=null, decode as fast as possible.")
    var untimed = false

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard Player.Deinterlacing(name: deinterlace) != nil else {
            throw ValidationError("--deinterlace takes auto, yes or no.")
        }
        guard (0...16).contains(vdLavcThreads) else { throw ValidationError("--vd-lavc-threads takes 0 to 16.") }
        if let vo, VideoOutputOption(parsing: vo) == nil {
            throw ValidationError("--vo=\(vo) is not known; use x11, terminal (tct, sixel, kitty) or null.")
        }
        guard ["yes", "no"].contains(voTct256) else { throw ValidationError("--vo-tct-256 takes yes or no.") }
        guard PlayerWindow.X11Present(rawValue: x11Present) != nil else {
            throw ValidationError("--x11-present takes auto, yes or no.")
        }
        try picture.validateAll()
    }

    /// The output that the options select; nil for the default. The options must be valid.
    var output: VideoOutputOption? {
        vo.flatMap { VideoOutputOption(parsing: $0, uses256Colours: voTct256 == "yes") }
    }
}
