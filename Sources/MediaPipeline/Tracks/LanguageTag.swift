/// Normalisation of language tags as containers and users write them (`ger`, `deu`, `de-AT`).
package enum LanguageTag {
    /// Returns the shortest form of the language: `de` for `ger` and for `de-AT`; the tag in lower case if it is
    /// unknown.
    package static func primary(_ tag: String) -> String {
        let language = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? ""
        return shortCodes[language] ?? language
    }

    /// Returns a BCP 47 tag: `de` for `ger`; `de-AT` stays unchanged.
    package static func extended(_ tag: String) -> String {
        let subtags = tag.split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        guard let language = subtags.first else { return "und" }
        return ([primary(language)] + subtags.dropFirst()).joined(separator: "-")
    }

    /// Returns whether `tag` matches the requested language. The request `en` matches English of any region; `en-US`
    /// matches itself and `en`.
    package static func matches(_ tag: String, requested: String) -> Bool {
        guard primary(tag) == primary(requested), primary(tag) != "" else { return false }
        let region = extended(requested).lowercased().split(separator: "-").dropFirst()
        let subtags = extended(tag).lowercased().split(separator: "-").dropFirst()
        return region.isEmpty || subtags.isEmpty || subtags.starts(with: region)
    }

    /// The two-letter ISO 639-1 code for each three-letter ISO 639-2 code (bibliographic or terminological).
    private static let shortCodes: [String: String] = [
        "ara": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de", "ger": "de",
        "ell": "el", "gre": "el",
        "eng": "en", "spa": "es", "est": "et", "eus": "eu", "baq": "eu", "fas": "fa", "per": "fa", "fin": "fi",
        "fra": "fr", "fre": "fr",
        "gle": "ga", "glg": "gl", "heb": "he", "hin": "hi", "hrv": "hr", "scr": "hr", "hun": "hu", "hye": "hy",
        "arm": "hy", "ind": "id",
        "isl": "is", "ice": "is", "ita": "it", "jpn": "ja", "kat": "ka", "geo": "ka", "kor": "ko", "lit": "lt",
        "lav": "lv", "mkd": "mk",
        "mac": "mk", "msa": "ms", "may": "ms", "nld": "nl", "dut": "nl", "nor": "no", "nob": "nb", "pol": "pl",
        "por": "pt", "ron": "ro",
        "rum": "ro", "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "sqi": "sq", "alb": "sq", "srp": "sr",
        "scc": "sr", "swe": "sv",
        "tam": "ta", "tel": "te", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur", "vie": "vi", "zho": "zh",
        "chi": "zh",
    ]
}
