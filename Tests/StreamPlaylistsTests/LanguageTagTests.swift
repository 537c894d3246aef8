import Testing

@testable import StreamPlaylists

@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("ger", "de"), ("deu", "de"), ("de", "de"), ("fre", "fr"), ("fra", "fr"), ("zho", "zh"), ("chi", "zh"),
        ("nob", "nb"),
    ])
    func threeLetterCodesAreShortened(_ tag: String, _ expected: String) {
        #expect(LanguageTag.primary(tag) == expected)
    }

    @Test func regionAndCaseDoNotChangeTheLanguage() {
        #expect(LanguageTag.primary("de-AT") == "de")
        #expect(LanguageTag.primary("GER_at") == "de")
        #expect(LanguageTag.primary("EN-us-posix") == "en")
    }

    @Test func anUnknownLanguageIsOnlyLowercased() {
        #expect(LanguageTag.primary("TLH") == "tlh")
        #expect(LanguageTag.primary("und") == "und")
    }

    @Test func anEmptyTagHasNoLanguage() {
        #expect(LanguageTag.primary("") == "" && LanguageTag.primary("-") == "")
        #expect(LanguageTag.extended("") == "und" && LanguageTag.extended("--") == "und")
    }

    @Test func extendedTagContainsTheRegion() {
        #expect(LanguageTag.extended("por-BR") == "pt-BR")
        #expect(LanguageTag.extended("zh_Hant_TW") == "zh-Hant-TW")
        #expect(LanguageTag.extended("ger") == "de")
    }

    @Test func requestedLanguageMatchesEveryRegion() {
        #expect(LanguageTag.matches("en-US", requested: "en"))
        #expect(LanguageTag.matches("eng", requested: "en"))
        #expect(LanguageTag.matches("en", requested: "eng"))
    }

    @Test func requestedRegionMatchesItselfOrNoRegion() {
        #expect(LanguageTag.matches("en-us", requested: "en-US"))
        #expect(LanguageTag.matches("eng", requested: "en-US"))
        #expect(!LanguageTag.matches("en-GB", requested: "en-US"))
    }

    @Test func requestedPrefixMatchesALongerTag() {
        #expect(LanguageTag.matches("zh-Hant-TW", requested: "zh-Hant"))
        #expect(!LanguageTag.matches("zh-Hans", requested: "zh-Hant"))
    }

    @Test func otherLanguagesAndEmptyTagsDoNotMatch() {
        #expect(!LanguageTag.matches("de", requested: "en"))
        #expect(!LanguageTag.matches("", requested: ""))
        #expect(!LanguageTag.matches("", requested: "en"))
        #expect(!LanguageTag.matches("en", requested: ""))
    }

    // The pairs of ISO 639-2 in which the bibliographic code differs from the terminological one.
    @Test(
        "both three-letter codes of a language mean the same language",
        arguments: [
            ("alb", "sqi", "sq"), ("arm", "hye", "hy"), ("baq", "eus", "eu"), ("bur", "mya", "my"),
            ("chi", "zho", "zh"), ("cze", "ces", "cs"), ("dut", "nld", "nl"), ("fre", "fra", "fr"),
            ("geo", "kat", "ka"), ("ger", "deu", "de"), ("gre", "ell", "el"), ("ice", "isl", "is"),
            ("mac", "mkd", "mk"), ("mao", "mri", "mi"), ("may", "msa", "ms"), ("per", "fas", "fa"),
            ("rum", "ron", "ro"), ("slo", "slk", "sk"), ("tib", "bod", "bo"), ("wel", "cym", "cy"),
        ])
    func bothThreeLetterCodesMeanTheSameLanguage(_ first: String, _ second: String, _ short: String) {
        #expect(LanguageTag.primary(first) == short && LanguageTag.primary(second) == short)
        #expect(LanguageTag.matches(first, requested: second) && LanguageTag.matches(second, requested: short))
    }

    @Test(
        "languages with a single three-letter code are shortened",
        arguments: [("ben", "bn"), ("nno", "nn"), ("swa", "sw"), ("mal", "ml"), ("lat", "la"), ("afr", "af")])
    func languagesWithOneThreeLetterCodeAreShortened(_ tag: String, _ short: String) {
        #expect(LanguageTag.primary(tag) == short && LanguageTag.matches(tag, requested: short + "-XX"))
    }
}
