import CFFmpeg

/// A multivariant playlist without its unreadable variants. libavformat refuses a playlist if one of its variants
/// cannot be read; this type opens the playlist with the other variants.
struct ReadableVariants {
    /// The context of the opened playlist, which reads through `input`. The demuxer that takes the context closes it.
    let context: UnsafeMutablePointer<AVFormatContext>
    /// The text of the playlist without the unreadable variants, in memory.
    let input: MemoryInput
    /// The number of variants that cannot be read.
    let excludedCount: Int

    /// The maximum size of a playlist in bytes.
    private static let byteLimit = 4 << 20

    /// Opens the playlist; nil if the location is not a multivariant playlist, if no variant can be read, or if every
    /// variant can be read.
    init?(of location: String, _ opener: MediaOpener) {
        guard !opener.isInterrupted, let bytes = try? opener.readRoot(location, limit: Self.byteLimit),
            let playlist = MasterPlaylist(bytes)
        else { return nil }
        let readableVariants = (0..<playlist.count).filter { variant in
            guard !opener.isInterrupted, let singleVariant = Self.open(playlist.keeping([variant]), location, opener)
            else {
                return false
            }
            var pointer: UnsafeMutablePointer<AVFormatContext>? = singleVariant.context
            avformat_close_input(&pointer)
            return true
        }
        guard !readableVariants.isEmpty, readableVariants.count < playlist.count,
            let opened = Self.open(playlist.keeping(readableVariants), location, opener)
        else { return nil }
        (context, input, excludedCount) = (opened.context, opened.input, playlist.count - readableVariants.count)
    }

    /// Opens a playlist from memory; nil if libavformat refuses it.
    private static func open(
        _ bytes: [UInt8], _ location: String, _ opener: MediaOpener
    ) -> (context: UnsafeMutablePointer<AVFormatContext>, input: MemoryInput)? {
        var context = avformat_alloc_context()
        guard context != nil, let input = try? MemoryInput(bytes) else {
            avformat_free_context(context)
            return nil
        }
        guard FormatOpening.open(&context, from: input.context, location, opener) >= 0, let openedContext = context
        else {
            return nil
        }
        return (openedContext, input)
    }
}
