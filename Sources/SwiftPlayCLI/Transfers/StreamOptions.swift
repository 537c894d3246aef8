import ArgumentParser
import BackgroundProtocol

/// The options of `swiftplay download` for streams. Each of them states that the addresses are those of streams.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The largest height of a stream, such as 720p, or bit rate, such as 3M. The default is the best. "
                + "Implies --stream.",
            valueName: "quality"))
    var quality: StreamQuality?

    @Option(
        help: ArgumentHelp(
            "The languages of the audio of a stream, such as de,en. The default is the choice of the stream. "
                + "Implies --stream.",
            valueName: "languages"))
    var audioLanguage: String?

    @Option(
        help: ArgumentHelp(
            "The languages of the subtitles of a stream. The default is none. Implies --stream.",
            valueName: "languages"))
    var subtitleLanguage: String?

    @Flag(help: "The addresses are streams, although they do not end with .m3u8.")
    var stream = false

    /// The parts of the stream at an address; nil if the address is that of a file.
    func preferences(for url: String) -> StreamPreferences? {
        let hasOption = quality != nil || audioLanguage != nil || subtitleLanguage != nil
        return stream || hasOption || Self.isPlaylist(url) ? preferences : nil
    }

    /// Returns whether an address ends with `.m3u8`, so that it is a stream without an option.
    static func isPlaylist(_ url: String) -> Bool {
        url.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u8")
    }

    /// The parts of a stream.
    private var preferences: StreamPreferences {
        var preferences = StreamPreferences()
        switch quality {
        case .height(let height): preferences.maximumHeight = height
        case .bitRate(let rate): preferences.maximumBitRate = rate
        case nil: break
        }
        preferences.audioLanguages = Self.languages(audioLanguage)
        preferences.subtitleLanguages = Self.languages(subtitleLanguage)
        return preferences
    }

    /// Returns the parts of a list that is separated by commas.
    private static func languages(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    func validate() throws {
        if let fault = preferences.fault { throw ValidationError("\(fault).") }
    }
}

/// The largest quality of a stream that the user wants.
enum StreamQuality: ExpressibleByArgument, Equatable {
    /// The height of the pictures in pixels.
    case height(UInt32)
    /// The bit rate in bits per second.
    case bitRate(UInt64)

    init?(argument: String) {
        guard let unit = argument.last?.lowercased(), let number = UInt32(argument.dropLast()), number > 0 else {
            return nil
        }
        switch unit {
        case "p": self = .height(number)
        case "k": self = .bitRate(UInt64(number) * 1_000)
        case "m": self = .bitRate(UInt64(number) * 1_000_000)
        default: return nil
        }
    }
}
