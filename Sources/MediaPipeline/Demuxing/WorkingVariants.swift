import CFFmpeg

/// A multivariant playlist with unreadable variants. libavformat refuses the whole playlist in that case; this type
/// opens it without those variants.
struct WorkingVariants {
    /// The context; reads through `input`. The new owner closes it.
    let context: UnsafeMutablePointer<AVFormatContext>
    let input: MemoryInput
    let leftOut: Int

    private static let byteLimit = 4 << 20

    /// Opens the playlist; nil if the location is not a multivariant playlist, if no variant can be read, or if each
    /// variant can.
    init?(of location: String, _ opener: MediaOpener) {
        guard !opener.isInterrupted, let bytes = try? opener.readRoot(location, limit: Self.byteLimit),
            let playlist = MasterPlaylist(bytes)
        else { return nil }
        let good = (0..<playlist.count).filter { variant in
            guard !opener.isInterrupted, let alone = Self.open(playlist.keeping([variant]), location, opener) else {
                return false
            }
            var pointer: UnsafeMutablePointer<AVFormatContext>? = alone.context
            avformat_close_input(&pointer)
            return true
        }
        guard !good.isEmpty, good.count < playlist.count, let rest = Self.open(playlist.keeping(good), location, opener)
        else { return nil }
        (context, input, leftOut) = (rest.context, rest.input, playlist.count - good.count)
    }

    private static func open(
        _ bytes: [UInt8], _ location: String, _ opener: MediaOpener
    ) -> (context: UnsafeMutablePointer<AVFormatContext>, input: MemoryInput)? {
        var context = avformat_alloc_context()
        guard context != nil, let input = try? MemoryInput(bytes) else {
            avformat_free_context(context)
            return nil
        }
        guard FormatOpening.open(&context, from: input.context, location, opener) >= 0, let opened = context else {
            return nil
        }
        return (opened, input)
    }
}
