import SystemCalls

/// Finds subtitle files in the folder of a media file by their names.
package enum SubtitleFinder {
    /// The search mode (option `--sub-auto`).
    package enum Search: String, Sendable {
        /// The search finds no files.
        case no
        /// Files with the media file's name and an optional language: `film.srt`, `film.en.srt`.
        case exact
        /// Files whose name contains the media file's name.
        case fuzzy
        /// All subtitle files in the folder.
        case all
    }

    /// A subtitle file, and the properties that its name or the program states.
    package struct File: Sendable, Equatable {
        /// The name as given to the search, or the file's location (see ``MediaLocation``).
        package var path: String
        /// The title of the track; nil uses the name.
        package var title: String?
        /// The language tag, such as `en`; nil if there is none.
        package var language: String?
        /// Whether the name marks the subtitles as forced: only for speech that the viewer would not understand.
        package var isForced = false
        /// Whether the name marks the subtitles as made for viewers who cannot hear the audio.
        package var isForHearingImpaired = false
        /// The rule that selects the file's character set; nil uses the rule of the item's configuration.
        package var characterSet: SubtitleCharacterSet?

        package init(path: String, title: String? = nil, language: String? = nil) {
            (self.path, self.title, self.language) = (path, title, language)
        }
    }

    /// FFmpeg's codec name for each file extension.
    static let codecs = [
        "srt": "subrip", "ass": "ass", "ssa": "ass", "vtt": "webvtt", "sub": "microdvd", "sup": "hdmv_pgs_subtitle",
        "idx": "dvd_subtitle", "mpl": "mpl2",
        "smi": "sami", "jss": "jacosub", "rt": "realtext", "lrc": "text", "mks": "subrip",
    ]
    /// The maximum number of subtitle files that a search returns.
    static let fileLimit = 64

    /// Returns FFmpeg's codec name for a file, by its extension.
    static func codec(of path: String) -> String { codecs[fileExtension(path)] ?? "text" }

    /// Returns the extension in lower case without the dot.
    private static func fileExtension(_ name: String) -> String {
        guard let dotIndex = name.lastIndex(of: "."), !name[dotIndex...].contains("/") else { return "" }
        return name[name.index(after: dotIndex)...].lowercased()
    }

    /// Returns the subtitle files of a media file.
    ///
    /// - Parameters:
    ///   - names: The names of the files in the folder.
    ///   - media: The media file's name.
    package static func match(_ names: [String], media: String, search: Search) -> [File] {
        guard search != .no else { return [] }
        let dotIndex = media.lastIndex(of: ".") ?? media.endIndex
        let mediaStem = media[..<dotIndex].lowercased()
        let lowercasedNames = Set(names.map { $0.lowercased() })
        let files: [File] = names.sorted().compactMap { name in
            guard codecs[fileExtension(name)] != nil, let end = name.lastIndex(of: ".") else { return nil }
            // The two files of a VobSub pair are one track, represented by the index file.
            let vobSubPair = VobSub.pair(name.lowercased())
            if let vobSubPair,
                fileExtension(name) == "idx"
                    ? !lowercasedNames.contains(vobSubPair.pictures) : lowercasedNames.contains(vobSubPair.index)
            {
                return nil
            }
            let lowercasedName = name[..<end].lowercased()
            let isExact = lowercasedName == mediaStem || lowercasedName.hasPrefix(mediaStem + ".")
            let nameTags =
                isExact ? lowercasedName.dropFirst(mediaStem.count).split(separator: ".").map(String.init) : []
            switch search {
            case .no: return nil
            case .exact: guard isExact, nameTags.count <= 3 else { return nil }
            case .fuzzy: guard lowercasedName.contains(mediaStem) else { return nil }
            case .all: break
            }
            var result = File(path: name)
            for nameTag in nameTags {
                switch nameTag {
                case "forced": result.isForced = true
                case "sdh", "cc", "hi": result.isForHearingImpaired = true
                default: if result.language == nil, isLanguage(nameTag) { result.language = nameTag }
                }
            }
            return result
        }
        return Array(files.prefix(fileLimit))
    }

    /// Returns whether a part of a file name has the form of a language tag.
    private static func isLanguage(_ text: String) -> Bool {
        guard let primarySubtag = text.split(separator: "-", omittingEmptySubsequences: false).first else {
            return false
        }
        return (2...3).contains(primarySubtag.count) && primarySubtag.allSatisfy(\.isLetter) && text.count <= 12
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Returns the subtitle files in the folder of a media file, with their locations as paths.
    static func files(beside media: FilePath, search: Search) -> [File] {
        guard search != .no else { return [] }
        let folder = FilePath(bytes: media.folder.isEmpty ? Array("./".utf8)[...] : media.folder)
        // Limit the number of entries that are read, because the folder may be huge. A folder with films has fewer
        // entries.
        guard let names = folder?.entryNames(limit: 100_000) else { return [] }
        let namesByText = Dictionary(
            names.map { (Array(text(of: $0).utf8), $0) }, uniquingKeysWith: { first, _ in first })
        return match(names.map(text(of:)), media: text(of: Array(media.name)), search: search).compactMap { file in
            guard let name = namesByText[Array(file.path.utf8)], let path = FilePath(bytes: media.folder + name) else {
                return nil
            }
            var file = file
            file.path = MediaLocation.location(of: path)
            return file
        }
    }

    /// Returns the text by which file names are compared: UTF-8 or, for names that are not UTF-8, Latin-1.
    private static func text(of name: [UInt8]) -> String {
        String(validating: name, as: UTF8.self)
            ?? String(String.UnicodeScalarView(name.map { Unicode.Scalar($0) }))
    }
}
