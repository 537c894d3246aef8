/// Names of languages as containers and people write them (`ger`, `deu`, `de-AT`), brought together. Pure.
package enum LanguageTag {
    /// The language's part in its shortest form: `de` of `ger` and of `de-AT`; as it is, in small letters, where it is
    /// not known here.
    package static func primary(_ tag: String) -> String {
        let first = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(String.init) ?? ""
        return short[first] ?? first
    }

    /// A tag by BCP 47: `de` of `ger`, `de-AT` stays.
    package static func extended(_ tag: String) -> String {
        let parts = tag.split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        guard let first = parts.first else { return "und" }
        return ([primary(first)] + parts.dropFirst()).joined(separator: "-")
    }

    /// Is `tag` what somebody means who asks for `wanted`? `en` means every English, `en-US` that one or one that says
    /// no more than `en`.
    package static func matches(_ tag: String, wanted: String) -> Bool {
        guard primary(tag) == primary(wanted), primary(tag) != "" else { return false }
        let region = extended(wanted).lowercased().split(separator: "-").dropFirst()
        let own = extended(tag).lowercased().split(separator: "-").dropFirst()
        return region.isEmpty || own.isEmpty || own.starts(with: region)
    }

    /// ISO 639-2, both its forms, to 639-1.
    private static let short: [String: String] = [
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
