import WireFormat

/// The parts of a stream that a package contains.
package struct StreamPreferences: StoredValue, Sendable, Equatable {
    /// The maximum number of languages of one kind, and the maximum length of a language tag in bytes.
    package static let languageLimit = 16, languageBytes = 64

    /// The largest height of the pictures in pixels, such as 720; 0 for any.
    package var maximumHeight: UInt32 = 0
    /// The largest bit rate in bits per second; 0 for any.
    package var maximumBitRate: UInt64 = 0
    /// The languages of the audio; empty for the default of the stream.
    package var audioLanguages: [String] = []
    /// The languages of the subtitles; empty for no subtitles.
    package var subtitleLanguages: [String] = []

    /// Creates preferences for the best quality, the default audio and no subtitles.
    package init() {}

    /// The fault of the preferences; nil if they are valid.
    package var fault: String? {
        let languages = audioLanguages + subtitleLanguages
        if max(audioLanguages.count, subtitleLanguages.count) > Self.languageLimit {
            return "there are more than \(Self.languageLimit) languages"
        }
        let isTag = { (text: String) in
            !text.isEmpty && text.utf8.count <= Self.languageBytes
                && text.utf8.allSatisfy { HeaderField.isTokenByte($0) }
        }
        return languages.allSatisfy(isTag) ? nil : "a language is not a language tag, such as de or pt-BR"
    }

    /// Appends the preferences to a message.
    package func write(to writer: inout MessageWriter) {
        writer.write(maximumHeight)
        writer.write(maximumBitRate)
        for languages in [audioLanguages, subtitleLanguages] {
            writer.write(UInt8(clamping: languages.count))
            for language in languages { writer.writeText(language) }
        }
    }

    /// Reads preferences; rejects invalid ones.
    package init(from reader: inout MessageReader) throws(MalformedMessage) {
        (maximumHeight, maximumBitRate) = (try reader.read(), try reader.read())
        audioLanguages = try Self.languages(from: &reader)
        subtitleLanguages = try Self.languages(from: &reader)
        if let fault { throw MalformedMessage(fault) }
    }

    private static func languages(from reader: inout MessageReader) throws(MalformedMessage) -> [String] {
        var languages: [String] = []
        for _ in 0..<(try reader.read(UInt8.self)) { languages.append(try reader.readText(limit: languageBytes)) }
        return languages
    }
}
