import CFFmpeg

/// A playlist of variants of which some cannot be read: libavformat refuses the whole for that. Here it is opened
/// without those.
struct WorkingVariants {
    /// Reads through `input`; who takes it closes it.
    let context: UnsafeMutablePointer<AVFormatContext>
    let input: MemoryInput
    let leftOut: Int

    private static let byteLimit = 4 << 20

    /// nil where it is something else, and where no variant can be read, or each alone can.
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
