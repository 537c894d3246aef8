import Glibc

/// Which files beside a media file are its subtitles: by name alone. Pure but for the listing of the folder.
package enum SubtitleFinder {
    /// `--sub-auto`.
    package enum Search: String, Sendable {
        /// None.
        case no
        /// Those that are called as the media file, with a language at most: `film.srt`, `film.en.srt`.
        case exact
        /// Those whose name holds that of the media file.
        case fuzzy
        /// All in the folder.
        case all
    }

    package struct Found: Sendable, Equatable {
        package var path: String
        package var language: String?
        package var isForced = false
        package var isForHearingImpaired = false
    }

    /// What a file of such a name holds, by FFmpeg's name of the codec.
    static let codecs = [
        "srt": "subrip", "ass": "ass", "ssa": "ass", "vtt": "webvtt", "sub": "microdvd", "sup": "hdmv_pgs_subtitle",
        "idx": "dvd_subtitle", "mpl": "mpl2",
        "smi": "sami", "jss": "jacosub", "rt": "realtext", "lrc": "text", "mks": "subrip",
    ]
    static let limit = 64

    static func codec(of path: String) -> String { codecs[suffix(path)] ?? "text" }

    private static func suffix(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), !name[dot...].contains("/") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// - Parameters:
    ///   - names: files of the folder.
    ///   - media: the media file's name.
    package static func match(_ names: [String], media: String, search: Search) -> [Found] {
        guard search != .no else { return [] }
        let dot = media.lastIndex(of: ".") ?? media.endIndex
        let stem = media[..<dot].lowercased()
        let all = Set(names.map { $0.lowercased() })
        let found: [Found] = names.sorted().compactMap { name in
            guard codecs[suffix(name)] != nil, let end = name.lastIndex(of: ".") else { return nil }
            // The two files of a pair are one, which the index stands for.
            let pair = VobSub.pair(name.lowercased())
            if let pair, suffix(name) == "idx" ? !all.contains(pair.pictures) : all.contains(pair.index) { return nil }
            let body = name[..<end].lowercased()
            let isExact = body == stem || body.hasPrefix(stem + ".")
            let marks = isExact ? body.dropFirst(stem.count).split(separator: ".").map(String.init) : []
            switch search {
            case .no: return nil
            case .exact: guard isExact, marks.count <= 3 else { return nil }
            case .fuzzy: guard body.contains(stem) else { return nil }
            case .all: break
            }
            var result = Found(path: name)
            for mark in marks {
                switch mark {
                case "forced": result.isForced = true
                case "sdh", "cc", "hi": result.isForHearingImpaired = true
                default: if result.language == nil, isLanguage(mark) { result.language = mark }
                }
            }
            return result
        }
        return Array(found.prefix(limit))
    }

    private static func isLanguage(_ text: String) -> Bool {
        guard let first = text.split(separator: "-", omittingEmptySubsequences: false).first else { return false }
        return (2...3).contains(first.count) && text.count <= 12
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Looks beside `path`.
    static func beside(_ path: String, search: Search) -> [Found] {
        guard search != .no else { return [] }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "./"
        let media = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        // A folder of that many files is no film's.
        while names.count < 100_000, let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return match(names, media: media, search: search).map { found in
            var found = found
            found.path = (slash == nil ? "" : folder) + found.path
            return found
        }
    }
}
