/// The variant and the renditions that a package contains. A pure value.
package struct PackageSelection: Sendable, Equatable {
    /// The variant.
    package let variant: VariantStream
    /// The audio renditions; empty if the variant contains its only audio.
    package let audio: [Rendition]
    /// The subtitle renditions.
    package let subtitles: [Rendition]

    /// Chooses the best variant within the limits, or the smallest variant if all of them exceed the limits; and the
    /// renditions of the requested languages.
    package init(_ playlist: MultivariantPlaylist, _ preferences: PackagePreferences) {
        let variant = Self.variant(of: playlist, preferences)
        self.variant = variant
        let audio = playlist.renditions(.audio, of: variant)
        let requestedAudio = Self.renditions(audio, languages: preferences.audioLanguages)
        let defaultAudio = audio.first(where: \.isDefault) ?? audio.first(where: \.isAutoselect) ?? audio.first
        self.audio = requestedAudio.isEmpty ? defaultAudio.map { [$0] } ?? [] : requestedAudio
        subtitles = Self.renditions(
            playlist.renditions(.subtitles, of: variant), languages: preferences.subtitleLanguages)
    }

    /// Returns the variant of a package.
    private static func variant(of playlist: MultivariantPlaylist, _ preferences: PackagePreferences) -> VariantStream {
        var candidates = playlist.variants
        // A stream with pictures has audio-only variants for slow connections, which are no film.
        let hasPictures = candidates.contains { $0.video.resolution != nil }
        if hasPictures { candidates.removeAll { $0.video.resolution == nil } }
        let standardRange = candidates.filter { ($0.video.dynamicRange ?? .sdr) == .sdr }
        if !standardRange.isEmpty { candidates = standardRange }
        let permitted = candidates.filter { variant in
            (preferences.maximumHeight <= 0 || variant.shortSide <= preferences.maximumHeight)
                && (preferences.maximumBitRate <= 0 || variant.bandwidth <= preferences.maximumBitRate)
        }
        let best = permitted.max { $0.quality < $1.quality } ?? candidates.min { $0.quality < $1.quality }
        return best ?? playlist.variants[0]
    }

    /// Returns the first rendition of each language, in the order of the languages, without repetitions.
    private static func renditions(_ renditions: [Rendition], languages: [String]) -> [Rendition] {
        var chosen: [Rendition] = []
        for language in languages {
            let matches = renditions.filter { rendition in
                rendition.language.map { LanguageTag.matches($0, requested: language) } ?? false
            }
            guard let rendition = matches.first(where: { !$0.isForced }) ?? matches.first, !chosen.contains(rendition)
            else { continue }
            chosen.append(rendition)
        }
        return chosen
    }
}

extension VariantStream {
    /// The shorter side of the pictures in pixels; 0 if not stated.
    fileprivate var shortSide: Int { video.resolution.map { min($0.width, $0.height) } ?? 0 }
    /// The size of the pictures, and then the bit rate.
    fileprivate var quality: (Int, Int) { (shortSide, bandwidth) }
}
