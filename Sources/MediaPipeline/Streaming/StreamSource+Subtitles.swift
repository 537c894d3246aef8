import StreamPlaylists

extension StreamSource {
    /// The identifier of the first subtitle track; a stream has fewer video and audio tracks than this.
    private static let firstSubtitleTrack = 1 << 10

    /// Returns `contents` with the subtitle renditions that a variant can be played with.
    func addingSubtitles(of variant: VariantStream?, to contents: PacketSourceContents) -> PacketSourceContents {
        guard case .multivariant(let playlist) = playlist else { return contents }
        var contents = contents
        // If the variant has no subtitle renditions, offer those of another variant.
        let group = variant?.groups.subtitles ?? playlist.variants.lazy.compactMap(\.groups.subtitles).first
        let renditions = playlist.renditions.filter { $0.kind == .subtitles && $0.groupID == group }
        for (id, rendition) in zip(Self.firstSubtitleTrack..., renditions) {
            guard let address = rendition.address?.url else { continue }
            contents.info.tracks.append(MediaTrack(subtitles: rendition, id: id))
            contents.subtitleRenditions[id] = SubtitleRendition(
                rendition: rendition, address: address, imports: playlist.variables, options: fetcher.options,
                transfers: fetcher.transfers, presentation: fetcher.presentation?.state, timeline: demand.timeline)
        }
        contents.info.streams.subtitle = contents.subtitleRenditions.count
        return contents
    }
}
