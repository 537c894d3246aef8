import ArgumentParser
import MediaPipeline
import SwiftPlay
import SwiftPlayKit

/// The command line options for network access. Names and meanings are mpv's, except that certificates are verified by
/// default, and that the variant of a stream follows the network speed and the window size unless `--hls-bitrate` sets
/// it.
struct NetworkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Verify the certificates of https servers: yes or no.", valueName: "yes|no"))
    var tlsVerify = "yes"

    @Option(
        help: ArgumentHelp("Trust only the certificate authorities in this PEM file.", valueName: "file"),
        completion: .file())
    var tlsCaFile: String?

    @Option(
        help: ArgumentHelp("Send these header fields, separated by commas: 'A: 1,B: 2'.", valueName: "fields"))
    var httpHeaderFields: String?

    @Option(help: ArgumentHelp("Send this user agent.", valueName: "text"))
    var userAgent: String?

    @Option(help: ArgumentHelp("Send this address as the referrer.", valueName: "address"))
    var referrer: String?

    @Option(
        help: ArgumentHelp("Send the cookies of this file in Netscape's format.", valueName: "file"),
        completion: .file())
    var cookiesFile: String?

    @Option(help: ArgumentHelp("Fetch over this proxy instead of that of the environment.", valueName: "address"))
    var httpProxy: String?

    @Option(help: ArgumentHelp("A server that sends nothing for this time is lost.", valueName: "seconds"))
    var networkTimeout = 15.0

    @Option(
        help: ArgumentHelp(
            "Variant of a stream: no (by link and window), min, max, or at most this rate in bits per second.",
            valueName: "no|min|max|rate"))
    var hlsBitrate = "no"

    @Option(help: ArgumentHelp("Read much ahead: yes, no, or auto for addresses only.", valueName: "yes|no|auto"))
    var cache = "auto"

    @Option(help: ArgumentHelp("Read this much ahead if the cache is on.", valueName: "seconds"))
    var demuxerReadaheadSecs: Double?

    @Option(help: ArgumentHelp("Read at most this much ahead; K, M or G may follow.", valueName: "bytes"))
    var demuxerMaxBytes: String?

    @Option(
        help: ArgumentHelp(
            "Keep this much of what was played for seeking back; K, M or G may follow.", valueName: "bytes"))
    var demuxerMaxBackBytes: String?

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard ["yes", "no"].contains(tlsVerify) else { throw ValidationError("--tls-verify takes yes or no.") }
        guard ["yes", "no", "auto"].contains(cache) else { throw ValidationError("--cache takes yes, no or auto.") }
        guard networkTimeout > 0, networkTimeout.isFinite else {
            throw ValidationError("--network-timeout takes a number of seconds above 0.")
        }
        guard StreamPreference(hlsBitrate: hlsBitrate) != nil else {
            throw ValidationError("--hls-bitrate takes no, min, max or a number of bits per second.")
        }
        if let invalidField = Self.fields(httpHeaderFields ?? "").first(where: { !$0.contains(":") }) {
            throw ValidationError("--http-header-fields: '\(invalidField)' is not a header field 'Name: value'.")
        }
        if let seconds = demuxerReadaheadSecs, !(0...86_400).contains(seconds) {
            throw ValidationError("--demuxer-readahead-secs takes 0 to 86400 seconds.")
        }
        for (name, text) in [("max-bytes", demuxerMaxBytes), ("max-back-bytes", demuxerMaxBackBytes)] {
            if let text, ByteCount(parsing: text) == nil {
                throw ValidationError("--demuxer-\(name) takes a number of bytes, such as 64M.")
            }
        }
    }

    /// Splits a list of header fields at commas; `\,` is a comma within a field.
    static func fields(_ text: String) -> [String] {
        var fields = [""], isEscaped = false
        for character in text {
            if isEscaped || character != "," && character != "\\" {
                if isEscaped, character != "," { fields[fields.count - 1].append("\\") }
                fields[fields.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                fields.append("")
            }
        }
        return fields.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    /// The verification of the certificates of servers, according to the options.
    var tlsVerification: TLSVerification {
        if tlsVerify == "no" { return .none }
        return tlsCaFile.map { .authorities(file: $0) } ?? .systemRoots
    }

    /// The settings of the player, according to the options.
    var settings: NetworkSettings {
        var settings = NetworkSettings(tlsVerification: tlsVerification)
        settings.http.headerFields = Self.fields(httpHeaderFields ?? "")
        (settings.http.userAgent, settings.http.referrer) = (userAgent, referrer)
        (settings.http.cookieFile, settings.http.proxy) = (cookiesFile, httpProxy)
        settings.http.timeout = .seconds(min(networkTimeout, 86_400))
        settings.hlsBitrate = hlsBitrate
        settings.cache.isEnabled = cache == "auto" ? nil : cache == "yes"
        settings.cache.readAheadDuration = demuxerReadaheadSecs.map { Int64($0 * 1e9) }
        settings.cache.readAheadByteLimit = demuxerMaxBytes.flatMap { ByteCount(parsing: $0)?.bytes }
        settings.cache.keptByteLimit = demuxerMaxBackBytes.flatMap { ByteCount(parsing: $0)?.bytes }
        return settings
    }
}

/// A number of bytes in an option, such as `64M` or `500KiB`. Like in mpv, K, M and G are powers of 1024.
struct ByteCount: Sendable, Equatable {
    let bytes: Int

    /// The largest size: 1 TiB.
    private static let limit = 1 << 40

    /// Returns nil unless `text` is a number with an optional unit, and at most 1 TiB.
    init?(parsing text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let factors = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        var unit = text.dropFirst(digits.count).uppercased()
        if unit.hasSuffix("IB") { unit.removeLast(2) }
        guard let number = Int(digits), let factor = factors[unit] else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows, bytes <= Self.limit else { return nil }
        self.bytes = bytes
    }
}

/// The settings of the player for network access and reading ahead.
struct NetworkSettings {
    var tlsVerification = TLSVerification.systemRoots
    var http = HTTPConfiguration()
    /// The value of `--hls-bitrate`.
    var hlsBitrate = "no"
    var cache = CacheConfiguration()

    /// The policy for opening files and addresses other than media, such as playlists.
    var openPolicy: OpenPolicy {
        var configuration = Player.Configuration()
        apply(to: &configuration)
        return configuration.openPolicy
    }

    /// Applies the settings to a player.
    func apply(to configuration: inout Player.Configuration) {
        (configuration.tlsVerification, configuration.http, configuration.cache) = (tlsVerification, http, cache)
        configuration.streamPreference = StreamPreference(hlsBitrate: hlsBitrate) ?? StreamPreference()
    }
}
