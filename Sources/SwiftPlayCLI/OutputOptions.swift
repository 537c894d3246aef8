import ArgumentParser
import MediaPipeline

/// The command line options for the log, for statistics, and for other programs that control the player. Names and
/// meanings follow mpv where mpv has the option.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the log with all details to this file.", valueName: "file"))
    var logFile: String?

    @Option(help: ArgumentHelp("Serve mpv's JSON IPC at this socket.", valueName: "path"))
    var inputIpcServer: String?

    @Flag(inversion: .prefixedNo, help: "Publish the player on the session bus and handle media keys (MPRIS).")
    var mpris = true

    @Option(
        help: ArgumentHelp("Write playback statistics as JSON at the end.", valueName: "file"), completion: .file())
    var stats: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded frame: pts, width, height, pixel format, checksum.", valueName: "file"),
        completion: .file())
    var frameChecksums: String?

    @Option(
        help: ArgumentHelp(
            "Write a line for each decoded audio block: pts, rate, channels, sample format, samples, checksum.",
            valueName: "file"), completion: .file())
    var soundChecksums: String?

    @Option(
        help: ArgumentHelp(
            "Hash of the checksums, by its name in FFmpeg, such as murmur3 (fast).", valueName: "name"),
        completion: .list(ChecksumHash.names))
    var checksumHash = ChecksumHash.md5
}

extension ChecksumHash: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }

    package static var allValueStrings: [String] { names }

    package var defaultValueDescription: String { name }
}
